import { Badge, Button, Group, Text } from "@mantine/core";
import { disableSecondFactor, getSecondFactor, renewRecoveryCodes, type SecondFactor } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useOne, useSend } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import { FailureState } from "../parts/failure-state.js";
import { Part, PartBody } from "../parts/part.js";
import { notifySuccess } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { RecoveryWindow } from "./recovery-window.js";
import { SetUpWindow } from "./set-up-window.js";

/** Warns if fewer recovery codes are left. */
const FEW_CODES = 3;

/** Sets up and disables the caller's second factor. */
export function SecondFactorPart(): ReactNode {
  const { data, error, refetch } = useOne(getSecondFactor, {});
  const [isSettingUp, setSettingUp] = useState(false);
  const factor = data?.data;
  return (
    <Part title="Second factor" action={factor?.enabled === true && <Badge variant="light">On</Badge>}>
      <PartBody>
        {factor === undefined ? (
          error === null ? (
            <Waiting />
          ) : (
            <FailureState error={error} onRetry={() => void refetch()} />
          )
        ) : factor.enabled ? (
          <Present factor={factor} onSetUp={() => setSettingUp(true)} />
        ) : (
          <Absent onSetUp={() => setSettingUp(true)} />
        )}
      </PartBody>
      {isSettingUp && <SetUpWindow onClose={() => setSettingUp(false)} />}
    </Part>
  );
}

function Absent({ onSetUp }: { readonly onSetUp: () => void }): ReactNode {
  return (
    <>
      <Text size="sm">
        With a second factor, signing in also requires a code from your phone. A stolen password alone is then not
        enough.
      </Text>
      <Group justify="flex-end" mt="md">
        <Button onClick={onSetUp}>Set up</Button>
      </Group>
    </>
  );
}

function Present({ factor, onSetUp }: { readonly factor: SecondFactor; readonly onSetUp: () => void }): ReactNode {
  const send = useSend();
  const ask = useConfirm();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { enabled_at, recovery_codes_left: left } = factor;
  const renew = (): void =>
    ask({
      title: "Generate new recovery codes?",
      text: "Your current recovery codes stop working.",
      verb: "Generate new codes",
      isDestructive: false,
      run: async () => setCodes((await send(renewRecoveryCodes, {})).recovery_codes),
    });
  const disable = (): void =>
    ask({
      title: "Turn the second factor off?",
      text: "Anyone who knows your password can then sign in.",
      verb: "Turn off",
      run: async () => {
        await send(disableSecondFactor, {});
        notifySuccess("The second factor is off.");
      },
    });
  return (
    <>
      <Text size="sm">
        On since {enabled_at === null ? "–" : <When at={enabled_at} />}. Signing in requires a code from your
        authenticator app.
      </Text>
      <Text size="sm" mt="xs" {...(left < FEW_CODES && { c: "red", fw: 600 })}>
        {left === 1 ? "1 recovery code is left." : `${left} recovery codes are left.`}
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="subtle" color="red" onClick={disable}>
          Turn off
        </Button>
        <Button variant="default" onClick={onSetUp}>
          Use another app
        </Button>
        <Button variant="default" onClick={renew}>
          New recovery codes
        </Button>
      </Group>
      {codes !== null && <RecoveryWindow codes={codes} onClose={() => setCodes(null)} />}
    </>
  );
}
