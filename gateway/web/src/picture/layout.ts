import { packEnclose, packSiblings } from "d3-hierarchy";
import { onArcs, RADIUS, reachOf } from "./arcs.js";
import { type Point, rearranged } from "./rearrange.js";
import { homeOf, type HostParts, type Model, type SubnetNode } from "./model.js";

// Deterministic layout without overlaps: services on arcs above their host, hosts around the hub of their subnet.
// Keeps the positions of a previous layout as far as possible. In map units, with `y` upwards.

export interface Place {
  readonly x: number;
  readonly y: number;
  /** Radius. */
  readonly r: number;
  /** Of a host: including its services and its label. */
  readonly room?: number;
}

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** A circular area of a subnet or network. */
export interface Disc extends Place {
  /** Of the subnet or network; for hosts without an address, that of the network with a prefix. */
  readonly id: string;
  readonly kind: "subnet" | "network";
  readonly networkId: string;
  /** null for hosts without an address, and for networks, whose names are not in the graph. */
  readonly subnet: SubnetNode | null;
}

export interface Layout {
  /** Of all nodes, by id. */
  readonly places: ReadonlyMap<string, Place>;
  readonly discs: readonly Disc[];
  /** Encloses everything, including labels of areas. */
  readonly bounds: Box;
}

export const SIZES = { hub: 10, ...RADIUS } as const;

const GAP = 2.4;
const LEAST_HOST = 25;
const AROUND_HOSTS = 4;
const AROUND_SUBNET = 12;
const BETWEEN_SUBNETS = 24;

/** Gap between areas as a share of the whole, so that labels fit when everything is in view. */
const NAME_SHARE = 0.05;
const BETWEEN_NETWORKS = 40;

/** Positions closer than this are equal. */
const ROUNDING = 1e-6;

interface Circle {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

/** A layout relative to its own center. */
interface Group {
  readonly r: number;
  readonly places: ReadonlyMap<string, Place>;
  readonly discs: readonly Disc[];
  /** Its circle in the previous layout, relative to its parent; null if new. */
  readonly was: Circle | null;
}

/** Data of the previous layout. */
interface Earlier {
  readonly places: ReadonlyMap<string, Place>;
  readonly discs: ReadonlyMap<string, Disc>;
}

const ORIGIN: Point = { x: 0, y: 0 };
const NO_PLACES: ReadonlyMap<string, Place> = new Map();

/** @param before keeps its positions, unless something has to make room */
export function layoutOf(model: Model, before: Layout | null = null): Layout {
  const networks = new Map<string, { subnets: SubnetNode[]; homeless: HostParts[] }>();
  const networkOf = (id: string): { subnets: SubnetNode[]; homeless: HostParts[] } => {
    const known = networks.get(id) ?? { subnets: [], homeless: [] };
    networks.set(id, known);
    return known;
  };
  const inSubnet = new Map(model.subnets.map(({ id }): [string, HostParts[]] => [id, []]));
  for (const subnet of model.subnets) networkOf(subnet.network_id).subnets.push(subnet);
  for (const host of model.hosts.values())
    (inSubnet.get(homeOf(host) ?? "") ?? networkOf(host.node.network_id).homeless).push(host);
  const isFramed = networks.size > 1;
  const earlier = earlierOf(before, isFramed);
  const groups = [...networks].map(([networkId, { subnets, homeless }]) => {
    const middle = isFramed ? earlier.discs.get(networkId) : ORIGIN;
    const discs = subnets.map((subnet) =>
      subnetGroup({ networkId, subnet, hosts: inSubnet.get(subnet.id) ?? [] }, { earlier, middle }),
    );
    if (homeless.length > 0) discs.push(subnetGroup({ networkId, subnet: null, hosts: homeless }, { earlier, middle }));
    return networkGroup(networkId, discs, { isFramed, earlier });
  });
  const { places, discs } = arranged(groups, { gap: BETWEEN_NETWORKS, leastGap: BETWEEN_NETWORKS });
  return { places, discs, bounds: boundsOf(discs, before?.bounds) };
}

/** Undefined if networks have gained or lost their frames, which moves everything. */
function earlierOf(before: Layout | null, isFramed: boolean): Earlier {
  const wasFramed = before?.discs.some(({ kind }) => kind === "network") ?? false;
  if (before === null || wasFramed !== isFramed) return { places: NO_PLACES, discs: new Map() };
  return { places: before.places, discs: new Map(before.discs.map((disc) => [disc.id, disc])) };
}

/** Approximate radius of packed circles. */
function extentOf(circles: readonly { readonly r: number }[]): number {
  return 2.2 * Math.hypot(...circles.map(({ r }) => r));
}

/** @param before a previous layout; returned itself if it still applies, so that nothing moves */
function boundsOf(discs: readonly Disc[], before: Box = { left: 0, right: 0, bottom: 0, top: 0 }): Box {
  const box = { ...before };
  const name = Math.max(BETWEEN_SUBNETS, NAME_SHARE * extentOf(discs.filter(({ kind }) => kind === "subnet")));
  for (const { x, y, r } of discs) {
    box.left = Math.min(box.left, x - r);
    box.right = Math.max(box.right, x + r);
    box.bottom = Math.min(box.bottom, y - r);
    box.top = Math.max(box.top, y + r + name);
  }
  const grown = Math.max(
    before.left - box.left,
    box.right - before.right,
    before.bottom - box.bottom,
    box.top - before.top,
  );
  return grown < ROUNDING ? before : box;
}

/** A host with its services on arcs above it. @param disc the previous area of its subnet */
function hostGroup({ node, services }: HostParts, disc: Disc | undefined, { places: earlier }: Earlier): Group {
  const there = earlier.get(node.id);
  const kept = new Map<string, Point>();
  for (const { id } of services) {
    const place = earlier.get(id);
    if (there && place) kept.set(id, { x: place.x - there.x, y: place.y - there.y });
  }
  const arcs = onArcs(
    services.map(({ id }) => id),
    kept,
  );
  const room = Math.max(reachOf(arcs.values()), LEAST_HOST);
  const places = new Map<string, Place>([[node.id, { ...ORIGIN, r: SIZES.host, room }]]);
  for (const [id, point] of arcs) places.set(id, { ...point, r: SIZES.service });
  const stays = there && disc && Math.hypot(there.x - disc.x, there.y - disc.y) < disc.r;
  return { r: room, places, discs: [], was: stays ? from(disc, { ...there, r: there.room ?? 0 }) : null };
}

/** The center of a group that existed in the previous layout. */
interface Within {
  readonly earlier: Earlier;
  readonly middle: Point | undefined;
}

/** The hosts of a subnet around its hub; without a subnet there is no hub. */
function subnetGroup(
  { networkId, subnet, hosts }: { networkId: string; subnet: SubnetNode | null; hosts: readonly HostParts[] },
  { earlier, middle }: Within,
): Group {
  const id = subnet?.id ?? `none:${networkId}`;
  const before = earlier.discs.get(id);
  const largestFirst = hosts.map((host) => hostGroup(host, before, earlier)).sort((a, b) => b.r - a.r);
  const groups = [...(subnet === null ? [] : [hubGroup(subnet, before, earlier)]), ...largestFirst];
  const inner = arranged(groups, { gap: AROUND_HOSTS, leastGap: AROUND_HOSTS });
  const r = Math.max(inner.r + AROUND_SUBNET, before?.r ?? 0);
  const disc: Disc = { id, kind: "subnet", networkId, subnet, ...ORIGIN, r };
  return { ...inner, r, discs: [disc], was: before && middle ? from(middle, before) : null };
}

function hubGroup({ id }: SubnetNode, disc: Disc | undefined, { places }: Earlier): Group {
  const there = places.get(id);
  const r = SIZES.hub + GAP;
  const was = there && disc ? from(disc, { ...there, r }) : null;
  return { r, places: new Map([[id, { ...ORIGIN, r: SIZES.hub }]]), discs: [], was };
}

function networkGroup(
  networkId: string,
  groups: Group[],
  { isFramed, earlier }: { isFramed: boolean; earlier: Earlier },
): Group {
  const gap = Math.max(BETWEEN_SUBNETS, NAME_SHARE * extentOf(groups));
  const inner = arranged(
    groups.sort((a, b) => b.r - a.r),
    { gap, leastGap: BETWEEN_SUBNETS },
  );
  if (!isFramed) return { ...inner, was: earlier.discs.size > 0 ? { ...ORIGIN, r: inner.r } : null };
  const before = earlier.discs.get(networkId);
  const r = Math.max(inner.r + BETWEEN_SUBNETS, before?.r ?? 0);
  const disc: Disc = { id: networkId, kind: "network", networkId, subnet: null, ...ORIGIN, r };
  return { ...inner, r, discs: [disc, ...inner.discs], was: before ?? null };
}

function from(middle: Point, { x, y, r }: Circle): Circle {
  return { x: x - middle.x, y: y - middle.y, r };
}

/** @property leastGap between groups, if some have previous positions */
interface Gaps {
  readonly gap: number;
  readonly leastGap: number;
}

/** Arranges groups around a center: as close as possible, or around previous positions. */
function arranged(groups: readonly Group[], { gap, leastGap }: Gaps): Group {
  const isNew = groups.every(({ was }) => was === null);
  const half = (isNew ? gap : leastGap) / 2;
  const points = isNew
    ? packed(groups.map(({ r }) => r + half))
    : rearranged(groups.map(({ r, was }) => ({ r: r + half, was, grew: was !== null && r > was.r + ROUNDING })));
  const places = new Map<string, Place>();
  const discs: Disc[] = [];
  let reach = 0;
  for (const [index, group] of groups.entries()) {
    const { x, y } = points[index] ?? ORIGIN;
    const moved = <T extends Place>(place: T): T => ({ ...place, x: place.x + x, y: place.y + y });
    for (const [id, place] of group.places) places.set(id, moved(place));
    discs.push(...group.discs.map(moved));
    reach = Math.max(reach, Math.hypot(x, y) + group.r + half);
  }
  return { r: reach, places, discs, was: null };
}

/** Packs circles around a center, as close as possible. */
function packed(radii: readonly number[]): Point[] {
  if (radii.length === 0) return [];
  const circles = radii.map((r) => ({ x: 0, y: 0, r }));
  packSiblings(circles);
  const around = packEnclose(circles);
  return circles.map(({ x, y }) => ({ x: x - around.x, y: y - around.y }));
}
