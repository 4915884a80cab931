import { Anchor, Button } from "@mantine/core";
import { type Collector, listCollectors } from "@nts/shared/contract";
import { Plus, Radar } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRows } from "../api/queries.js";
import type { Column } from "../list/data-table.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { RowMenu } from "../parts/row-menu.js";
import { When } from "../parts/when.js";
import { collectorPath } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { useNetworkScope } from "../scope/networks.js";
import { CollectorState } from "./collector-badges.js";
import { scheduleText, targetsText } from "./texts.js";
import { useCollectorActions } from "./use-collector-actions.js";

const FIELDS = ["created_at", "name", "updated_at"] as const;
/** Polling interval in milliseconds: that a collector was heard is no change. */
const PACE_MS = 10_000;
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const COLUMNS: readonly Column<Collector>[] = [
  {
    id: "name",
    label: "Name",
    orderBy: "name",
    cell: ({ id, name }) => (
      <Anchor component={Link} to={collectorPath(id)} fw={600} size="sm">
        {name}
      </Anchor>
    ),
  },
  { id: "state", label: "State", cell: (collector) => <CollectorState collector={collector} /> },
  { id: "machine", label: "Machine", cell: ({ hostname }) => hostname },
  { id: "network", label: "Network", cell: ({ network_id }) => <NetworkLink id={network_id} /> },
  {
    id: "seen",
    label: "Last heard",
    numbers: true,
    narrow: true,
    cell: ({ last_seen_at }) => <When at={last_seen_at} />,
  },
  { id: "schedule", label: "Looks around", cell: ({ schedule }) => scheduleText(schedule, OWN_ZONE) },
  { id: "targets", label: "Where", optional: true, cell: ({ targets }) => targetsText(targets) },
];

/** Programs that look around in the networks. */
export default function CollectorsPage(): ReactNode {
  const state = useListState();
  const { networkId } = useNetworkScope();
  const { openEditor, actionsFor, windows } = useCollectorActions();
  const order_by = fieldOf(FIELDS, state.orderBy) ?? "name";
  const query = { ...state.query, order_by, ...(networkId !== null && { network_id: networkId }) };
  const rows = useRows(listCollectors, { query }, { everyMs: PACE_MS });
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => openEditor(null)}>
      New collector
    </Button>
  );
  return (
    <Page title="Collectors" about="Programs in your networks that look around and report." actions={add}>
      <ListView
        label="Collectors"
        rows={rows}
        state={state}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        actions={(collector) => <RowMenu name={collector.name} actions={actionsFor(collector)} />}
        empty={
          <EmptyState icon={Radar} title="No collectors" actions={add}>
            A collector runs on a machine of the network and keeps the map up to date by itself: one command, no open
            port, and nothing that logs in or changes anything.
          </EmptyState>
        }
      />
      {windows}
    </Page>
  );
}
