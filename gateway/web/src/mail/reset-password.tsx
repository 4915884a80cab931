import { Alert, Anchor, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { resetPassword } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { api } from "../api/client.js";
import { faultsByPath } from "../api/failure.js";
import { PATHS } from "../paths.js";
import { SignedOutLayout } from "../sign-in/signed-out-layout.js";
import { refusalOf } from "../sign-in/refusal.js";
import { useSessionReset } from "../session/session.js";
import { useLinkToken } from "./link-token.js";

/** The target of a reset link: sets a new password and ends all sessions. */
export default function ResetPassword(): ReactNode {
  const token = useLinkToken();
  const reset = useMutation({
    mutationFn: (new_password: string) => api.call(resetPassword, { body: { token, new_password } }),
  });
  const forget = useSessionReset();
  return (
    <SignedOutLayout
      title="Choose a new password"
      footer={
        <Anchor component={Link} to={PATHS.forgotPassword} size="sm" underline="always">
          Send another link
        </Anchor>
      }
    >
      {reset.isSuccess ? (
        <Stack>
          <Alert color="teal" role="status">
            Your password is changed, and all your sessions have ended.
          </Alert>
          <Button component={Link} to={PATHS.signIn} onClick={() => void forget()} fullWidth>
            Sign in
          </Button>
        </Stack>
      ) : token === "" ? (
        <Alert color="yellow">
          This page requires the complete link from a mail. Open it again, or request a new one.
        </Alert>
      ) : (
        <PasswordForm error={reset.error} isPending={reset.isPending} onSubmit={reset.mutateAsync} />
      )}
    </SignedOutLayout>
  );
}

interface PasswordFormProps {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (password: string) => Promise<unknown>;
}

function PasswordForm({ error, isPending, onSubmit }: PasswordFormProps): ReactNode {
  const form = useForm({ initialValues: { new_password: "" } });
  const submit = form.onSubmit(({ new_password }) => {
    onSubmit(new_password).catch((fault: unknown) => form.setErrors(faultsByPath(fault)));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {error !== null && Object.keys(faultsByPath(error)).length === 0 && (
          <Alert color="red" role="alert">
            {refusalOf(error)}
          </Alert>
        )}
        <PasswordInput
          label="New password"
          description="10 characters or more, and hard to guess"
          autoComplete="new-password"
          required
          {...form.getInputProps("new_password")}
        />
        <Button type="submit" loading={isPending} fullWidth>
          Change password
        </Button>
        <Text size="sm" c="dimmed">
          All your sessions end. If the address was not verified before, the API keys of the account are revoked, too.
        </Text>
      </Stack>
    </form>
  );
}
