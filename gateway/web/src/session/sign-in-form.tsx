import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { type BodyInputOf, login, type User } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { describeFailure } from "../api/failure.js";

interface SignInFormProps {
  readonly email?: string;
  /** Said until a try has failed. */
  readonly hint?: string | undefined;
  /** Called when there is a session; what was known without it is still there then. */
  readonly onDone: (user: User) => void;
}

/** Asks for email and password, and begins a session. */
export function SignInForm({ email = "", hint, onDone }: SignInFormProps): ReactNode {
  const start = useMutation({
    mutationFn: (body: BodyInputOf<typeof login>) => api.call(login, { body }),
    onSuccess: onDone,
  });
  const form = useForm({ initialValues: { email, password: "" } });
  return (
    <form onSubmit={form.onSubmit((values) => start.mutate(values))} noValidate>
      <Stack>
        {hint !== undefined && start.error === null && <Alert color="cyan">{hint}</Alert>}
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
          data-autofocus={email !== "" || undefined}
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={start.isPending} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function refusalOf(error: Error): string {
  if (error instanceof ApiError && error.code === "invalid_credentials") return error.message;
  const { title, text } = describeFailure(error);
  return error instanceof ApiError && error.code === "login_throttled"
    ? `${error.message} ${text}`
    : `${title}. ${text}`;
}
