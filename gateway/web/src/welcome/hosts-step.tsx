import { Button, Group, Stack, Text } from "@mantine/core";
import type { Network } from "@nts/shared/contract";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { HostEditor } from "../hosts/host-editor.js";

/** Fills the network. */
export function HostsStep({ network, onNext }: { readonly network: Network; readonly onNext: () => void }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack mt="md">
      <Text>
        Describe the first host of <strong>{network.name}</strong>: a machine, with an address if it has one.
      </Text>
      <Group justify="space-between">
        <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Describe a host by hand
        </Button>
        <Button variant="default" onClick={onNext}>
          Next: an API key
        </Button>
      </Group>
      {isAdding && <HostEditor id={null} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
