import { getSharedView, isId, MOST_SHARED_NODES, type Topology, type TopologyNode } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { Scope, SharePrincipal } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import { pastSource } from "../map/past.js";
import { readLinkMap } from "../map/link-map.js";
import { type MapPiece, type MapSource, readMap, storedSource } from "../map/read.js";
import { sharedMap, sharedPlaces } from "../map/shared.rules.js";
import { redacted } from "../map/redacted.rules.js";
import type { Past } from "../past/past.js";
import { BY_ID } from "../storage/indexes.js";
import { streamed } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { STORED } from "../storage/entity-reader.js";
import { parseBlock } from "../values/addresses.js";

/** The operation of shares: one view of one network. */
export function mountSharedView(router: Router, storage: Storage, past: Past): void {
  mountAny(router, getSharedView, async ({ principal, work }) => {
    if (principal.kind !== "share") throw new AppError("permission_denied", { required: "share" });
    const { viewId, hide, asOf } = principal;
    const scope = await storage.deletions.visible(principal.scope);
    const view = await storage.views.find(scope, viewId);
    const [networkId = ""] = scope.networks === "all" ? [] : scope.networks;
    const network = networkId === "" ? null : await storage.networks.find(scope, networkId);
    if (view === null || network === null) throw new AppError("not_found", { entity: "View" });
    const source =
      asOf === null
        ? storedSource(storage, scope)
        : await pastSource(storage, past, { work, rights: principal.scope, asOf, networkId });
    const shown = { view: view.entity, networkId, hide };
    const { layer } = view.entity;
    const topology = sharedMap(await gathered(work, source, layer === "l2" ? scope.organizationId : null), shown);
    const name = redacted(view.entity.name, hide);
    return respond.data({
      view: { name, layer, ...sharedPlaces(shown, topology) },
      network_id: networkId,
      network_name: redacted(network.entity.name, hide),
      at: asOf,
      tags: await tagsIn(storage, scope, topology, hide),
      topology,
    });
  });
}

/**
 * The whole map, first its subnets in the order of their addresses.
 *
 * @param linked the organization if the map has links
 * @throws AppError `too_many_changes`
 */
async function gathered(work: Work, source: MapSource, linked: string | null): Promise<Topology> {
  const topology: Topology = { nodes: [], edges: [] };
  const add = ({ nodes = [], edges = [] }: MapPiece): void => {
    topology.nodes.push(...nodes);
    topology.edges.push(...edges);
    if (topology.nodes.length > MOST_SHARED_NODES || topology.edges.length > MOST_EDGES)
      throw new AppError("too_many_changes", { limit: MOST_SHARED_NODES });
  };
  for await (const piece of streamed(work, readMap(source))) add(piece);
  if (linked !== null)
    for await (const { edges = [] } of streamed(work, readLinkMap(source, linked)))
      add({ edges: edges.filter(({ kind }) => kind === "link") });
  return {
    ...topology,
    nodes: [...inOrder(topology.nodes), ...topology.nodes.filter(({ kind }) => kind !== "subnet")],
  };
}

/** The subnets by their addresses, which may be hidden. */
function inOrder(nodes: readonly TopologyNode[]): TopologyNode[] {
  const keyed = nodes.flatMap((node) =>
    node.kind === "subnet" ? [{ node, key: parseBlock(node.cidr, "cidr").key }] : [],
  );
  return keyed.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1)).map(({ node }) => node);
}

/** A host has several interfaces, and a service one edge. */
const MOST_EDGES = 5 * MOST_SHARED_NODES;

/** The managed tags of its nodes. */
async function tagsIn(
  { tags }: Storage,
  scope: Scope,
  { nodes }: Topology,
  hide: SharePrincipal["hide"],
): Promise<{ id: string; name: string; color: string | null }[]> {
  const ids = [...new Set(nodes.flatMap((node) => node.tags.filter(isId)))];
  if (ids.length === 0) return [];
  const found = await tags.select(scope, { _id: { $in: ids } }, { projection: STORED, hint: BY_ID });
  return found.map((document) => {
    const { id, name, color } = tags.storedIn(document, scope).entity;
    return { id, name: redacted(name, hide), color };
  });
}
