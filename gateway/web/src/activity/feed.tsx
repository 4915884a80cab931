import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { FailureState } from "../parts/failure-state.js";
import { PartRemark } from "../parts/part.js";
import { Waiting } from "../parts/waiting.js";
import classes from "./activity.module.css";
import { groupsOf } from "./entries.js";
import { useKeyNames } from "./key-names.js";
import { RequestGroup } from "./request-group.js";
import type { ReadChanges } from "./sources.js";

interface FeedProps {
  readonly changes: ReadChanges;
  /** Stands there when there is nothing. */
  readonly empty: ReactNode;
}

/** Entries of the journal, the newest first and those of one request together, and the way to older ones. */
export function Feed({ changes, empty }: FeedProps): ReactNode {
  const { query, entries } = changes;
  const { data, error, refetch, isPlaceholderData, hasNextPage } = query;
  const keyNames = useKeyNames();
  const groups = groupsOf(entries);
  if (data === undefined)
    return error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />;
  if (groups.length === 0 && !hasNextPage) return empty;
  return (
    <div className={isPlaceholderData ? classes.old : undefined} aria-busy={isPlaceholderData}>
      <ol className={classes.groups}>
        {groups.map((group) => (
          <li key={group.id}>
            <RequestGroup group={group} keyNames={keyNames} />
          </li>
        ))}
      </ol>
      <Older query={query} isNothing={groups.length === 0} />
    </div>
  );
}

type Paged = Pick<ReadChanges["query"], "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "error"> & {
  readonly fetchNextPage: () => Promise<unknown>;
};

/** A page may be empty while there is more behind it: the API looks through so many entries at a time. */
export function Older({ query, isNothing }: { readonly query: Paged; readonly isNothing: boolean }): ReactNode {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  if (isFetchNextPageError) return <FailureState error={error} onRetry={() => void fetchNextPage()} />;
  if (!hasNextPage) return <PartRemark>There is nothing older.</PartRemark>;
  return (
    <div className={classes.older}>
      {isNothing && <p>Nothing found so far.</p>}
      <Button variant="default" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Older
      </Button>
    </div>
  );
}
