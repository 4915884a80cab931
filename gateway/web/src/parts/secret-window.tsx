import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { CopyField } from "./copy.js";

interface SecretWindowProps {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  /** What the secret allows. */
  readonly warning: ReactNode;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows a secret once. Only its button closes it, so that a stray click does not. */
export function SecretWindow({ title, label, secret, warning, onClose, children }: SecretWindowProps): ReactNode {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
          Copy it now: it is not shown again. {warning}
        </Alert>
        <CopyField label={label} value={secret} />
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
