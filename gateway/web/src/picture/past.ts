import type { Change, Diff, Difference, Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { hostIdOf } from "./model.js";

// A moment of the past beside the present: what is drawn, and what became of it since.

/** What became of a node since the moment that is looked at. */
export type Mark = "new" | "gone" | "changed";

export interface Compared {
  /** What was then and what is now, as it was then. */
  readonly topology: Topology;
  /** Of nodes that are not the same as then. */
  readonly marks: ReadonlyMap<string, Mark>;
}

export const NOTHING: Topology = { nodes: [], edges: [] };

/** All that is in one of two graphs, as it is in the first; the first itself when the second has nothing more. */
export function unionOf(first: Topology, second: Topology): Topology {
  const nodes = added(first.nodes, second.nodes);
  const edges = added(first.edges, second.edges);
  return nodes === first.nodes && edges === first.edges ? first : { nodes, edges };
}

/** Without edges that lead to nothing. */
export function withoutLooseEnds({ nodes, edges }: Topology): Topology {
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}

function added<One extends { readonly id: string }>(first: One[], second: readonly One[]): One[] {
  const known = new Set(first.map(({ id }) => id));
  const more = second.filter(({ id }) => !known.has(id));
  return more.length === 0 ? first : [...first, ...more];
}

/** @param diff what else is different; without it, only what is new and gone is told */
export function compared(then: Topology, now: Topology, diff: Diff | undefined): Compared {
  const [before, after] = [new Set(idsOf(then)), new Set(idsOf(now))];
  const marks = new Map<string, Mark>();
  for (const id of after) if (!before.has(id)) marks.set(id, "new");
  for (const id of before) if (!after.has(id)) marks.set(id, "gone");
  for (const difference of differencesIn(diff)) {
    const id = nodeIdOf(difference);
    if (id !== null && before.has(id) && after.has(id)) marks.set(id, "changed");
  }
  // The present decides in which subnet a host is drawn.
  const asThen = new Map(then.edges.map((edge) => [edge.id, edge]));
  const edges = added(now.edges.map((edge) => asThen.get(edge.id) ?? edge), then.edges); // prettier-ignore
  return { topology: { nodes: added(then.nodes, now.nodes), edges }, marks };
}

const idsOf = ({ nodes }: Topology): string[] => nodes.map(({ id }) => id);

/** What a difference is about, as far as the picture has a node for it: interfaces and ports are their host's. */
function nodeIdOf({ entity, entity_id, host_id }: Difference): string | null {
  if (entity === "Interface" || entity === "Port") return host_id;
  return entity === "Network" || entity === "Tag" ? null : entity_id;
}

/** A service that was only pushed aside by another one is as it was. */
function differencesIn(diff: Diff | undefined): Difference[] {
  if (diff === undefined) return [];
  const changed = diff.changed.filter(({ fields }) => fields.some((name) => name !== "position"));
  return [...diff.added, ...diff.removed, ...changed];
}

/** What is different about a node, and about what stands on it. */
export function differencesOf(node: TopologyNode, diff: Diff | undefined): Difference[] {
  const hostId = hostIdOf(node);
  return differencesIn(diff).filter((one) => (hostId === null ? one.entity_id === node.id : one.host_id === hostId));
}

/** What was deleted by some changes, as far as it takes a place of its own. */
export function deletedBy(changes: readonly Change[]): Topology {
  const nodes: TopologyNode[] = [];
  const edges: TopologyEdge[] = [];
  for (const { entity, entity_id: id, action, before } of changes) {
    if (action !== "deleted" || before === null) continue;
    const was = before as Readonly<Record<string, string>>;
    const network_id = was["network_id"] ?? "";
    const common = { id, label: was["name"] ?? "", network_id, tags: [] };
    const none = { hostname: null, hidden: false, virtualization_type: null, mac_address: null, name: null };
    if (entity === "Subnet") nodes.push({ ...common, kind: "subnet", cidr: was["cidr"] ?? "", subnet_type: null });
    if (entity === "Host") nodes.push({ ...common, ...none, kind: "host" });
    if (entity === "Service") nodes.push({ ...common, ...none, kind: "service", host_id: was["host_id"] ?? "", service_definition: "", category: "Unknown" }); // prettier-ignore
    if (entity === "Interface") edges.push({ ...none, id: `in_subnet:${id}`, kind: "in_subnet", source: was["host_id"] ?? "", target: was["subnet_id"] ?? "", interface_id: id, ip_address: "" }); // prettier-ignore
  }
  return { nodes, edges };
}
