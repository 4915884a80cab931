import { deletePort, type Host, type Port } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import type { OpenEditor } from "../forms/for-editing.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { EditMenu } from "../parts/edit-menu.js";
import { ListPart } from "../parts/part.js";
import { SeenName } from "../parts/seen.js";
import { CertificateText } from "./observed.js";
import { PortEditor } from "./port-editor.js";
import { portText } from "./texts.js";

const COLUMNS: readonly Column<Port>[] = [
  {
    id: "port",
    label: "Port",
    numbers: true,
    cell: (port) => (
      <SeenName of={port} className="mono">
        {portText(port)}
      </SeenName>
    ),
  },
  { id: "type", label: "Type", cell: ({ type }) => type },
];

/** Absent if no source says anything. */
const CERTIFICATE: Column<Port> = {
  id: "certificate",
  label: "Certificate",
  cell: (port) => <CertificateText {...port} />,
};
const TITLE: Column<Port> = { id: "title", label: "Page title", cell: ({ observed }) => observed?.title?.value };

function columnsOf(ports: readonly Port[]): readonly Column<Port>[] {
  return [
    ...COLUMNS,
    ...(ports.some(({ observed }) => (observed?.certificate ?? null) !== null) ? [CERTIFICATE] : []),
    ...(ports.some(({ observed }) => (observed?.title ?? null) !== null) ? [TITLE] : []),
  ];
}

export function PortsPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const { removeOne } = useRemoval({
    one: deletePort,
    noun: "port",
    consequence: "Service bindings that refer to it are removed as well.",
  });
  const ports = [...host.ports].sort((a, b) => a.number - b.number || (a.protocol < b.protocol ? -1 : 1));
  return (
    <>
      <ListPart
        title="Ports"
        count={ports.length}
        none="No ports. Services are bound to ports."
        add={mayWrite ? { label: "Add port", run: () => setEdited({ id: null }) } : undefined}
      >
        <DataTable
          label="Ports"
          columns={columnsOf(ports)}
          rows={ports}
          idOf={({ id }) => id}
          nameOf={portText}
          actions={
            mayWrite
              ? (port) => (
                  <EditMenu
                    name={portText(port)}
                    onEdit={() => setEdited({ id: port.id })}
                    onDelete={() => removeOne(port.id, portText(port))}
                  />
                )
              : undefined
          }
        />
      </ListPart>
      {edited !== null && <PortEditor host={host} id={edited.id} onClose={() => setEdited(null)} />}
    </>
  );
}
