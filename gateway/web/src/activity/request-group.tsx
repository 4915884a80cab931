import { Anchor, Group, Text } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import { Fragment, type ReactNode } from "react";
import { Link } from "react-router";
import { changeActionText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import { activityPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import classes from "./activity.module.css";
import { type ChangeGroup, keyText } from "./entries.js";
import { EntryView } from "./entry-view.js";
import { ExpandableLine } from "./expandable-line.js";
import { type Doing, doingsOf } from "./request-text.js";
import { useUndo } from "./use-undo.js";

interface RequestGroupProps {
  readonly group: ChangeGroup;
  readonly keyNames: ReadonlyMap<string, string>;
  /** Shows the changes of a request at once. */
  readonly isOpen: boolean;
}

/** What one request did, in a line with author, time and comment; it expands to its changes. */
export function RequestGroup({ group: { entries }, keyNames, isOpen }: RequestGroupProps): ReactNode {
  const [newest] = entries;
  const { at, comment, request_id: requestId } = newest;
  const isUndoable = entries.some(({ action }) => action !== "missed" && action !== "returned");
  const about = (
    <div className={classes.head}>
      <Text size="sm" c="dimmed" component="span">
        <strong>{authorText(newest)}</strong>
        {keyText(newest, keyNames)}
      </Text>
      <Text size="sm" c="dimmed" component="span">
        <When at={at} />
      </Text>
      {requestId !== null && <RequestLinks requestId={requestId} isUndoable={isUndoable} />}
    </div>
  );
  return (
    <article className={classes.group}>
      {entries.length === 1 ? (
        <EntryView entry={newest} aside={about} />
      ) : (
        <Several entries={entries} isOpen={isOpen} aside={about} />
      )}
      {comment !== null && <p className={classes.comment}>{comment}</p>}
    </article>
  );
}

interface SeveralProps {
  readonly entries: readonly Change[];
  readonly isOpen: boolean;
  /** At the end of the line. */
  readonly aside: ReactNode;
}

/** Several changes, joined in a line. */
function Several({ entries, isOpen, aside }: SeveralProps): ReactNode {
  const line = (
    <span className={classes.what}>
      {doingsOf(entries).map((doing, index) => (
        <Fragment key={doing.action}>
          {index > 0 && "; "}
          <DoingText {...doing} />
        </Fragment>
      ))}
    </span>
  );
  const details = (): ReactNode => (
    <ul className={classes.entries}>
      {entries.toReversed().map((entry) => (
        <li key={entry.cursor}>
          <EntryView entry={entry} />
        </li>
      ))}
    </ul>
  );
  return <ExpandableLine isOpenAtFirst={isOpen} line={line} aside={aside} details={details} />;
}

function DoingText({ action, entity, name, rest }: Doing): ReactNode {
  return (
    <>
      {changeActionText(action)}{" "}
      {name !== null && (
        <>
          <span className={classes.kind}>{entity}</span> <strong>{name}</strong>{" "}
        </>
      )}
      {rest}
    </>
  );
}

interface RequestLinksProps {
  readonly requestId: string;
  /** False if imports have only missed something, or found it again. */
  readonly isUndoable: boolean;
}

function RequestLinks({ requestId, isUndoable }: RequestLinksProps): ReactNode {
  const may = useHasLevel("Member");
  const undo = useUndo();
  return (
    <Group gap="md" className={classes.request ?? ""}>
      {may && isUndoable && (
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
