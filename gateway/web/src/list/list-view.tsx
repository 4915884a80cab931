import { Button, Pagination, Select, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import type { Rows } from "../api/queries.js";
import { EmptyState } from "../parts/empty-state.js";
import { FailureState } from "../parts/failure-state.js";
import { Panel } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { type Column, DataTable } from "./data-table.js";
import { type ListState, PAGE_SIZES } from "./list-state.js";
import classes from "./list-view.module.css";
import { Toolbar } from "./toolbar.js";
import type { Selecting } from "./use-selection.js";

export interface ListViewProps<Row> {
  readonly label: string;
  readonly rows: UseQueryResult<Rows<Row>>;
  readonly state: ListState;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** Shown if the unfiltered list is empty. */
  readonly empty: ReactNode;
  readonly toolbar?: ReactNode;
  readonly selection?: Selecting | undefined;
  /** Actions for selected rows. */
  readonly bulkActions?: ReactNode;
  readonly groupOf?: ((row: Row) => string) | undefined;
  readonly actions?: ((row: Row) => ReactNode) | undefined;
}

/** A page of a list with filters, selection, pagination and empty states. */
export function ListView<Row>(props: ListViewProps<Row>): ReactNode {
  const { rows, state, empty, toolbar, selection, bulkActions, ...table } = props;
  const { data, error, refetch, isPlaceholderData } = rows;
  const isNothing = data?.pagination.total_count === 0 && !state.isFiltered;
  if (isNothing) return <Panel>{empty}</Panel>;
  return (
    <Panel>
      {toolbar !== undefined && <Toolbar state={state}>{toolbar}</Toolbar>}
      {selection !== undefined && selection.ids.size > 0 && (
        <div className={classes.selected} role="status">
          <Text size="sm" fw={500} className="numbers">
            {selection.ids.size} selected
          </Text>
          {bulkActions}
          <Button variant="subtle" color="gray" size="compact-sm" onClick={selection.clear}>
            Clear
          </Button>
        </div>
      )}
      {error !== null && data === undefined ? (
        <FailureState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Waiting />
      ) : data.data.length === 0 ? (
        <NothingFound state={state} />
      ) : (
        <div className={isPlaceholderData ? classes.old : undefined} aria-busy={isPlaceholderData}>
          <DataTable
            {...table}
            rows={data.data}
            selection={selection}
            order={{
              by: state.orderBy,
              direction: state.direction,
              change: (order, direction) => state.change({ order, direction }),
            }}
          />
        </div>
      )}
      {data !== undefined && data.pagination.total_count > 0 && <Pages state={state} pagination={data.pagination} />}
    </Panel>
  );
}

function NothingFound({ state }: { readonly state: ListState }): ReactNode {
  return (
    <EmptyState
      icon={SearchX}
      title="No results"
      actions={
        <Button variant="default" onClick={state.clear}>
          Clear filters
        </Button>
      }
    >
      Try a different search or fewer filters.
    </EmptyState>
  );
}

function Pages({
  state,
  pagination,
}: {
  readonly state: ListState;
  readonly pagination: Rows<never>["pagination"];
}): ReactNode {
  const { total_count: total, offset, limit } = pagination;
  const pages = Math.max(1, Math.ceil(total / limit));
  return (
    <div className={classes.pages}>
      <Text size="sm" c="dimmed" className="numbers">
        {Math.min(offset + 1, total)}–{Math.min(offset + limit, total)} of {total.toLocaleString("en")}
      </Text>
      {total > PAGE_SIZES[0] && (
        <div className={classes.pager}>
          <Select
            aria-label="Rows per page"
            size="xs"
            w="5rem"
            allowDeselect={false}
            value={String(state.size)}
            data={PAGE_SIZES.map(String)}
            onChange={(size) => state.change({ size })}
          />
          {pages > 1 && (
            <Pagination
              size="sm"
              total={pages}
              value={state.page}
              siblings={0}
              onChange={(page) => state.change({ page: String(page) })}
              getControlProps={(control) => ({ "aria-label": `${control === "next" ? "Next" : "Previous"} page` })}
              getItemProps={(page) => ({ "aria-label": `Page ${page}` })}
            />
          )}
        </div>
      )}
    </div>
  );
}
