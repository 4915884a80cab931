import { Button } from "@mantine/core";
import {
  bulkDeleteNetworks,
  deleteNetwork,
  getStats,
  listNetworks,
  type Network,
  type Stats,
} from "@nts/shared/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { NetworkIcon, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Rows, useOne, useRows } from "../api/queries.js";
import { ExportButton } from "../exports/export-button.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { changedColumn } from "../list/changed-column.js";
import type { Column } from "../list/data-table.js";
import { EditableList } from "../list/editable-list.js";
import { SearchFilter } from "../list/filters.js";
import { fieldOf, type ListState, useListState } from "../list/list-state.js";
import { naturally } from "../list/natural-order.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { useHasLevel } from "../session/session.js";
import { StatsPart } from "../stats/stats-part.js";
import { TagBadges } from "../tags/tag-badges.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { NetworkLink } from "../scope/network-link.js";
import { NetworkEditor } from "./network-editor.js";

const FIELDS = ["name", "created_at", "updated_at"] as const;

export default function NetworksPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Admin");
  const [edited, setEdited] = useState<OpenEditor>(null);
  const rows = naturally(useNetworks(state), state);
  const stats = useOne(getStats, {}).data?.data;
  const removal = useRemoval({
    one: deleteNetwork,
    many: bulkDeleteNetworks,
    noun: "network",
    consequence: "All of its subnets, hosts, interfaces, ports and services are deleted as well.",
    selection,
  });
  const add = may && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({ id: null })}>
      New network
    </Button>
  );
  return (
    <Page
      title="Networks"
      about="Hosts and subnets belong to a network. Users and API keys can be limited to networks."
      actions={
        <>
          {(state.isFiltered || rows.data?.data.length !== 0) && <ExportButton />}
          {add}
        </>
      }
    >
      <EditableList
        label="Networks"
        rows={rows}
        state={state}
        columns={columnsOf(tags, stats)}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={({ id }) => setEdited({ id })}
        toolbar={<SearchFilter state={state} placeholder="Search by name" />}
        empty={
          <EmptyState icon={NetworkIcon} title="No networks" actions={add}>
            {may
              ? "Create one for each site or segment."
              : "You do not have access to any network. Ask an Owner or Admin of your organization."}
          </EmptyState>
        }
      />
      {stats !== undefined && stats.totals.hosts > 0 && <StatsPart stats={stats} />}
      {edited !== null && <NetworkEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function useNetworks(state: ListState): UseQueryResult<Rows<Network>> {
  return useRows(listNetworks, {
    query: {
      ...state.query,
      order_by: fieldOf(FIELDS, state.orderBy) ?? "name",
      q: state.text === "" ? undefined : state.text,
    },
  });
}

function columnsOf(tags: KnownTags, stats: Stats | undefined): readonly Column<Network>[] {
  return [
    { id: "name", label: "Name", orderBy: "name", cell: ({ id }) => <NetworkLink id={id} /> },
    ...(["subnets", "hosts", "services"] as const).map((kind) => amount(stats, kind)),
    { id: "tags", label: "Tags", cell: (network) => <TagBadges tags={network.tags} known={tags} /> },
    changedColumn(),
  ];
}

/** Number of entities in a network; nothing if unknown. */
function amount(stats: Stats | undefined, kind: "subnets" | "hosts" | "services"): Column<Network> {
  const counts = new Map(stats?.networks.map((one) => [one.id, one[kind]]));
  return {
    ...{ id: kind, label: kind.charAt(0).toUpperCase() + kind.slice(1), numbers: true, narrow: true },
    cell: ({ id }) => counts.get(id)?.toLocaleString("en"),
  };
}
