import { Alert, Button, Stack, Text } from "@mantine/core";
import { enableSecondFactorAtLogin, offerSecondFactorAtLogin, type User } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { CopyField } from "../parts/copy.js";
import { Waiting } from "../parts/waiting.js";
import { CodeField } from "../second-factor/code-field.js";
import { QrCode } from "../second-factor/qr-code.js";
import { showRecoveryCodes } from "../second-factor/fresh-codes.js";
import { refusalOf } from "./refusal.js";
import { type SecondStepProps, useSecondStep } from "./use-second-step.js";

/** The second step of signing in if an app has to be set up first; recovery codes are shown after sign-in. */
export function SetUpStep({ challenge, onDone, onBack }: SecondStepProps<User>): ReactNode {
  const offer = useQuery({
    queryKey: [offerSecondFactorAtLogin.operationId, challenge],
    queryFn: () => api.call(offerSecondFactorAtLogin, { body: { challenge } }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { finish, field, onSubmit } = useSecondStep((body) => api.call(enableSecondFactorAtLogin, { body }), {
    challenge,
    onDone: ({ user, recovery_codes }) => {
      showRecoveryCodes(recovery_codes);
      onDone(user);
    },
    onBack,
  });
  const error = finish.error ?? offer.error;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <Text size="sm">
          Your organization requires a second factor. Scan this with an authenticator app on your phone, or enter the
          secret manually. Then enter the code it shows.
        </Text>
        {error !== null && (
          <Alert color="red" role="alert">
            {refusalOf(error)}
          </Alert>
        )}
        {offer.data === undefined ? (
          offer.error === null && <Waiting />
        ) : (
          <>
            <QrCode text={offer.data.otpauth_url} label="QR code for your authenticator app" />
            <CopyField label="Secret" value={offer.data.secret} />
            <CodeField takesRecovery={false} input={field} />
          </>
        )}
        <Button type="submit" loading={finish.isPending} disabled={offer.data === undefined} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={() => onBack(null)} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}
