import { Alert, Button, Group, Modal, NumberInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createInvite } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { CopyField } from "../parts/copy.js";
import { PATHS } from "../paths.js";
import { useLikelyNetwork } from "../forms/network-field.js";
import { type Reach, ReachFields } from "./reach-fields.js";

const HOURS_A_DAY = 24;

/** Makes an invite, and shows its link, this once. */
export function InviteEditor({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useWrite(createInvite);
  const [token, setToken] = useState<string | null>(null);
  const likely = useLikelyNetwork();
  const reach = useForm<Reach>({
    initialValues: { permissions: "Member", network_ids: likely === "" ? [] : [likely] },
  });
  const [days, setDays] = useState<number | string>(7);
  if (token !== null) return <LinkWindow token={token} onClose={onClose} />;
  return (
    <FormWindow
      title="Invite user"
      form={reach}
      onClose={onClose}
      stays
      verb="Create invite"
      submit={async (values) => {
        const body = { ...values, expires_in_hours: Math.round(Number(days) * HOURS_A_DAY) };
        setToken((await create.mutateAsync({ body })).token);
      }}
    >
      <ReachFields form={reach} />
      <NumberInput label="Expires after" suffix=" days" min={1} max={365} value={days} onChange={setDays} />
    </FormWindow>
  );
}

function LinkWindow({ token, onClose }: { readonly token: string; readonly onClose: () => void }): ReactNode {
  const link = `${location.origin}${PATHS.signUp}?${new URLSearchParams({ invite: token }).toString()}`;
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
        <Alert color="yellow">The link creates one account and is not shown again.</Alert>
        <CopyField label="Link" value={link} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
