import { NumberInput, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createPort, deletePort, type Host, type Port, PROTOCOLS } from "@nts/shared/contract";
import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { RowMenu } from "../parts/row-menu.js";
import { Part } from "./part.js";
import { portText } from "./texts.js";

const COLUMNS: readonly Column<Port>[] = [
  { id: "port", label: "Port", numbers: true, cell: (port) => <span className="mono">{portText(port)}</span> },
  { id: "type", label: "Known as", cell: ({ type }) => type },
];

/** The ports of a host, by number. */
export function PortsPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const { removeOne } = useRemoval({
    one: deletePort,
    noun: "port",
    consequence: "The bindings of services that name it go too.",
  });
  const ports = [...host.ports].sort((a, b) => a.number - b.number || (a.protocol < b.protocol ? -1 : 1));
  return (
    <>
      <Part
        title="Ports"
        count={ports.length}
        none="No port yet. Services are bound to ports."
        add={mayWrite ? { label: "Add a port", run: () => setAdding(true) } : undefined}
      >
        <DataTable
          label="Ports"
          columns={COLUMNS}
          rows={ports}
          idOf={({ id }) => id}
          nameOf={portText}
          actions={
            mayWrite
              ? (port) => (
                  <RowMenu
                    name={portText(port)}
                    actions={[
                      {
                        label: "Delete",
                        icon: Trash2,
                        isDestructive: true,
                        run: () => removeOne(port.id, portText(port)),
                      },
                    ]}
                  />
                )
              : undefined
          }
        />
      </Part>
      {isAdding && <PortForm host={host} onClose={() => setAdding(false)} />}
    </>
  );
}

function PortForm({ host, onClose }: { readonly host: Host; readonly onClose: () => void }): ReactNode {
  const create = useWrite(createPort);
  const form = useForm<{ number: number | string; protocol: Port["protocol"] }>({
    initialValues: { number: "", protocol: "Tcp" },
  });
  return (
    <FormWindow
      title="New port"
      form={form}
      onClose={onClose}
      verb="Create"
      done="The port is there."
      submit={({ number, protocol }) =>
        create.mutateAsync({
          body: { host_id: host.id, network_id: host.network_id, number: Number(number), protocol },
        })
      }
    >
      <NumberInput
        label="Number"
        required
        hideControls
        allowDecimal={false}
        data-autofocus
        {...form.getInputProps("number")}
      />
      <Select
        label="Protocol"
        required
        allowDeselect={false}
        data={[...PROTOCOLS]}
        {...form.getInputProps("protocol")}
      />
    </FormWindow>
  );
}
