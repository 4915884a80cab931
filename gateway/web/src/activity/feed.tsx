import type { ReactNode } from "react";
import { GroupedFeed } from "./grouped-feed.js";
import { useKeyNames } from "./key-names.js";
import { RequestGroup } from "./request-group.js";
import type { ReadChanges } from "./sources.js";

interface FeedProps {
  readonly changes: ReadChanges;
  /** Stands there when there is nothing. */
  readonly empty: ReactNode;
}

/** Entries of the journal. */
export function Feed({ changes: { query, entries }, empty }: FeedProps): ReactNode {
  const keyNames = useKeyNames();
  return (
    <GroupedFeed
      query={query}
      entries={entries}
      empty={empty}
      show={(group) => <RequestGroup group={group} keyNames={keyNames} />}
    />
  );
}
