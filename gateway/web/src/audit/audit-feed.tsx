import { Text } from "@mantine/core";
import type { AuditEntry } from "@nts/shared/contract";
import type { ReactNode } from "react";
import feed from "../activity/activity.module.css";
import { GroupedFeed } from "../activity/grouped-feed.js";
import { useKeyNames } from "../activity/key-names.js";
import { When } from "../parts/when.js";
import { AuditEntryView } from "./audit-entry.js";
import { authorText } from "./entries.js";
import type { ReadAudit } from "./source.js";

interface AuditFeedProps {
  readonly audit: ReadAudit;
  /** Shown if there are no entries. */
  readonly empty: ReactNode;
}

export function AuditFeed({ audit: { query, entries }, empty }: AuditFeedProps): ReactNode {
  const keyNames = useKeyNames();
  return (
    <GroupedFeed
      query={query}
      entries={entries}
      empty={empty}
      show={(group) => <Group entries={group.entries} keyNames={keyNames} />}
    />
  );
}

interface GroupProps {
  readonly entries: readonly [AuditEntry, ...AuditEntry[]];
  readonly keyNames: ReadonlyMap<string, string>;
}

/** The actions of one request in order, with author, address and time. */
function Group({ entries, keyNames }: GroupProps): ReactNode {
  const [newest] = entries;
  const { who, how } = authorText(newest, keyNames);
  return (
    <article className={feed.group}>
      <header className={feed.head}>
        <Text size="sm" component="span">
          <strong>{who}</strong>
          {how}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          <When at={newest.at} />
        </Text>
      </header>
      {newest.comment !== null && <p className={feed.comment}>{newest.comment}</p>}
      <ul className={feed.entries}>
        {entries.toReversed().map((entry) => (
          <li key={entry.cursor}>
            <AuditEntryView entry={entry} />
          </li>
        ))}
      </ul>
    </article>
  );
}
