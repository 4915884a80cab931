import { Alert, Button } from "@mantine/core";
import type { Endpoint, Permission } from "@nts/shared/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { Pencil, Trash2, Waypoints } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useNavigate } from "react-router";
import { describeFailure } from "../api/failure.js";
import type { Revised } from "../api/queries.js";
import { useRemoval } from "./use-removal.js";
import { useHasLevel } from "../session/session.js";
import { mapPath } from "../paths.js";
import { FailureState } from "../parts/failure-state.js";
import { Beside, Page } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { BackLink } from "../parts/back-link.js";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface EntityPageProps<One extends Named> {
  readonly read: UseQueryResult<Revised<One>>;
  /** Singular, such as `host`; the plural has an s. */
  readonly noun: string;
  /** The path of the list. */
  readonly list: string;
  readonly remove: Endpoint;
  /** What a deletion also deletes. */
  readonly consequence: string;
  /** What else follows from a deletion. */
  readonly stopsWith?: (id: string) => ReactNode;
  readonly editor: (id: string, close: () => void) => ReactNode;
  /** The history, which is also shown after deletion. */
  readonly history: ReactNode;
  /** The level that editing takes; Member if absent. */
  readonly needs?: Permission;
  /** The link to the map, if it is not to a node of it. */
  readonly onMap?: (one: One) => ReactNode;
  /** Further actions, for those who may write. */
  readonly actions?: (one: One) => ReactNode;
  readonly children: (one: One, mayWrite: boolean) => ReactNode;
}

/** The page of an entity, with a link back, "Show on map", "Edit", "Delete" and a loading state. */
export function EntityPage<One extends Named>({ read, ...others }: EntityPageProps<One>): ReactNode {
  const { data, error, refetch } = read;
  const isGone = error !== null && describeFailure(error).kind === "missing";
  if (data !== undefined) return <EntityView one={data.data} isGone={isGone} {...others} />;
  if (error === null) return <Waiting />;
  const { noun, list, history } = others;
  return (
    <Page title={`${noun.charAt(0).toUpperCase()}${noun.slice(1)}`} about={<BackLink to={list}>All {noun}s</BackLink>}>
      <FailureState error={error} onRetry={() => void refetch()} />
      {isGone && history}
    </Page>
  );
}

interface EntityViewProps<One extends Named> extends Omit<EntityPageProps<One>, "read"> {
  readonly one: One;
  /** Deleted since it was read. */
  readonly isGone: boolean;
}

function EntityView<One extends Named>(props: EntityViewProps<One>): ReactNode {
  const { one, isGone, noun, list, remove, consequence, editor, history, needs = "Member", actions, children } = props;
  const { onMap = mapButton, stopsWith } = props;
  const may = useHasLevel(needs) && !isGone;
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const { removeOne } = useRemoval({ one: remove, noun, consequence, ...(stopsWith !== undefined && { stopsWith }) });
  return (
    <Page
      title={one.name}
      about={<BackLink to={list}>All {noun}s</BackLink>}
      actions={
        <>
          {!isGone && onMap(one)}
          {may && (
            <>
              {actions?.(one)}
              <Button
                variant="default"
                color="red"
                leftSection={<Trash2 size={16} aria-hidden />}
                onClick={() => removeOne(one.id, one.name, () => void navigate(list))}
              >
                Delete
              </Button>
              <Button leftSection={<Pencil size={16} aria-hidden />} onClick={() => setEdited(true)}>
                Edit
              </Button>
            </>
          )}
        </>
      }
    >
      {isGone && (
        <Alert role="status" color="red" mb="md" title={`This ${noun} has been deleted`}>
          Its last state is shown.
        </Alert>
      )}
      <Beside aside={history}>{children(one, may)}</Beside>
      {isEdited && editor(one.id, () => setEdited(false))}
    </Page>
  );
}

function mapButton({ id }: Named): ReactNode {
  return <MapButton to={mapPath(id)} />;
}

interface MapButtonProps {
  readonly to: string;
  readonly onClick?: () => void;
}

/** Leads to the map. */
export function MapButton({ to, onClick }: MapButtonProps): ReactNode {
  const more = onClick === undefined ? {} : { onClick };
  return (
    <Button component={Link} to={to} {...more} variant="default" leftSection={<Waypoints size={16} aria-hidden />}>
      Show on map
    </Button>
  );
}
