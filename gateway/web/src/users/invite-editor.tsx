import { Alert, Button, Group, Modal, NumberInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createInvite } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { CopyField } from "../parts/copy.js";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { useLikelyNetwork } from "../forms/network-field.js";
import { type Reach, ReachFields } from "./reach-fields.js";

const HOURS_A_DAY = 24;

/** Creates an invite, and shows its link once. */
export function InviteEditor({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useWrite(createInvite);
  const { user, sends_mail } = useSession();
  const [made, setMade] = useState<{ readonly token: string; readonly email: string | null } | null>(null);
  const likely = useLikelyNetwork();
  const reach = useForm<Reach & { readonly email: string }>({
    initialValues: { permissions: "Member", network_ids: likely === "" ? [] : [likely], email: "" },
  });
  const [days, setDays] = useState<number | string>(7);
  if (made !== null) return <LinkWindow {...made} onClose={onClose} />;
  return (
    <FormWindow
      title="Invite user"
      form={reach}
      onClose={onClose}
      stays
      verb="Create invite"
      submit={async ({ email, ...values }) => {
        const own = { ...values, expires_in_hours: Math.round(Number(days) * HOURS_A_DAY) };
        setMade(await create.mutateAsync({ body: { ...own, email: email.trim() === "" ? null : email } }));
      }}
    >
      <ReachFields form={reach} />
      {sends_mail && (
        <TextInput
          label="Send it by mail to"
          description={user.email_verified ? "Optional" : "Verify your own address first"}
          type="email"
          disabled={!user.email_verified}
          {...reach.getInputProps("email")}
        />
      )}
      <NumberInput
        label="Expires after"
        suffix=" days"
        min={1}
        max={365}
        value={days}
        onChange={setDays}
        error={reach.errors["expires_in_hours"]}
      />
    </FormWindow>
  );
}

interface LinkWindowProps {
  readonly token: string;
  /** The address it was mailed to; null if it was not. */
  readonly email: string | null;
  readonly onClose: () => void;
}

function LinkWindow({ token, email, onClose }: LinkWindowProps): ReactNode {
  const link = `${location.origin}${PATHS.signUp}#${new URLSearchParams({ invite: token }).toString()}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Invitation link"
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
    >
      <Stack>
        {email !== null && <Alert color="teal">The invite is on its way to {email}.</Alert>}
        <Alert color="yellow">The link creates one account and is not shown again.</Alert>
        <CopyField label="Link" value={link} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
