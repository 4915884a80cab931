import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { requestPasswordReset } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { api } from "../api/client.js";
import { faultsByPath } from "../api/failure.js";
import { PATHS } from "../paths.js";
import { SignedOutLayout } from "../sign-in/signed-out-layout.js";
import { refusalOf } from "../sign-in/refusal.js";

/** Requests a reset link for an address, which may be typed at sign-in. The response does not reveal whether there is an account. */
export default function ForgotPassword(): ReactNode {
  const location = useLocation();
  const ask = useMutation({ mutationFn: (email: string) => api.call(requestPasswordReset, { body: { email } }) });
  const form = useForm({
    initialValues: { email: emailIn(location) },
    validate: { email: isNotEmpty("Enter your email address.") },
  });
  const submit = form.onSubmit(({ email }) =>
    ask.mutate(email, { onError: (error) => form.setErrors(faultsByPath(error)) }),
  );
  const isPlaced = Object.keys(faultsByPath(ask.error)).length > 0;
  return (
    <SignedOutLayout
      title="Forgot your password?"
      footer={
        <Anchor component={Link} to={PATHS.signIn} size="sm" underline="always">
          Back to sign-in
        </Anchor>
      }
    >
      {ask.isSuccess ? (
        <Stack>
          <Alert color="teal" role="status">
            If there is an account with the address <strong>{ask.variables}</strong>, a mail with a link is on its way.
          </Alert>
          <Text size="sm" c="dimmed">
            The link is valid for one hour. If nothing arrives, check the spam folder and the address.
          </Text>
          <Button variant="default" onClick={() => ask.reset()} fullWidth>
            Use another address
          </Button>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate>
          <Stack>
            <Text size="sm">Enter the email address of your account to receive a link for a new password.</Text>
            {ask.error !== null && !isPlaced && (
              <Alert color="red" role="alert">
                {reasonOf(ask.error)}
              </Alert>
            )}
            <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
            <Button type="submit" loading={ask.isPending} fullWidth>
              Send link
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutLayout>
  );
}

function reasonOf(error: Error): string {
  if (!(error instanceof ApiError) || error.code !== "mail_not_configured") return refusalOf(error);
  return "This server does not send mail. Ask its operator to reset your password.";
}

/** The state of the location is null when the page is opened by its address. */
function emailIn({ state }: { readonly state: unknown }): string {
  const { email = "" } = (state ?? {}) as { readonly email?: string };
  return email;
}
