import type { Change, Diff, Difference, Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { hostIdOf, missedSince } from "./model.js";

// Comparison of a past state with a later one, which is the present unless another is chosen.

/** What has happened to a node since the selected time; missed: imports have not found it since. */
export type Mark = "new" | "gone" | "changed" | "missed";

export interface Compared {
  /** The union of both states, with the earlier values. */
  readonly topology: Topology;
  /** Marks of nodes that have changed. */
  readonly marks: ReadonlyMap<string, Mark>;
}

export const NOTHING: Topology = { nodes: [], edges: [] };

/** The union of two graphs, preferring the first; the first itself if the second adds nothing. */
export function unionOf(first: Topology, second: Topology): Topology {
  const nodes = added(first.nodes, second.nodes);
  const edges = added(first.edges, second.edges);
  return nodes === first.nodes && edges === first.edges ? first : { nodes, edges };
}

/** Removes edges without both ends. */
export function withoutLooseEnds({ nodes, edges }: Topology): Topology {
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}

/** With the links between its hosts. @param l2 read on its own, and so perhaps of a slightly different moment */
export function withLinks(topology: Topology, l2: Topology): Topology {
  const ids = new Set(idsOf(topology));
  const links = l2.edges.filter(({ kind, source, target }) => kind === "link" && ids.has(source) && ids.has(target));
  return links.length === 0 ? topology : { ...topology, edges: [...topology.edges, ...links] };
}

function added<One extends { readonly id: string }>(first: One[], second: readonly One[]): One[] {
  const known = new Set(first.map(({ id }) => id));
  const more = second.filter(({ id }) => !known.has(id));
  return more.length === 0 ? first : [...first, ...more];
}

/**
 * @param at the time of the earlier state
 * @param diff field differences; without it, only additions, deletions and what was missed are marked
 */
export function compared(then: Topology, end: Topology, at: string, diff: Diff | undefined): Compared {
  const before = new Set(idsOf(then));
  const after = new Set(idsOf(end));
  const marks = new Map<string, Mark>();
  for (const node of end.nodes) {
    const missed = missedSince(node);
    if (missed !== null && missed > at) marks.set(node.id, "missed");
  }
  for (const id of after) if (!before.has(id)) marks.set(id, "new");
  for (const id of before) if (!after.has(id)) marks.set(id, "gone");
  for (const difference of differencesIn(diff)) {
    const id = nodeIdOf(difference);
    if (id !== null && before.has(id) && after.has(id)) marks.set(id, "changed");
  }
  markLinks(marks, then, end, diff);
  // The later state determines the subnet in which a host is drawn.
  const asThen = new Map(then.edges.map((edge) => [edge.id, edge]));
  const edges = added(
    end.edges.map((edge) => asThen.get(edge.id) ?? edge),
    then.edges,
  );
  return { topology: { nodes: added(then.nodes, end.nodes), edges }, marks };
}

/** Links that have been added, removed or changed, by the ids of their edges. */
function markLinks(marks: Map<string, Mark>, then: Topology, end: Topology, diff: Diff | undefined): void {
  const idsIn = ({ edges }: Topology): Set<string> =>
    new Set(edges.flatMap(({ kind, id }) => (kind === "link" ? id : [])));
  const before = idsIn(then);
  const after = idsIn(end);
  for (const id of after) if (!before.has(id)) marks.set(id, "new");
  for (const id of before) if (!after.has(id)) marks.set(id, "gone");
  for (const { entity, entity_id } of differencesIn(diff)) {
    const id = `link:${entity_id}`;
    if (entity === "Link" && before.has(id) && after.has(id)) marks.set(id, "changed");
  }
}

const idsOf = ({ nodes }: Topology): string[] => nodes.map(({ id }) => id);

/** The node of a difference: interfaces and ports belong to their host. */
function nodeIdOf({ entity, entity_id, host_id }: Difference): string | null {
  if (entity === "Interface" || entity === "Port") return host_id;
  return entity === "Network" || entity === "Tag" ? null : entity_id;
}

/** A service whose position was only shifted counts as unchanged. */
function differencesIn(diff: Diff | undefined): Difference[] {
  if (diff === undefined) return [];
  const changed = diff.changed.filter(({ fields }) => fields.some((name) => name !== "position"));
  return [...diff.added, ...diff.removed, ...changed];
}

/** Differences of a node and its children. */
export function differencesOf(node: TopologyNode, diff: Diff | undefined): Difference[] {
  const hostId = hostIdOf(node);
  return differencesIn(diff).filter((one) =>
    hostId === null ? one.entity_id === node.id : one.host_id === hostId || endsOf(one).includes(hostId),
  );
}

/** The hosts at the ends of a link or dependency. */
function endsOf({ before, after }: Pick<Difference, "before" | "after">): unknown[] {
  return [before, after].flatMap((state) => {
    const ends: unknown = state?.["ends"] ?? [state?.["client"], state?.["server"]];
    return Array.isArray(ends) ? ends.map((end: { host_id?: unknown } | null | undefined) => end?.host_id) : [];
  });
}

/** The graph of deleted entities, to show them where they were. */
export function deletedBy(changes: readonly Change[]): Topology {
  const nodes: TopologyNode[] = [];
  const edges: TopologyEdge[] = [];
  for (const { entity, entity_id: id, action, before } of changes) {
    if (action !== "deleted" || before === null) continue;
    const was = before as Readonly<Record<string, string>>;
    const network_id = was["network_id"] ?? "";
    const common = { id, label: was["name"] ?? "", network_id, tags: [] };
    const none = {
      hostname: null,
      hidden: false,
      role: null,
      virtualization_type: null,
      mac_address: null,
      name: null,
    };
    if (entity === "Subnet")
      nodes.push({ ...common, kind: "subnet", cidr: was["cidr"] ?? "", subnet_type: null, vlan: null });
    if (entity === "Host") nodes.push({ ...common, ...none, kind: "host" });
    if (entity === "Service")
      nodes.push({
        ...common,
        ...none,
        kind: "service",
        host_id: was["host_id"] ?? "",
        service_definition: "",
        category: "Unknown",
      });
    if (entity === "Interface")
      edges.push({
        ...none,
        id: `in_subnet:${id}`,
        kind: "in_subnet",
        source: was["host_id"] ?? "",
        target: was["subnet_id"] ?? "",
        interface_id: id,
        ip_address: was["ip_address"] ?? "",
      });
  }
  return { nodes, edges };
}
