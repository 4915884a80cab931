import { Button, Divider, Group, Stack, Text } from "@mantine/core";
import { createCollector, type CreatedCollector, type Network } from "@nts/shared/contract";
import { Plus, Radar } from "lucide-react";
import { type ReactNode, useState } from "react";
import { HostEditor } from "../hosts/host-editor.js";
import { ScanImport } from "../imports/scan-import.js";
import { useWrite } from "../api/queries.js";
import { CommandWindow } from "../collectors/command-window.js";
import { CopyField } from "../parts/copy.js";
import { notifyFailure } from "../parts/toast.js";
import { useHasLevel } from "../session/session.js";

/** Characters of a name. */
const MOST_NAME = 100;
const COMMAND = "sudo nmap -sV -oX scan.xml 192.168.1.0/24";

/** Fills the network: by a collector, with a scan, or by hand. */
export function HostsStep({ network, onNext }: { readonly network: Network; readonly onNext: () => void }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const [created, setCreated] = useState<CreatedCollector | null>(null);
  const mayCollect = useHasLevel("Admin");
  const create = useWrite(createCollector);
  const start = (): void => {
    const body = { network_id: network.id, name: `Collector of ${network.name}`.slice(0, MOST_NAME) };
    create.mutate({ body }, { onSuccess: setCreated, onError: notifyFailure });
  };
  return (
    <Stack mt="md">
      {mayCollect && (
        <>
          <Text>
            Let a machine of <strong>{network.name}</strong> look around, again and again. It needs one command, no open
            port, and sends nothing but questions:
          </Text>
          <Group>
            <Button leftSection={<Radar size={16} aria-hidden />} loading={create.isPending} onClick={start}>
              Set up a collector
            </Button>
          </Group>
          <Divider label="or once, with a file" />
        </>
      )}
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
      {created !== null && <CommandWindow created={created} onClose={() => setCreated(null)} />}
      {isAdding && <HostEditor id={null} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
