import { Anchor, Button, Text } from "@mantine/core";
import { type AlikeHosts, reportDuplicates, type SameMember } from "@nts/shared/contract";
import { CopyCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import type { Column } from "../list/data-table.js";
import { useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { reportRows } from "../list/report-rows.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { hostPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { MergeWindow } from "./merge-window.js";

const SAME: Readonly<Record<SameMember, string>> = {
  serial: "Serial number",
  mac_address: "MAC address",
  ip_address: "Address",
  duid: "DUID",
  machine_id: "Machine id",
  hostname: "Host name",
  name: "Name",
};

/** Hosts that may be one machine, to review and merge. */
export default function DuplicatesPage(): ReactNode {
  const state = useListState();
  const may = useHasLevel("Member");
  const [merged, setMerged] = useState<AlikeHosts | null>(null);
  const { networkId, nameOf, networks } = useNetworkScope();
  const report = useOne(reportDuplicates, { query: { network_id: networkId ?? undefined } });
  const rows = reportRows(report, report.data?.data.duplicates ?? [], state);
  const [host, other] = merged?.hosts ?? [];
  return (
    <Page title="Duplicates">
      <ListView
        label="Hosts that may be one machine"
        rows={rows}
        state={state}
        columns={columnsFor(nameOf, networks.length > 1)}
        idOf={({ same, value, network_id }) => `${same} ${network_id} ${value}`}
        nameOf={({ value }) => value}
        {...(may && {
          actions: (row: AlikeHosts) => (
            <Button size="compact-sm" variant="default" onClick={() => setMerged(row)}>
              Merge…
            </Button>
          ),
        })}
        empty={
          <EmptyState icon={CopyCheck} title="No two hosts are alike">
            Hosts of a network with the same serial number, MAC address, address, machine id, host name or name are
            listed here.
          </EmptyState>
        }
      />
      {report.data?.data.complete === false && (
        <Text size="sm" c="dimmed">
          There are more of them: merge some of these, or choose a network.
        </Text>
      )}
      {merged !== null && host !== undefined && (
        <MergeWindow
          host={{ ...host, network_id: merged.network_id }}
          other={other?.id}
          onClose={() => setMerged(null)}
        />
      )}
    </Page>
  );
}

const columnsFor = (nameOf: (networkId: string) => string, hasNetworks: boolean): readonly Column<AlikeHosts>[] => [
  {
    id: "hosts",
    label: "Hosts",
    cell: ({ hosts, count }) => (
      <>
        {hosts.map(({ id, name, addresses }) => (
          <div key={id}>
            <Anchor component={Link} to={hostPath(id)} fw={600} inherit>
              {name}
            </Anchor>{" "}
            <Text span c="dimmed" className="mono" inherit>
              {addresses.join(" ")}
            </Text>
          </div>
        ))}
        {count > hosts.length && (
          <Text c="dimmed" inherit>
            and {count - hosts.length} more
          </Text>
        )}
      </>
    ),
  },
  { id: "same", label: "Have the same", cell: ({ same }) => SAME[same] },
  { id: "value", label: "Value", cell: ({ value }) => <span className="mono">{value}</span> },
  ...(hasNetworks
    ? [{ id: "network", label: "Network", cell: ({ network_id }: AlikeHosts) => nameOf(network_id) }]
    : []),
];
