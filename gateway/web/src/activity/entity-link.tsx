import { Anchor, Text } from "@mantine/core";
import {
  type Change,
  type Endpoint,
  getHost,
  getInterface,
  getNetwork,
  getPort,
  getService,
  getSubnet,
  getTag,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { describeFailure } from "../api/failure.js";
import { useOne } from "../api/queries.js";
import { hostPath, PATHS, subnetPath } from "../paths.js";

type Kind = Change["entity"];

const READS: Readonly<Record<Kind, Endpoint>> = {
  Network: getNetwork,
  Subnet: getSubnet,
  Host: getHost,
  Interface: getInterface,
  Port: getPort,
  Service: getService,
  Tag: getTag,
};

/** Link to an entry's entity, if it still exists. */
export function EntityLink({ entry }: { readonly entry: Change }): ReactNode {
  const { entity, entity_id: id } = entry;
  const { data, error } = useOne(READS[entity] as typeof getHost, { params: { id } });
  if (data !== undefined) {
    const { path, text } = placeOf(entry, data.data);
    return (
      <Anchor component={Link} to={path} size="sm">
        {text}
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

function placeOf(
  { entity, entity_id: id, host_id: hostId }: Change,
  now: object,
): { readonly path: string; readonly text: string } {
  if (entity === "Network") return { path: PATHS.networks, text: "Networks" };
  if (entity === "Tag") return { path: PATHS.tags, text: "Tags" };
  if (entity === "Subnet") return { path: subnetPath(id), text: "Open subnet" };
  return { path: hostPath(entity === "Host" ? id : hostOf(now, hostId)), text: "Open host" };
}

/** The service may have moved to another host. */
function hostOf(now: { readonly host_id?: unknown }, hostId: string | null): string {
  return typeof now.host_id === "string" ? now.host_id : (hostId ?? "");
}
