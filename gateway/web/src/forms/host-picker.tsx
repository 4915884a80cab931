import { Select } from "@mantine/core";
import { type Host, listHosts } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import { withDetail } from "../parts/detail.js";

/** How many hosts are offered; a search finds others. */
const OFFERED = 50;

interface HostPickerProps {
  readonly label: string;
  /** The network of the hosts. */
  readonly networkId: string;
  /** A host that cannot be chosen. */
  readonly without?: string | undefined;
  /** Empty for none. */
  readonly value: string;
  /** The chosen host, if it is known already. */
  readonly chosen?: Host | undefined;
  readonly onChange: (id: string) => void;
  readonly error?: ReactNode;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

/** Selects a host of a network, by what the list of hosts can search for. */
export function HostPicker(props: HostPickerProps): ReactNode {
  const { label, networkId, without, value, chosen: known, onChange, error, required = false, autoFocus } = props;
  const [text, setText] = useState("");
  const [picked, setPicked] = useState<Option | null>(null);
  const chosen = known === undefined ? picked : optionOf(known);
  const isSearch = text !== "" && text !== chosen?.label;
  const found = useRows(
    listHosts,
    { query: { network_id: networkId, limit: OFFERED, order_by: "natural_name", q: isSearch ? text : undefined } },
    { enabled: networkId !== "" },
  );
  const others = (found.data?.data ?? []).filter(({ id }) => id !== without && id !== chosen?.value);
  const options: readonly Option[] = [...(chosen === null ? [] : [chosen]), ...others.map(optionOf)];
  return (
    <Select
      label={label}
      description="Search by name, address, MAC address or vendor"
      required={required}
      searchable
      clearable={!required}
      allowDeselect={!required}
      data-autofocus={autoFocus}
      data={[...options]}
      // The list is searched by the server.
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? "Searching…" : "No other host"}
      searchValue={text}
      onSearchChange={setText}
      value={value === "" ? null : value}
      onChange={(id) => {
        setPicked(id === null ? null : (options.find(({ value: one }) => one === id) ?? null));
        onChange(id ?? "");
      }}
      error={error}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
    />
  );
}

function optionOf({ id, name, hostname, interfaces }: Host): Option {
  const [first, ...more] = interfaces.map(({ ip_address }) => ip_address);
  const addresses =
    first === undefined ? "no address" : `${first}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return { value: id, label: withDetail(withDetail(name, hostname ?? ""), addresses) };
}
