import { Anchor, Button, Group, Text } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { When } from "../parts/when.js";
import { activityPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import classes from "./activity.module.css";
import { type ChangeGroup, keyText } from "./entries.js";
import { EntryView } from "./entry-view.js";
import { useUndo } from "./use-undo.js";

/** Entries shown before the group is expanded. */
const SHOWN = 5;

interface RequestGroupProps {
  readonly group: ChangeGroup;
  readonly keyNames: ReadonlyMap<string, string>;
}

/** The changes of one request in order, with author, time and comment. */
export function RequestGroup({ group: { entries }, keyNames }: RequestGroupProps): ReactNode {
  const [isAll, setAll] = useState(false);
  const [newest] = entries;
  const { at, comment, request_id: requestId } = newest;
  const inOrder = entries.toReversed();
  const hidden = isAll ? 0 : Math.max(0, entries.length - SHOWN);
  return (
    <article className={classes.group}>
      <header className={classes.head}>
        <Text size="sm" component="span">
          <strong>{authorText(newest)}</strong>
          {keyText(newest, keyNames)}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          <When at={at} />
        </Text>
        {requestId !== null && <RequestLinks requestId={requestId} />}
      </header>
      {comment !== null && <p className={classes.comment}>{comment}</p>}
      <ul className={classes.entries}>
        {inOrder.slice(0, entries.length - hidden).map((entry) => (
          <li key={entry.cursor}>
            <EntryView entry={entry} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setAll(true)}>
          {hidden} more
        </Button>
      )}
    </article>
  );
}

function RequestLinks({ requestId }: { readonly requestId: string }): ReactNode {
  const may = useHasLevel("Member");
  const undo = useUndo();
  return (
    <Group gap="md" className={classes.request ?? ""}>
      {may && (
        <Anchor component="button" type="button" size="sm" onClick={() => undo(requestId)}>
          Undo
        </Anchor>
      )}
      <Anchor component={Link} to={activityPath({ request: requestId })} size="sm">
        This request
      </Anchor>
    </Group>
  );
}

function authorText({ actor, reconciled }: Change): string {
  if (actor === null) return reconciled ? "Detected by comparison" : "Unknown";
  return actor.email ?? "A user";
}
