import { Anchor, Text } from "@mantine/core";
import { type Change, getHost, type KindName, KINDS, KINDS_ON_HOSTS } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { describeFailure } from "../api/failure.js";
import { useOne } from "../api/queries.js";
import { kindText } from "../parts/texts.js";
import { dependencyPath, hostPath, networkPath, PATHS, servicePath, subnetPath } from "../paths.js";

/** The operation that reads an entity of a kind; all have the same parameters. */
function readOf(name: KindName): typeof getHost {
  const { singular, plural } = KINDS[name];
  return { ...getHost, operationId: `get_${singular}_by_id`, path: `/api/v1/${plural}/{id}` };
}

/** Link to an entry's entity, if it still exists. */
export function EntityLink({ entry }: { readonly entry: Change }): ReactNode {
  const { entity, entity_id: id } = entry;
  const { data, error } = useOne(readOf(entity), { params: { id } });
  if (data !== undefined) {
    const place = placeOf(entry, data.data);
    if (place === null) return null;
    return (
      <Anchor component={Link} to={place.path} size="sm">
        {place.text}
      </Anchor>
    );
  }
  if (error === null || describeFailure(error).kind !== "missing") return null;
  return (
    <Text size="sm" c="dimmed">
      It no longer exists.
    </Text>
  );
}

/** The page that shows an entity; null if there is none. */
function placeOf(
  { entity, entity_id: id, host_id: hostId }: Change,
  now: object,
): { readonly path: string; readonly text: string } | null {
  if (entity === "Subnet") return { path: subnetPath(id), text: "Open subnet" };
  if (entity === "Network") return { path: networkPath(id), text: "Open network" };
  if (entity === "Service") return { path: servicePath(id), text: "Open service" };
  if (entity === "Dependency") return { path: dependencyPath(id), text: "Open dependency" };
  if (entity === "Host") return { path: hostPath(id), text: "Open host" };
  if (KINDS_ON_HOSTS.some((kind) => kind === entity)) return { path: hostPath(hostOf(now, hostId)), text: "Open host" };
  const { plural } = KINDS[entity];
  return plural in PATHS ? { path: PATHS[plural as keyof typeof PATHS], text: kindText(entity) } : null;
}

/** The service may have moved to another host. */
function hostOf(now: { readonly host_id?: unknown }, hostId: string | null): string {
  return typeof now.host_id === "string" ? now.host_id : (hostId ?? "");
}
