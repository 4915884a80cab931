import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { CopyField } from "../parts/copy.js";

interface RecoveryWindowProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows recovery codes once. Only its button closes it. */
export function RecoveryWindow({ codes, onClose }: RecoveryWindowProps): ReactNode {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
          Store these codes somewhere safe; they are not shown again. Each can be used once to sign in without your
          device.
        </Alert>
        <CopyField label="Codes" value={codes.join("\n")} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have saved them</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
