import type { Category } from "@nts/shared/contract";
import { putUnder } from "./groups.js";
import { detailBeside } from "../parts/detail.js";
import { compareNames } from "../parts/names.js";
import { categoryText } from "../parts/texts.js";
import { addressKey, capacityOf } from "./addresses.js";
import type { Hanging } from "./link-words.js";
import { type Branch, forestOf } from "./tree.js";
import {
  type HostNode,
  type HostParts,
  type Model,
  type ServiceNode,
  type SubnetNode,
  subnetsOf,
  vlanOf,
} from "./model.js";

// What each view draws: boxes that contain tiles and other boxes.

export const VIEWS = ["subnets", "hosts", "services", "tags", "links"] as const;
export type View = (typeof VIEWS)[number];

/** A host or a service. A node can have tiles in several boxes. */
export interface TileSpec {
  /** Of the tile. */
  readonly key: string;
  readonly node: HostNode | ServiceNode;
  /** The address by which a host is in its box; null if the box is no subnet. */
  readonly address: string | null;
  /** How it hangs on the device that its box stands for; null if nothing is said about that. */
  readonly hanging: Hanging | null;
}

export interface BoxSpec {
  readonly key: string;
  readonly kind: "network" | "subnet" | "host" | "group" | "bar" | "device";
  /** The subnet or host that the box stands for; null for others. */
  readonly nodeId: string | null;
  readonly title: string;
  /** Such as a CIDR. */
  readonly detail: string;
  /** The color of a tag; null for others. */
  readonly color: string | null;
  /** Addresses in use of those there are; null if there is no such number. */
  readonly use: { readonly used: number; readonly capacity: number } | null;
  readonly tiles: readonly TileSpec[];
  readonly boxes: readonly BoxSpec[];
  /** Boxes that lines connect to others: hosts in the same several subnets. */
  readonly bars: readonly BarSpec[];
  /** How a device hangs on the one whose box is above. */
  readonly hanging: Hanging | null;
  /** Nothing is known of the ports of the switch. */
  readonly isUnmanaged: boolean;
}

export interface BarSpec extends BoxSpec {
  /** Keys of the boxes that lines lead to, in their order. */
  readonly connects: readonly string[];
}

/** Names that are not in the graph. */
export interface Names {
  readonly networkOf: (networkId: string) => string;
  readonly tagOf: (tag: string) => { readonly name: string; readonly color: string | null };
}

/** Bars beyond this number would be lines that nobody can follow; their hosts are tiles in their first subnet. */
const MOST_BARS = 48;

/** Between the parts of a detail, of which the first says most. */
export const SEPARATOR = " · ";

const EMPTY = {
  ...{ nodeId: null, detail: "", color: null, use: null, tiles: [], boxes: [], bars: [] },
  ...{ hanging: null, isUnmanaged: false },
} as const;

/** The boxes of a view; networks are boxes if there are several. */
export function boxesOf(view: View, model: Model, names: Names): BoxSpec[] {
  const inside = INSIDE[view];
  const networks = networksOf(model);
  const boxes = networks.map((networkId): BoxSpec => {
    const part = inside(model, networkId, names);
    return { ...EMPTY, key: networkId, kind: "network", title: names.networkOf(networkId), ...part };
  });
  return boxes.sort((a, b) => compareNames(a.title, b.title) || (a.key < b.key ? -1 : 1));
}

type Inside = Pick<BoxSpec, "boxes" | "bars">;

const INSIDE: Readonly<Record<View, (model: Model, networkId: string, names: Names) => Inside>> = {
  subnets: subnetBoxes,
  hosts: hostBoxes,
  services: serviceBoxes,
  tags: tagBoxes,
  links: linkBoxes,
};

function networksOf({ subnets, hosts }: Model): string[] {
  const nodes = [...subnets, ...[...hosts.values()].map(({ node }) => node)];
  return [...new Set(nodes.map(({ network_id }) => network_id))];
}

function hostsIn({ hosts }: Model, networkId: string): HostParts[] {
  return [...hosts.values()].filter(({ node }) => node.network_id === networkId);
}

/** Subnets in the order of their addresses, with the hosts that are in no other; the others are bars between them. */
function subnetBoxes(model: Model, networkId: string): Inside {
  const subnets = model.subnets
    .filter(({ network_id }) => network_id === networkId)
    .map((subnet): [string, SubnetNode] => [addressKey(subnet.cidr), subnet])
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([, subnet]) => subnet);
  const hosts = hostsIn(model, networkId);
  const groups = barGroups(hosts);
  const inBars = new Set([...groups.values()].flat());
  const inSubnet = new Map<string | undefined, HostParts[]>();
  for (const host of hosts) {
    if (inBars.has(host)) continue;
    const home = subnetsOf(host)[0];
    putUnder(inSubnet, home, host);
  }
  const boxes = subnets.map((subnet) => subnetBox(subnet, inSubnet.get(subnet.id) ?? [], model));
  const homeless = inSubnet.get(undefined) ?? [];
  if (homeless.length > 0)
    boxes.push({
      ...EMPTY,
      key: `none:${networkId}`,
      kind: "group",
      title: "No address",
      tiles: tilesOf(homeless, null),
    });
  return { boxes, bars: [...groups].map(([key, members]) => barOf(key, members, subnets)) };
}

/** Hosts in several subnets, by their set of subnets: those with the most subnets first. */
function barGroups(hosts: readonly HostParts[]): Map<string, HostParts[]> {
  const groups = new Map<string, HostParts[]>();
  for (const host of hosts) {
    const subnets = subnetsOf(host);
    if (subnets.length < 2) continue;
    const key = barKey(subnets.sort());
    putUnder(groups, key, host);
  }
  const subnetsIn = ([first]: readonly HostParts[]): number => (first === undefined ? 0 : subnetsOf(first).length);
  const largestFirst = [...groups].sort(
    ([a, ofA], [b, ofB]) => subnetsIn(ofB) - subnetsIn(ofA) || ofB.length - ofA.length || (a < b ? -1 : 1),
  );
  return new Map(largestFirst.slice(0, MOST_BARS));
}

/** The most characters of a key, by which saved views name boxes and tiles. */
const MOST_OF_KEY = 120;

/** Of the bar between some subnets: with their ids, or a number that follows from these. */
function barKey(subnets: readonly string[]): string {
  const key = `bar:${subnets.join("+")}`;
  if (key.length <= MOST_OF_KEY) return key;
  let hash = 0xcbf29ce484222325n;
  for (const character of key) hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * PRIME);
  return `bar:${subnets.length}:${hash.toString(36)}`;
}

/** Of FNV-1a with 64 bits. */
const PRIME = 0x100000001b3n;

function barOf(key: string, members: readonly HostParts[], subnets: readonly SubnetNode[]): BarSpec {
  const own = new Set(members[0] === undefined ? [] : subnetsOf(members[0]));
  const connects = subnets.filter(({ id }) => own.has(id)).map(({ id }) => id);
  const [first] = members;
  const title = first !== undefined && members.length === 1 ? first.node.label : `In ${own.size} subnets`;
  return { ...EMPTY, key, kind: "bar", title, tiles: tilesOf(members, null), connects };
}

function subnetBox(subnet: SubnetNode, hosts: readonly HostParts[], model: Model): BoxSpec {
  const capacity = capacityOf(subnet.cidr);
  const used = model.addressesIn.get(subnet.id) ?? 0;
  return {
    ...EMPTY,
    key: subnet.id,
    kind: "subnet",
    nodeId: subnet.id,
    title: subnet.label,
    detail: [detailBeside(subnet.label, subnet.cidr), vlanOf(subnet)].filter((text) => text !== "").join(SEPARATOR),
    use: capacity === null ? null : { used, capacity },
    tiles: tilesOf(hosts, subnet.id),
  };
}

/** Tiles of hosts, by address in a subnet, otherwise by name. */
function tilesOf(hosts: readonly HostParts[], subnetId: string | null, prefix = ""): TileSpec[] {
  const tiles = hosts.map((host) => {
    const found = host.interfaces.find(({ target }) => target === subnetId)?.ip_address ?? "";
    // hidden in shares
    const address = found === "" ? null : found;
    return {
      key: `${prefix}${host.node.id}`,
      node: host.node,
      address,
      order: address === null ? "" : addressKey(address),
    };
  });
  tiles.sort((a, b) =>
    a.order === b.order
      ? compareNames(a.node.label, b.node.label) || (a.key < b.key ? -1 : 1)
      : a.order < b.order
        ? -1
        : 1,
  );
  return tiles.map(({ key, node, address }) => ({ key, node, address, hanging: null }));
}

/** Hypervisors and container hosts with their guests, at any depth, then the hosts that neither run others nor run on one. */
function hostBoxes(model: Model, networkId: string): Inside {
  const hosts = hostsIn(model, networkId);
  const guests = guestsOf(model);
  const isRunner = (host: HostParts): boolean => guests.has(host.node.id);
  const drawn = new Set<string>();
  const boxOf = (host: HostParts): BoxSpec => {
    drawn.add(host.node.id);
    const own = (guests.get(host.node.id) ?? []).filter(({ id }) => !drawn.has(id));
    const machines = own.flatMap(({ id }) => model.hosts.get(id) ?? []);
    const containers = own.filter((node): node is ServiceNode => node.kind === "service").sort(byLabel);
    const nested = machines.filter(isRunner).sort(byName).map(boxOf);
    const tiles = machines.filter((machine) => !isRunner(machine));
    for (const { node } of tiles) drawn.add(node.id);
    return {
      ...EMPTY,
      key: host.node.id,
      kind: "host",
      nodeId: host.node.id,
      title: host.node.label,
      detail: host.interfaces[0]?.ip_address ?? "",
      tiles: [...tilesOf(tiles, null), ...containers.map(serviceTile)],
      boxes: nested,
    };
  };
  const guestIds = new Set([...guests.values()].flat().map(({ id }) => id));
  const roots = hosts.filter((host) => isRunner(host) && !guestIds.has(host.node.id)).sort(byName);
  const boxes = roots.map(boxOf);
  // machines that claim to run on each other have no root
  for (const host of hosts.filter(isRunner).sort(byName)) if (!drawn.has(host.node.id)) boxes.push(boxOf(host));
  const alone = hosts.filter(({ node }) => !drawn.has(node.id));
  if (alone.length > 0)
    boxes.push({
      ...EMPTY,
      key: `alone:${networkId}`,
      kind: "group",
      title: boxes.length === 0 ? "Hosts" : "Other hosts",
      tiles: tilesOf(alone, null),
    });
  return { boxes, bars: [] };
}

/** What runs on each host, directly or through a service of it. */
function guestsOf({ virtualized, nodes }: Model): Map<string, (HostNode | ServiceNode)[]> {
  const guests = new Map<string, (HostNode | ServiceNode)[]>();
  for (const { source, target } of virtualized) {
    const guest = nodes.get(source);
    const runner = nodes.get(target);
    if (guest === undefined || runner === undefined || guest.kind === "subnet" || runner.kind === "subnet") continue;
    const hostId = runner.kind === "service" ? runner.host_id : runner.id;
    if (hostId === guest.id) continue;
    putUnder(guests, hostId, guest);
  }
  return guests;
}

/** Categories in alphabetical order, with their services by name. */
function serviceBoxes(model: Model, networkId: string): Inside {
  const categories = new Map<Category, ServiceNode[]>();
  for (const { services } of hostsIn(model, networkId))
    for (const node of services) putUnder(categories, node.category, node);
  const boxes = [...categories].map(([category, services]): BoxSpec => {
    const tiles = services.sort(byLabel).map(serviceTile);
    return { ...EMPTY, key: `${networkId}:${category}`, kind: "group", title: categoryText(category), tiles };
  });
  return { boxes: boxes.sort((a, b) => compareNames(a.title, b.title)), bars: [] };
}

/** Tags by name with their hosts, then the hosts without one. */
function tagBoxes(model: Model, networkId: string, { tagOf }: Names): Inside {
  const tagged = new Map<string, HostParts[]>();
  const untagged: HostParts[] = [];
  for (const host of hostsIn(model, networkId)) {
    for (const tag of host.node.tags) putUnder(tagged, tag, host);
    if (host.node.tags.length === 0) untagged.push(host);
  }
  const boxes = [...tagged].map(([tag, hosts]): BoxSpec => {
    const { name, color } = tagOf(tag);
    const key = `${networkId}:${tag}`;
    return { ...EMPTY, key, kind: "group", title: name, color, tiles: tilesOf(hosts, null, `${key}:`) };
  });
  boxes.sort((a, b) => compareNames(a.title, b.title) || (a.key < b.key ? -1 : 1));
  if (untagged.length > 0)
    boxes.push({
      ...EMPTY,
      key: `untagged:${networkId}`,
      kind: "group",
      title: "No tags",
      tiles: tilesOf(untagged, null),
    });
  return { boxes, bars: [] };
}

function serviceTile(node: ServiceNode): TileSpec {
  return { key: node.id, node, address: null, hanging: null };
}

/** Devices on which others hang, as trees, with the hosts on their ports; then the hosts that hang on nothing. */
function linkBoxes(model: Model, networkId: string): Inside {
  const { trees, loose } = forestOf(model, hostsIn(model, networkId));
  const withPorts = hostsWithPorts(model);
  const boxes = trees.map((tree) => deviceBox(tree, withPorts));
  if (loose.length > 0)
    boxes.push({
      ...EMPTY,
      key: `loose:${networkId}`,
      kind: "group",
      title: "Not attached",
      tiles: tilesOf(loose, null),
    });
  return { boxes, bars: [] };
}

function deviceBox({ host, hanging, continues, branches }: Branch, withPorts: ReadonlySet<string>): BoxSpec {
  const { node, interfaces } = host;
  const isDevice = (branch: Branch): boolean => branch.branches.length > 0;
  const isUnmanaged = node.role === "Switch" && !withPorts.has(node.id);
  const address = interfaces[0]?.ip_address ?? "";
  return {
    ...EMPTY,
    key: node.id,
    kind: "device",
    nodeId: node.id,
    title: node.label,
    detail: continues === "" ? (isUnmanaged ? "ports not known" : address) : `continues ${continues}`,
    tiles: branches.filter((branch) => !isDevice(branch)).map(attachedTile),
    boxes: branches.filter(isDevice).map((branch) => deviceBox(branch, withPorts)),
    hanging,
    isUnmanaged,
  };
}

function attachedTile({ host: { node, interfaces }, hanging }: Branch): TileSpec {
  const address = interfaces[0]?.ip_address ?? "";
  return { key: node.id, node, address: address === "" ? null : address, hanging };
}

/** Those at which any link names its port. */
function hostsWithPorts({ links }: Model): ReadonlySet<string> {
  return new Set(
    links.flatMap(({ source, target, source_port, target_port }) => [
      ...(source_port === null ? [] : [source]),
      ...(target_port === null ? [] : [target]),
    ]),
  );
}

function byName(a: HostParts, b: HostParts): number {
  return byLabel(a.node, b.node);
}

function byLabel(a: HostNode | ServiceNode, b: HostNode | ServiceNode): number {
  return compareNames(a.label, b.label) || (a.id < b.id ? -1 : 1);
}
