import { Alert, Button, Stack, Text } from "@mantine/core";
import { loginSecondFactor, type User } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { CodeField } from "../second-factor/code-field.js";
import { refusalOf } from "./refusal.js";
import { type SecondStepProps, useSecondStep } from "./use-second-step.js";

export function CodeStep(props: SecondStepProps<User>): ReactNode {
  const { finish, field, onSubmit } = useSecondStep((body) => api.call(loginSecondFactor, { body }), props);
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        {finish.error === null ? (
          <Text size="sm">Enter the code from your authenticator app.</Text>
        ) : (
          <Alert color="red" role="alert">
            {refusalOf(finish.error)}
          </Alert>
        )}
        <CodeField input={field} />
        <Button type="submit" loading={finish.isPending} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={() => props.onBack(null)} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}
