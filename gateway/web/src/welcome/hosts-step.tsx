import { Button, Group, Stack, Text } from "@mantine/core";
import type { Network } from "@nts/shared/contract";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { HostEditor } from "../hosts/host-editor.js";
import { ScanImport } from "../imports/scan-import.js";
import { CopyField } from "../parts/copy.js";

const COMMAND = "sudo nmap -sV -oX scan.xml 192.168.1.0/24";

/** Fills the network: with a scan, or by hand. */
export function HostsStep({ network, onNext }: { readonly network: Network; readonly onNext: () => void }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  return (
    <Stack mt="md">
      <Text>
        Scan <strong>{network.name}</strong> with nmap, using your own address range, and import the result:
      </Text>
      <CopyField label="Command" value={COMMAND} />
      <ScanImport networkId={network.id} jobId={jobId} onJob={setJobId} />
      <Group justify="space-between">
        <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Add a host manually
        </Button>
        <Button variant="default" onClick={onNext}>
          Next: the map
        </Button>
      </Group>
      {isAdding && <HostEditor id={null} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
