import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { login } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "react-router";
import { describeFailure } from "../api/failure.js";
import { useWrite } from "../api/queries.js";
import { PATHS } from "../paths.js";
import { Entrance } from "./entrance.js";
import { useSessionReset } from "./session.js";

/** Signing in; afterwards the guard around the page leads on. */
export default function SignIn(): ReactNode {
  const { search } = useLocation();
  const [parameters] = useSearchParams();
  const start = useWrite(login);
  const reset = useSessionReset();
  const form = useForm({ initialValues: { email: "", password: "" } });
  const submit = form.onSubmit((values) => {
    start.mutate({ body: values }, { onSuccess: () => void reset() });
  });
  return (
    <Entrance
      title="Sign in"
      footer={
        <>
          No account yet?{" "}
          <Anchor component={Link} to={PATHS.signUp + search} size="sm" underline="always">
            Create one
          </Anchor>
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {parameters.has("next") && start.error === null && (
            <Alert color="cyan">Sign in to go on; you will be back where you were.</Alert>
          )}
          {start.error !== null && (
            <Alert color="red" role="alert">
              {refusalOf(start.error)}
            </Alert>
          )}
          <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={start.isPending} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}

function refusalOf(error: Error): string {
  if (error instanceof ApiError && error.code === "invalid_credentials") return error.message;
  const { title, text } = describeFailure(error);
  return error instanceof ApiError && error.code === "login_throttled"
    ? `${error.message} ${text}`
    : `${title}. ${text}`;
}
