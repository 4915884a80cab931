import { Anchor, Text } from "@mantine/core";
import {
  deleteInterface,
  type Host,
  type Interface,
  listSubnets,
  type Subnet,
  updateInterface,
} from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useRows, useWrite } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { detailBeside } from "../parts/detail.js";
import { EditMenu } from "../parts/edit-menu.js";
import { ListPart } from "../parts/part.js";
import { SeenName } from "../parts/seen.js";
import { notifyFailure } from "../parts/toast.js";
import { subnetPath } from "../paths.js";
import { InterfaceEditor } from "./interface-editor.js";

/** The interfaces of a host, by position. */
export function InterfacesPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const subnets = useRows(
    listSubnets,
    { query: { ids: [...new Set(host.interfaces.map((one) => one.subnet_id))], limit: 1000 } },
    { enabled: host.interfaces.length > 0 },
  );
  const blocks = new Map(subnets.data?.data.map(({ id, cidr, name }) => [id, { cidr, name }]));
  const move = useWrite(updateInterface);
  const { removeOne } = useRemoval({
    one: deleteInterface,
    noun: "interface",
    consequence: "Service bindings that refer to it are removed as well.",
  });
  const moveTo = (one: Interface, position: number): void => {
    move.mutate({ params: { id: one.id }, body: { ...one, position } }, { onError: notifyFailure });
  };
  return (
    <>
      <ListPart
        title="Interfaces"
        count={host.interfaces.length}
        none="No interfaces."
        add={mayWrite ? { label: "Add interface", run: () => setEdited({ id: null }) } : undefined}
      >
        <DataTable
          label="Interfaces"
          columns={columnsOf(blocks)}
          rows={host.interfaces}
          idOf={({ id }) => id}
          nameOf={({ ip_address }) => ip_address}
          actions={
            mayWrite
              ? (one) => (
                  <EditMenu
                    name={one.ip_address}
                    onEdit={() => setEdited({ id: one.id })}
                    onDelete={() => removeOne(one.id, one.ip_address)}
                    place={{
                      position: one.position,
                      count: host.interfaces.length,
                      moveTo: (position) => moveTo(one, position),
                    }}
                  />
                )
              : undefined
          }
        />
      </ListPart>
      {edited !== null && <InterfaceEditor host={host} id={edited.id} onClose={() => setEdited(null)} />}
    </>
  );
}

function columnsOf(blocks: ReadonlyMap<string, Pick<Subnet, "cidr" | "name">>): readonly Column<Interface>[] {
  return [
    { id: "name", label: "Name", cell: ({ name }) => <strong>{name ?? "–"}</strong> },
    {
      id: "address",
      label: "Address",
      cell: (one) => (
        <>
          <SeenName of={one} className="mono">
            {one.ip_address}
          </SeenName>
          {one.is_separate === true && (
            <Text size="xs" c="dimmed">
              kept apart by imports
            </Text>
          )}
        </>
      ),
    },
    {
      id: "mac",
      label: "MAC address",
      cell: ({ mac_address }) => mac_address !== null && <span className="mono">{mac_address}</span>,
    },
    {
      id: "subnet",
      label: "Subnet",
      cell: ({ subnet_id }) => {
        const subnet = blocks.get(subnet_id);
        return (
          subnet !== undefined && (
            <Anchor component={Link} to={subnetPath(subnet_id)} size="sm">
              <span className="mono">{subnet.cidr}</span> {detailBeside(subnet.cidr, subnet.name)}
            </Anchor>
          )
        );
      },
    },
  ];
}
