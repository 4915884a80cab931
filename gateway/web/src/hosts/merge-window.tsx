import { Select, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type Host, listHosts, mergeHosts } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { withDetail } from "../parts/detail.js";

/** How many hosts are offered; a search finds others. */
const OFFERED = 50;

interface MergeWindowProps {
  readonly host: Host;
  readonly onClose: () => void;
}

/** Merges another host into this one. */
export function MergeWindow({ host, onClose }: MergeWindowProps): ReactNode {
  const form = useForm({ initialValues: { host_id: "" } });
  return (
    <FormWindow
      title={`Merge another host into ${host.name}`}
      size="lg"
      form={form}
      onClose={onClose}
      verb="Merge"
      done="Hosts merged."
      reviews="first"
      submit={({ host_id }, send) => send(mergeHosts, { params: { id: host.id }, body: { host_id } })}
    >
      <Text size="sm">
        For two hosts that are one machine. The interfaces, ports and services of the other host move here, what both
        have becomes one, and the other host is deleted. Reverting the change brings it back.
      </Text>
      <OtherHostField
        host={host}
        value={form.getValues().host_id}
        onChange={(id) => form.setFieldValue("host_id", id)}
        error={form.errors["host_id"]}
      />
    </FormWindow>
  );
}

interface OtherHostFieldProps {
  readonly host: Host;
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly error: ReactNode;
}

/** Selects another host of the same network, by what the list of hosts can search for. */
function OtherHostField({ host, value, onChange, error }: OtherHostFieldProps): ReactNode {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const isSearch = text !== "" && text !== chosen?.label;
  const found = useRows(listHosts, {
    query: { network_id: host.network_id, limit: OFFERED, order_by: "name", q: isSearch ? text : undefined },
  });
  const others = (found.data?.data ?? []).filter(({ id }) => id !== host.id && id !== chosen?.value);
  const options = [
    ...(chosen === null ? [] : [chosen]),
    ...others.map((one) => ({ value: one.id, label: labelOf(one) })),
  ];
  return (
    <Select
      label="Other host"
      description="Search by name, address, MAC address or vendor"
      required
      searchable
      allowDeselect={false}
      data-autofocus
      data={options}
      // The list is searched by the server.
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? "Searching…" : "No other host"}
      searchValue={text}
      onSearchChange={setText}
      value={value === "" ? null : value}
      onChange={(id) => {
        setChosen(id === null ? null : (options.find(({ value: one }) => one === id) ?? null));
        onChange(id ?? "");
      }}
      error={error}
    />
  );
}

function labelOf({ name, hostname, interfaces }: Host): string {
  const [first, ...more] = interfaces.map(({ ip_address }) => ip_address);
  const addresses =
    first === undefined ? "no address" : `${first}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return withDetail(withDetail(name, hostname ?? ""), addresses);
}
