import { Button, Group, Text } from "@mantine/core";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { sizeText } from "./size.js";

interface ChosenFileProps {
  readonly file: File;
  /** Null if the file cannot be changed now. */
  readonly onOther: (() => void) | null;
}

/** Name and size of the selected file, with a button to select another. */
export function ChosenFile({ file, onOther }: ChosenFileProps): ReactNode {
  return (
    <Group justify="space-between">
      <Text size="sm">
        <strong>{file.name}</strong>{" "}
        <Text component="span" c="dimmed" inherit className="numbers">
          {sizeText(file.size)}
        </Text>
      </Text>
      {onOther !== null && (
        <Button variant="default" size="xs" leftSection={<X size={14} aria-hidden />} onClick={onOther}>
          Choose another file
        </Button>
      )}
    </Group>
  );
}
