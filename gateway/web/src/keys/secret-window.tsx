import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { CopyField } from "../parts/copy.js";
import { curlLine } from "./curl-line.js";

/** Shows the secret of a key, this once. It closes by its button only, so that no stray click takes the secret away. */
export function SecretWindow({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your API key"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
          Copy it now: it is not shown again. Who has it can do what the key may do.
        </Alert>
        <CopyField label="API key" value={secret} />
        <Text size="sm" fw={500}>
          Try it
        </Text>
        <CopyField label="Command" value={curlLine(secret, location.origin)} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
