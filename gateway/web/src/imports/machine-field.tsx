import { Autocomplete } from "@mantine/core";
import { type Host, listHosts } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";

/** The machine of a file: an existing host, or the host name of a new one. */
export type Machine = { readonly host_id: string } | { readonly hostname: string };

interface MachineFieldProps {
  readonly networkId: string;
  readonly onChange: (machine: Machine | null) => void;
  readonly error?: ReactNode;
}

const OFFERED = 20;

/** Selects the machine of a file. */
export function MachineField({ networkId, onChange, error }: MachineFieldProps): ReactNode {
  const [text, setText] = useState("");
  const name = text.trim();
  const query = {
    network_id: networkId,
    limit: OFFERED,
    order_by: "natural_name" as const,
    ...(name !== "" && { q: name }),
  };
  const { data } = useRows(listHosts, { query }, { enabled: networkId !== "" });
  const byLabel = new Map((data?.data ?? []).map((host) => [labelOf(host), host.id]));
  return (
    <Autocomplete
      label="Host the file comes from"
      description="An existing host, or the host name of a new one"
      placeholder="Search hosts, or enter a host name"
      required
      data={[...byLabel.keys()]}
      filter={({ options }) => options}
      value={text}
      onChange={(next) => {
        setText(next);
        const id = byLabel.get(next);
        const hostname = next.trim();
        onChange(id !== undefined ? { host_id: id } : hostname === "" ? null : { hostname });
      }}
      error={error}
    />
  );
}

function labelOf({ name, interfaces: [first] }: Host): string {
  return first === undefined ? name : `${name} (${first.ip_address})`;
}
