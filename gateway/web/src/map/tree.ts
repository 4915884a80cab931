import { compareNames } from "../parts/names.js";
import { putUnder } from "./groups.js";
import { type Above, type Hanging, placeText, portAt } from "./link-words.js";
import { type HostParts, hostIdOf, type LinkEdge, type Model } from "./model.js";

// What hangs on what: hosts as trees, from the core of each part of a network down. Which link of a ring belongs to the tree is
// decided by the server; states of several times, which are drawn together, may contradict each other.

/** A host with what hangs on it, by port. */
export interface Branch {
  readonly host: HostParts;
  /** Null for the first of a tree. */
  readonly hanging: Hanging | null;
  /** Where the first of a tree hangs that continues another one, such as `Gi1/0/24 of Core switch`; empty for others. */
  readonly continues: string;
  readonly branches: readonly Branch[];
}

export interface Forest {
  /** The largest first. */
  readonly trees: readonly Branch[];
  /** Without a link, and on no host that has one. */
  readonly loose: readonly HostParts[];
}

/** Longer chains are continued as a tree of their own. */
const MOST_DEEP = 12;

/** @param hosts of one network */
export function forestOf(model: Model, hosts: readonly HostParts[]): Forest {
  const own = new Set(hosts.map(({ node }) => node.id));
  const links = model.links.filter(({ source, target }) => own.has(source) && own.has(target));
  const above = aboveOf(model, links);
  const below = new Map<string, HostParts[]>();
  for (const host of hosts) {
    const on = above.get(host.node.id);
    if (on !== undefined) putUnder(below, on.hostId, host);
  }
  const linked = new Set(links.flatMap(({ source, target }) => [source, target]));
  const isIn = ({ node: { id } }: HostParts): boolean => linked.has(id) || above.has(id);
  const others = othersOf(links, above);

  const firsts = hosts.filter((host) => isIn(host) && !above.has(host.node.id));
  const branchOf = (host: HostParts, depth: number): Branch => {
    const { id } = host.node;
    const on = above.get(id);
    const all = below.get(id) ?? [];
    const isDeepest = depth === MOST_DEEP;
    // continued below, as a tree of their own
    if (isDeepest) firsts.push(...all.filter((one) => below.has(one.node.id)));
    const shown = isDeepest ? all.filter((one) => !below.has(one.node.id)) : all;
    const branches = shown.map((one) => ({
      ...branchOf(one, depth + 1),
      order: orderOf(model, above.get(one.node.id)),
    }));
    return {
      host,
      hanging: on === undefined || depth === 0 ? null : { edgeId: on.edgeId, others: others.get(id) ?? [] },
      continues: on === undefined || depth > 0 ? "" : placeText(model, on),
      branches: branches.sort(byOrder),
    };
  };
  const trees: Branch[] = [];
  for (const host of firsts) trees.push(branchOf(host, 0));
  return { trees: largestFirst(trees), loose: hosts.filter((host) => !isIn(host)) };
}

/** Equal ones by name. */
function largestFirst(trees: readonly Branch[]): Branch[] {
  const sized = trees.map((tree) => ({ tree, size: devicesIn(tree) }));
  sized.sort((a, b) => b.size - a.size || byName(a.tree.host, b.tree.host));
  return sized.map(({ tree }) => tree);
}

/** Those on which others hang, so that an additional computer does not change the order. */
function devicesIn({ branches }: Branch): number {
  return branches.reduce((sum, branch) => sum + (branch.branches.length === 0 ? 0 : 1 + devicesIn(branch)), 0);
}

/** What each host hangs on, without circles. */
function aboveOf(model: Model, links: readonly LinkEdge[]): Map<string, Above> {
  const above = new Map<string, Above>();
  const inOrder = links.filter(({ is_tree }) => is_tree).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const link of inOrder)
    if (!above.has(link.source)) above.set(link.source, { hostId: link.target, edgeId: link.id, link });
  cutCircles(above);
  const guests = guestsOf(model);
  const reached = [...new Set(links.flatMap(({ source, target }) => [source, target]))].sort();
  const isReached = new Set(reached);
  for (const hostId of reached)
    for (const { guest, edgeId } of guests.get(hostId) ?? []) {
      if (isReached.has(guest)) continue;
      isReached.add(guest);
      above.set(guest, { hostId, edgeId, link: null });
      reached.push(guest);
    }
  return above;
}

/** The hosts that run on each host of the same network, directly or through a service of it. */
function guestsOf({ virtualized, nodes }: Model): Map<string, { readonly guest: string; readonly edgeId: string }[]> {
  const guests = new Map<string, { guest: string; edgeId: string }[]>();
  for (const { id, source, target } of virtualized) {
    const guest = nodes.get(source);
    const runner = nodes.get(target);
    const hostId = runner === undefined ? null : hostIdOf(runner);
    if (guest?.kind === "host" && hostId !== null && runner?.network_id === guest.network_id)
      putUnder(guests, hostId, { guest: source, edgeId: id });
  }
  return guests;
}

function cutCircles(above: Map<string, Above>): void {
  const good = new Set<string>();
  for (const start of [...above.keys()].sort()) {
    const way = new Set<string>();
    let at: string | undefined = start;
    while (at !== undefined && !good.has(at) && !way.has(at)) {
      way.add(at);
      at = above.get(at)?.hostId;
    }
    if (at !== undefined && way.has(at)) above.delete(at);
    for (const id of way) good.add(id);
  }
}

/** The links of each host that are not how it hangs on the tree, at the end that is farther from the core. */
function othersOf(links: readonly LinkEdge[], above: ReadonlyMap<string, Above>): ReadonlyMap<string, string[]> {
  const others = new Map<string, string[]>();
  for (const { id, source } of links) if (above.get(source)?.edgeId !== id) putUnder(others, source, id);
  for (const ids of others.values()) ids.sort();
  return others;
}

interface Order {
  readonly rank: number;
  readonly port: string;
}

/** What hangs on ports comes first, then what hangs there without a known port, then what runs there. */
function orderOf(model: Model, on: Above | undefined): Order {
  const link = on?.link ?? null;
  if (link === null) return { rank: 2, port: "" };
  const port = portAt(model.hosts.get(link.target), link.target_port, link.target_interface_id);
  return { rank: port === "" ? 1 : 0, port };
}

function byOrder(a: { host: HostParts; order: Order }, b: { host: HostParts; order: Order }): number {
  return a.order.rank - b.order.rank || compareNames(a.order.port, b.order.port) || byName(a.host, b.host);
}

function byName(a: HostParts, b: HostParts): number {
  return compareNames(a.node.label, b.node.label) || (a.node.id < b.node.id ? -1 : 1);
}

/** How each host hangs on what is above it, in words, such as `Gi1/0/24 of Core switch`. */
export function placesInTree(model: Model): ReadonlyMap<string, string> {
  return new Map([...aboveOf(model, model.links)].map(([id, above]) => [id, placeText(model, above)]));
}

/** What a host hangs on, up to the core. */
export function wayUp(model: Model, hostId: string): string[] {
  const above = aboveOf(model, model.links);
  const way: string[] = [];
  for (let at = above.get(hostId); at !== undefined; at = above.get(at.hostId)) way.push(at.hostId);
  return way;
}
