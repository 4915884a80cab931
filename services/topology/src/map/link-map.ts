import type { Link, LinkEnd, TopologyEdge } from "@nts/shared/contract";
import { linkGraphs } from "./link-graphs.js";
import { hostNode, virtualizedByEdges } from "./map.rules.js";
import type { MapPiece, MapSource } from "./read.js";
import { type Tree, type TreeHost, type TreeLink, treeOf } from "./tree.rules.js";

/** What must be known of all hosts and links, before the first can be told. */
interface Known {
  readonly tree: Tree;
  readonly hostIds: ReadonlySet<string>;
  readonly vids: ReadonlyMap<string, number>;
}

/**
 * Streams the map of hosts and the links between them: all nodes, then all edges, both by network and age.
 *
 * @throws AppError `rate_limited` · `unavailable` before the first piece
 */
export async function* readLinkMap(source: MapSource, organizationId: string): AsyncGenerator<MapPiece> {
  const known = await linkGraphs.run(() => knownOf(source), organizationId);
  const { tree, hostIds } = known;
  const guests: TopologyEdge[][] = [];
  for await (const read of source.all("hosts")) {
    yield {
      nodes: read.map(({ entity, missedSince }) => {
        const depth = tree.depthOf(entity.id);
        return { ...hostNode(entity, missedSince), ...(depth !== undefined && { depth }) };
      }),
    };
    guests.push(
      read.flatMap(({ entity }) => virtualizedByEdges(entity, ({ kind, id }) => kind === "host" && hostIds.has(id))),
    );
  }
  for (const edges of guests) yield { edges };
  let place = 0;
  for await (const read of source.all("links"))
    yield { edges: read.flatMap(({ entity }) => (isWithin(entity, hostIds) ? linkEdge(entity, place++, known) : [])) };
}

async function knownOf(source: MapSource): Promise<Known> {
  const hosts: TreeHost[] = [];
  for await (const read of source.treeHosts()) hosts.push(...read);
  const hostIds = new Set(hosts.map(({ id }) => id));
  const links: TreeLink[] = [];
  for await (const read of source.treeLinks())
    links.push(...read.filter(([one, other]) => hostIds.has(one) && hostIds.has(other)));
  const vids = new Map<string, number>();
  for await (const read of source.all("vlans")) for (const { entity } of read) vids.set(entity.id, entity.vid);
  return { tree: treeOf(hosts, links), hostIds, vids };
}

function isWithin({ ends }: Link, hostIds: ReadonlySet<string>): boolean {
  return ends.every(({ host_id }) => hostIds.has(host_id));
}

/** A link from what is farther from the core. @param place among the links of the tree */
function linkEdge(link: Link, place: number, { tree, vids }: Known): TopologyEdge[] {
  const [source, target] = [...link.ends].sort((a, b) => depthAt(tree, b) - depthAt(tree, a));
  if (source === undefined || target === undefined) return [];
  const numbers = link.vlan_ids.flatMap((id) => vids.get(id) ?? []);
  return [
    {
      id: `link:${link.id}`,
      kind: "link",
      source: source.host_id,
      target: target.host_id,
      link_id: link.id,
      link_kind: link.kind,
      link_source: link.source.type,
      source_port: source.port,
      source_interface_id: source.interface_id,
      target_port: target.port,
      target_interface_id: target.interface_id,
      speed_mbps: link.speed_mbps,
      vlan_ids: link.vlan_ids,
      vids: numbers.sort((a, b) => a - b),
      is_tree: tree.isBranch(place),
    },
  ];
}

function depthAt(tree: Tree, { host_id }: LinkEnd): number {
  return tree.depthOf(host_id) ?? 0;
}
