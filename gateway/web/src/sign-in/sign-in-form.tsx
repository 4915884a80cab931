import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { type BodyInputOf, login, type User } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { api } from "../api/client.js";
import { PATHS } from "../paths.js";
import type { Challenge } from "./arrival.js";
import { CodeStep } from "./code-step.js";
import { ProviderButtons } from "./provider-buttons.js";
import { refusalOf } from "./refusal.js";
import { SetUpStep } from "./set-up-step.js";

interface SignInFormProps {
  readonly email?: string;
  /** The remaining step of a provider sign-in. */
  readonly challenge?: Challenge | undefined;
  /** The error of an earlier attempt. */
  readonly problem?: string | undefined;
  /** The path to return to from a provider. */
  readonly returnTo: string;
  /** Shown until an attempt has failed. */
  readonly hint?: string | undefined;
  /** Called with the new session; cached data is kept. */
  readonly onDone: (user: User) => void;
}

const REQUIRED = { email: isNotEmpty("Enter your email address."), password: isNotEmpty("Enter your password.") };

/** Asks for email and password, and for a code if required, and starts a session. */
export function SignInForm({
  email = "",
  challenge: given,
  problem,
  returnTo,
  hint,
  onDone,
}: SignInFormProps): ReactNode {
  const start = useMutation({
    mutationFn: (body: BodyInputOf<typeof login>) => api.call(login, { body }),
    onSuccess: onDone,
  });
  const form = useForm({ initialValues: { email, password: "" }, validate: REQUIRED });
  const [expired, setExpired] = useState<Error | null>(null);
  const [isGivenUp, setGivenUp] = useState(false);
  const asked = challengeIn(start.error) ?? (isGivenUp ? null : (given ?? null));
  if (asked !== null) {
    const back = (reason: Error | null): void => {
      setExpired(reason);
      setGivenUp(true);
      start.reset();
      form.setFieldValue("password", "");
    };
    const { challenge } = asked;
    return asked.isSetUp ? (
      <SetUpStep challenge={challenge} onDone={onDone} onBack={back} />
    ) : (
      <CodeStep challenge={challenge} onDone={onDone} onBack={back} />
    );
  }
  const error = start.error ?? expired;
  const refusal = error === null ? problem : refusalOf(error);
  return (
    <form onSubmit={form.onSubmit((values) => start.mutate(values))} noValidate>
      <Stack>
        {hint !== undefined && refusal === undefined && <Alert color="cyan">{hint}</Alert>}
        {refusal !== undefined && (
          <Alert color="red" role="alert">
            {refusal}
          </Alert>
        )}
        <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus={email !== "" || undefined}
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={start.isPending} fullWidth>
          Sign in
        </Button>
        <ForgotPasswordLink email={form.values.email} />
      </Stack>
      <ProviderButtons returnTo={returnTo} />
    </form>
  );
}

function ForgotPasswordLink({ email }: { readonly email: string }): ReactNode {
  return (
    <Anchor component={Link} to={PATHS.forgotPassword} state={{ email }} size="sm" ta="center" underline="always">
      Forgot your password?
    </Anchor>
  );
}

/** The challenge for a code, and whether an app has to be set up first; null if no code is required. */
function challengeIn(error: Error | null): Challenge | null {
  if (!(error instanceof ApiError) || error.code !== "second_factor_required") return null;
  return { challenge: String(error.params["challenge"]), isSetUp: error.params["set_up"] === true };
}
