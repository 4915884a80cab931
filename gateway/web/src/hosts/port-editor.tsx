import { NumberInput, Select } from "@mantine/core";
import { createPort, getPort, type Host, type Protocol, PROTOCOLS, updatePort } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";

interface Values extends Record<string, unknown> {
  /** A string while it is not a number. */
  readonly number: number | string;
  readonly protocol: Protocol;
}

export function PortEditor({ host, ...props }: EditorProps & { readonly host: Host }): ReactNode {
  return (
    <EntityEditor
      {...props}
      noun="port"
      operations={{ read: getPort, create: createPort, update: updatePort }}
      valuesOf={(port): Values => ({ number: port?.number ?? "", protocol: port?.protocol ?? "Tcp" })}
      bodyOf={({ number, protocol }) => ({
        host_id: host.id,
        network_id: host.network_id,
        number: Number(number),
        protocol,
      })}
    >
      {(form) => (
        <>
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
            data={PROTOCOLS.map((value) => ({ value, label: value.toUpperCase() }))}
            {...form.getInputProps("protocol")}
          />
        </>
      )}
    </EntityEditor>
  );
}
