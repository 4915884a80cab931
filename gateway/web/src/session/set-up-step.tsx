import { Alert, Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { enableSecondFactorAtLogin, offerSecondFactorAtLogin, type User } from "@nts/shared/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { CopyField } from "../parts/copy.js";
import { Waiting } from "../parts/waiting.js";
import { CodeField } from "../second-factor/code-field.js";
import { QrCode } from "../second-factor/qr-code.js";
import { showRecoveryCodes } from "../second-factor/fresh-codes.js";
import { refusalOf } from "./refusal.js";

interface SetUpStepProps {
  /** Of the login. */
  readonly challenge: string;
  readonly onDone: (user: User) => void;
  /** Begins the sign-in anew, with what there is to be said of it. */
  readonly onBack: (reason: Error | null) => void;
}

/** The second step of signing in for whoever has to set up an app first; the recovery codes are shown when they are signed in. */
export function SetUpStep({ challenge, onDone, onBack }: SetUpStepProps): ReactNode {
  const offer = useQuery({
    queryKey: [offerSecondFactorAtLogin.operationId, challenge],
    queryFn: () => api.call(offerSecondFactorAtLogin, { body: { challenge } }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const form = useForm({ initialValues: { code: "" } });
  const finish = useMutation({
    mutationFn: (code: string) => api.call(enableSecondFactorAtLogin, { body: { challenge, code } }),
    onSuccess: ({ user, recovery_codes }) => {
      showRecoveryCodes(recovery_codes);
      onDone(user);
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === "challenge_expired") onBack(error);
      form.reset();
    },
  });
  const error = finish.error ?? offer.error;
  return (
    <form onSubmit={form.onSubmit(({ code }) => finish.mutate(code))} noValidate>
      <Stack>
        <Text size="sm">
          Your organization requires a second factor. Scan this with an authenticator app on your phone, or type the
          secret into it, and enter the code that it shows.
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
            <CodeField takesRecovery={false} input={form.getInputProps("code")} />
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
