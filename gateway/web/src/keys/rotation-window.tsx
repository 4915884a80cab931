import { Alert, Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { rotateKey, type UserApiKey } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { describeFailure } from "../api/failure.js";
import { useWrite } from "../api/queries.js";

const GRACES = [
  { value: "0", label: "Immediately" },
  { value: "3600", label: "In an hour" },
  { value: "86400", label: "In a day" },
  { value: "604800", label: "In a week" },
];

interface RotationWindowProps {
  readonly apiKey: UserApiKey;
  readonly onClose: () => void;
  /** Called with the new secret, which is shown once. */
  readonly onRotated: (secret: string) => void;
}

/** Rotates a key, with a choice of grace period. */
export function RotationWindow({ apiKey: { id, name, previous }, onClose, onRotated }: RotationWindowProps): ReactNode {
  const [grace, setGrace] = useState("0");
  const rotate = useWrite(rotateKey);
  const run = (): void =>
    rotate.mutate(
      { params: { id }, query: { grace_seconds: Number(grace) } },
      {
        onSuccess: (secret) => {
          onClose();
          onRotated(secret);
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title={`Rotate ${name}?`} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Text size="sm">The key gets a new secret, which is shown once.</Text>
        <Select
          label="The current secret expires"
          description="Both work until then, so that nothing breaks while you deploy the new one"
          data={GRACES}
          value={grace}
          onChange={(value) => setGrace(value ?? "0")}
          allowDeselect={false}
          data-autofocus
        />
        {previous !== null && (
          <Alert color="yellow">The previous secret still works. This rotation ends it immediately.</Alert>
        )}
        {rotate.error !== null && (
          <Alert color="red" role="alert" title={describeFailure(rotate.error).title}>
            {describeFailure(rotate.error).text}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={run}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
