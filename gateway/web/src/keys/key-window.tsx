import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyField } from "../parts/copy.js";
import { SecretWindow } from "../parts/secret-window.js";
import { curlLine } from "./curl-line.js";

/** Shows the secret of a key once, with usage instructions. */
export function KeyWindow({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }): ReactNode {
  return (
    <SecretWindow
      title="Your API key"
      label="API key"
      secret={secret}
      warning="Anyone who has it can do everything the key can."
      onClose={onClose}
    >
      <Text size="sm" fw={500}>
        Try it
      </Text>
      <CopyField label="Command" value={curlLine(secret, location.origin)} />
    </SecretWindow>
  );
}
