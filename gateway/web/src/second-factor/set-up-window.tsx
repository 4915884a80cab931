import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { enableSecondFactor, listIdentities, offerSecondFactor, type SecondFactorOffer } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useOne, useWrite } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { CopyField } from "../parts/copy.js";
import { CodeField } from "./code-field.js";
import { QrCode } from "./qr-code.js";
import { RecoveryWindow } from "./recovery-window.js";

/** Sets up an authenticator app: password, app, recovery codes. */
export function SetUpWindow({ onClose }: { readonly onClose: () => void }): ReactNode {
  const offer = useWrite(offerSecondFactor);
  const enable = useWrite(enableSecondFactor);
  const hasPassword = useOne(listIdentities, {}).data?.data.has_password !== false;
  const [offered, setOffered] = useState<SecondFactorOffer | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const first = useForm({ initialValues: { password: "" } });
  const second = useForm({ initialValues: { code: "" } });
  if (codes !== null) return <RecoveryWindow codes={codes} onClose={onClose} />;
  if (offered === null)
    return (
      <FormWindow
        title="Set up a second factor"
        form={first}
        onClose={onClose}
        stays
        verb="Continue"
        submit={async ({ password }) =>
          setOffered(await offer.mutateAsync({ body: password === "" ? {} : { password } }))
        }
      >
        <Text size="sm">
          You need an authenticator app on your phone, such as Aegis, 2FAS or Google Authenticator, or a password
          manager with one-time codes.
        </Text>
        {hasPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            data-autofocus
            {...first.getInputProps("password")}
          />
        )}
      </FormWindow>
    );
  return (
    <FormWindow
      key="code"
      title="Set up a second factor"
      form={second}
      onClose={onClose}
      stays
      verb="Turn on"
      submit={async (body) => setCodes((await enable.mutateAsync({ body })).recovery_codes)}
    >
      <Stack>
        <Text size="sm">Scan this with your app, or enter the secret manually. Then enter the code it shows.</Text>
        <QrCode text={offered.otpauth_url} label="QR code for your authenticator app" />
        <CopyField label="Secret" value={offered.secret} />
        <CodeField takesRecovery={false} input={second.getInputProps("code")} />
      </Stack>
    </FormWindow>
  );
}
