import type { Dependency, Diff, TopologyNode } from "@nts/shared/contract";
import type { Relation } from "./look.js";
import { hostIdOf, type Model } from "./model.js";

// Lines between what is selected and others, besides the tree of links.

/** The links of the selected host that are not part of the tree. */
export function linksBeside({ links, nodes }: Model, selected: string | null): Relation[] {
  const node = selected === null ? undefined : nodes.get(selected);
  const hostId = node === undefined ? null : hostIdOf(node);
  return links.flatMap(({ id, source, target, is_tree, link_kind }) =>
    !is_tree && hostId !== null && (source === hostId || target === hostId)
      ? [{ id, from: source, to: target, kind: link_kind, mark: null }]
      : [],
  );
}

/** What a node uses and by what it is used; of a service only its own. */
export function needsOf(node: TopologyNode, dependencies: readonly Dependency[]): readonly Dependency[] {
  if (node.kind !== "service") return dependencies;
  return dependencies.filter(({ client, server }) => client.service_id === node.id || server.service_id === node.id);
}

/** Dependencies that came after the selected time, and ids of those that have gone since. */
export function sinceThen(diff: Diff | undefined): {
  readonly added: readonly Dependency[];
  readonly removed: ReadonlySet<string>;
} {
  const isOne = ({ entity }: { readonly entity: string }): boolean => entity === "Dependency";
  return {
    // the journal has dependencies as the API returns them
    added: (diff?.added ?? []).filter(isOne).flatMap(({ after }) => (after === null ? [] : (after as Dependency))),
    removed: new Set((diff?.removed ?? []).filter(isOne).map(({ entity_id }) => entity_id)),
  };
}

/** Between services as far as they are known, otherwise between hosts. */
export function usesOf(dependencies: readonly Dependency[], since: ReturnType<typeof sinceThen>): Relation[] {
  const added = new Set(since.added.map(({ id }) => id));
  return dependencies.map(({ id, client, server }) => ({
    id,
    from: client.service_id ?? client.host_id,
    to: server.service_id ?? server.host_id,
    kind: "uses",
    mark: added.has(id) ? "new" : since.removed.has(id) ? "gone" : null,
  }));
}

/** With what dependencies connect, and the hosts of that. */
export function withUses(lifted: ReadonlySet<string>, dependencies: readonly Dependency[]): ReadonlySet<string> {
  const all = new Set(lifted);
  for (const { client, server } of dependencies)
    for (const { host_id, service_id } of [client, server]) {
      all.add(host_id);
      if (service_id !== null) all.add(service_id);
    }
  return all;
}
