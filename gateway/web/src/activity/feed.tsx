import type { ReactNode } from "react";
import { GroupedFeed } from "./grouped-feed.js";
import { useKeyNames } from "./key-names.js";
import { RequestGroup } from "./request-group.js";
import type { ReadChanges } from "./sources.js";

interface FeedProps {
  readonly changes: ReadChanges;
  /** Shown if there are no entries. */
  readonly empty: ReactNode;
  /** Shows the changes of each request at once. */
  readonly isOpen?: boolean;
}

export function Feed({ changes: { query, entries }, empty, isOpen = false }: FeedProps): ReactNode {
  const keyNames = useKeyNames();
  return (
    <GroupedFeed
      query={query}
      entries={entries}
      empty={empty}
      show={(group) => <RequestGroup group={group} keyNames={keyNames} isOpen={isOpen} />}
    />
  );
}
