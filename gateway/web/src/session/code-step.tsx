import { Alert, Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { loginSecondFactor, type User } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { CodeField } from "../second-factor/code-field.js";
import { refusalOf } from "./refusal.js";

interface CodeStepProps {
  /** Of the login. */
  readonly challenge: string;
  readonly onDone: (user: User) => void;
  /** Begins the sign-in anew, with what there is to be said of it. */
  readonly onBack: (reason: Error | null) => void;
}

/** The second step of signing in. */
export function CodeStep({ challenge, onDone, onBack }: CodeStepProps): ReactNode {
  const form = useForm({ initialValues: { code: "" } });
  const finish = useMutation({
    mutationFn: (code: string) => api.call(loginSecondFactor, { body: { challenge, code } }),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiError && error.code === "challenge_expired") onBack(error);
      form.reset();
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ code }) => finish.mutate(code))} noValidate>
      <Stack>
        {finish.error === null ? (
          <Text size="sm">Enter the code that your authenticator app shows.</Text>
        ) : (
          <Alert color="red" role="alert">
            {refusalOf(finish.error)}
          </Alert>
        )}
        <CodeField input={form.getInputProps("code")} />
        <Button type="submit" loading={finish.isPending} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={() => onBack(null)} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}
