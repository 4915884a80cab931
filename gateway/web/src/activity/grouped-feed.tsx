import { Button } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { FailureState } from "../parts/failure-state.js";
import { PartRemark } from "../parts/part.js";
import { Waiting } from "../parts/waiting.js";
import classes from "./activity.module.css";
import { type ChangeGroup, groupsOf } from "./entries.js";
import type { ReadChanges } from "./sources.js";

type Paged = Pick<
  ReadChanges["query"],
  "error" | "isPlaceholderData" | "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError"
> & {
  readonly data: unknown;
  readonly refetch: () => Promise<unknown>;
  readonly fetchNextPage: () => Promise<unknown>;
};

interface GroupedFeedProps<Entry> {
  readonly query: Paged;
  /** Newest first. */
  readonly entries: readonly Entry[];
  /** Shown if there are no entries. */
  readonly empty: ReactNode;
  readonly show: (group: ChangeGroup<Entry>) => ReactNode;
}

/** Entries grouped by request, newest first, with a button to load older ones. */
export function GroupedFeed<Entry extends Pick<Change, "request_id" | "cursor">>({
  query,
  entries,
  empty,
  show,
}: GroupedFeedProps<Entry>): ReactNode {
  const { data, error, refetch, isPlaceholderData, hasNextPage } = query;
  const groups = groupsOf(entries);
  if (data === undefined)
    return error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />;
  if (groups.length === 0 && !hasNextPage) return empty;
  return (
    <div className={isPlaceholderData ? classes.old : undefined} aria-busy={isPlaceholderData}>
      <ol className={classes.groups}>
        {groups.map((group) => (
          <li key={group.id}>{show(group)}</li>
        ))}
      </ol>
      <Older query={query} isNothing={groups.length === 0} />
    </div>
  );
}

/** A page may be empty although more follow, because the API scans a limited number of entries at a time. */
function Older({ query, isNothing }: { readonly query: Paged; readonly isNothing: boolean }): ReactNode {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  if (isFetchNextPageError) return <FailureState error={error} onRetry={() => void fetchNextPage()} />;
  if (!hasNextPage) return <PartRemark>No older entries.</PartRemark>;
  return (
    <div className={classes.older}>
      {isNothing && <p>Nothing found so far.</p>}
      <Button variant="default" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Older
      </Button>
    </div>
  );
}
