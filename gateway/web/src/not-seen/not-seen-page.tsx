import { Button } from "@mantine/core";
import {
  bulkDeleteDependencies,
  bulkDeleteHosts,
  bulkDeleteInterfaces,
  bulkDeletePorts,
  bulkDeleteServices,
  type GoneEntity,
  reportGone,
  SIGHTED_KINDS,
} from "@nts/shared/contract";
import { Eye } from "lucide-react";
import type { ReactNode } from "react";
import { useOne, usePlan, useSend } from "../api/queries.js";
import { ImportLink } from "../imports/import-link.js";
import type { Column } from "../list/data-table.js";
import { ChoiceFilter, ManyFilter } from "../list/filters.js";
import { useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { reportRows } from "../list/report-rows.js";
import { UNDOABLE_LARGE } from "../list/undo-text.js";
import { type Selecting, useSelection } from "../list/use-selection.js";
import { useConfirm } from "../forms/confirm.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { SeenName } from "../parts/seen.js";
import { entityName } from "../parts/texts.js";
import { notifySuccess } from "../parts/toast.js";
import { When } from "../parts/when.js";
import { hostPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { byHost, deletionsOf, joined } from "./not-seen.rules.js";

const DELETES = {
  Host: bulkDeleteHosts,
  Interface: bulkDeleteInterfaces,
  Port: bulkDeletePorts,
  Service: bulkDeleteServices,
  Dependency: bulkDeleteDependencies,
} as const;

const USUAL_DAYS = "0";
const DAYS = [
  { value: USUAL_DAYS, label: "Any time" },
  { value: "7", label: "Not seen for a week" },
  { value: "21", label: "Not seen for 3 weeks" },
  { value: "90", label: "Not seen for 3 months" },
];

const columnsFor = (nameOf: (networkId: string) => string, hasNetworks: boolean): readonly Column<GoneEntity>[] => [
  {
    id: "name",
    label: "Name",
    phone: "first",
    cell: (one) => (
      <SeenName of={one} to={hostPath(one.host_id)}>
        {entityName(one)}
      </SeenName>
    ),
  },
  { id: "kind", label: "Kind", phone: "first-end", cell: ({ entity }) => entity },
  ...(hasNetworks
    ? [{ id: "network", label: "Network", cell: ({ network_id }: GoneEntity) => nameOf(network_id) }]
    : []),
  { id: "by", label: "Last seen by", optional: true, cell: ({ seen }) => seen?.by ?? "" },
  {
    id: "seen",
    label: "Last seen",
    numbers: true,
    narrow: true,
    cell: ({ seen }) => <When at={seen?.last_at ?? null} />,
  },
  {
    id: "missed",
    label: "Noticed",
    numbers: true,
    narrow: true,
    cell: ({ missed_since: at }) => <When at={at} />,
  },
];

/** Entities that imports have not found for some time, to review and delete. */
export default function GonePage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const may = useHasLevel("Member");
  const { networkId, nameOf, networks } = useNetworkScope();
  const days = state.valuesOf("days")[0] ?? USUAL_DAYS;
  const report = useOne(reportGone, { query: { days: Number(days), network_id: networkId ?? undefined } });
  const gone = byHost(report.data?.data.gone ?? []);
  const kinds = state.valuesOf("kind");
  const shown = gone.filter(({ entity }) => kinds.length === 0 || kinds.includes(entity));
  const removeSelected = useRemovalOf(gone, selection.ids, selection.clear);
  return (
    <Page title="Not seen">
      <ListView
        label="Not seen by imports"
        rows={reportRows(report, shown, state)}
        state={state}
        columns={columnsFor(nameOf, networks.length > 1)}
        idOf={({ id }) => id}
        nameOf={entityName}
        groupOf={({ host_name }) => host_name}
        selection={may ? selection : undefined}
        bulkActions={<BulkActions selection={selection} shown={shown} onRemove={removeSelected} />}
        toolbar={
          <>
            <ChoiceFilter state={state} name="days" label="Not seen for" data={DAYS} usual={USUAL_DAYS} />
            <ManyFilter
              state={state}
              name="kind"
              label="Kind"
              data={SIGHTED_KINDS.map((kind) => ({ value: kind, label: kind }))}
            />
          </>
        }
        empty={
          <EmptyState icon={Eye} title="Everything was seen" actions={may && <ImportLink />}>
            What an import has found appears here once a later import of the same place has not seen it. Import
            regularly, for example with <code>nts collect</code>.
          </EmptyState>
        }
      />
    </Page>
  );
}

interface BulkActionsProps {
  readonly selection: Selecting;
  readonly shown: readonly GoneEntity[];
  readonly onRemove: () => void;
}

function BulkActions({ selection, shown, onRemove }: BulkActionsProps): ReactNode {
  const selectAll = (): void => {
    selection.toggle(
      shown.map(({ id }) => id),
      true,
    );
  };
  return (
    <>
      <Button size="compact-sm" color="red" variant="light" onClick={onRemove}>
        Delete
      </Button>
      {selection.ids.size < shown.length && (
        <Button size="compact-sm" variant="default" onClick={selectAll}>
          Select all {shown.length}
        </Button>
      )}
    </>
  );
}

/** Deletes the selection after a preview. */
function useRemovalOf(gone: readonly GoneEntity[], chosen: ReadonlySet<string>, afterwards: () => void): () => void {
  const ask = useConfirm();
  const showPlan = usePlan();
  const send = useSend();
  return () => {
    const deletions = deletionsOf(gone, chosen);
    const what = chosen.size === 1 ? "1 entry" : `${chosen.size} entries`;
    ask({
      title: `Delete ${what}?`,
      text: `Interfaces, ports and services of a deleted host are deleted as well, and so are bindings to deleted interfaces and ports. ${UNDOABLE_LARGE} Each kind is a request of its own there.`,
      verb: `Delete ${what}`,
      plan: async () =>
        joined(await Promise.all(deletions.map(({ entity, ids }) => showPlan(DELETES[entity], { body: [...ids] })))),
      run: async () => {
        for (const { entity, ids } of deletions) await send(DELETES[entity], { body: [...ids] });
        afterwards();
        notifySuccess(`${what} deleted.`);
      },
    });
  };
}
