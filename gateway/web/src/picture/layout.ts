import { packEnclose, packSiblings } from "d3-hierarchy";
import { homeOf, type HostParts, type Model, type SubnetNode } from "./model.js";

// Where everything stands, computed once and always the same for the same graph: services on arcs above their host, hosts
// around the hub of their subnet, subnets beside each other, and networks beside each other when there are several. Nothing
// overlaps. Lengths are in units of the picture; `y` points upwards.

export interface Place {
  readonly x: number;
  readonly y: number;
  /** Radius. */
  readonly r: number;
  /** Of a host: the radius that it has with all of its services, and room for its name. */
  readonly room?: number;
}

export interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** A round area that holds what belongs together. */
export interface Disc extends Place {
  /** Of the subnet or network; for hosts without an address that of their network with a prefix. */
  readonly id: string;
  readonly kind: "subnet" | "network";
  readonly networkId: string;
  /** null for hosts without an address, and for networks, whose names the graph does not hold. */
  readonly subnet: SubnetNode | null;
}

export interface Layout {
  /** Of every node, by id. */
  readonly places: ReadonlyMap<string, Place>;
  readonly discs: readonly Disc[];
  /** Holds everything, the names of areas included. */
  readonly bounds: Box;
}

export const SIZES = { hub: 10, host: 9, service: 3.6 } as const;

const GAP = 2.4;
const LEAST_HOST = 25;
const AROUND_HOSTS = 4;
const AROUND_SUBNET = 12;
const BETWEEN_SUBNETS = 24;

/** Share of the whole that stays free between areas, so that there is room for a name when all of it is seen. */
const NAME_SHARE = 0.05;
const BETWEEN_NETWORKS = 40;

/** Services leave room below their host for its name. */
const ARC = { from: (7 / 6) * Math.PI, length: (4 / 3) * Math.PI } as const;

interface Circle {
  x: number;
  y: number;
  readonly r: number;
}

/** Something that has been laid out around its own middle. */
interface Group extends Circle {
  readonly places: ReadonlyMap<string, Place>;
  readonly discs: readonly Disc[];
}

export function layoutOf(model: Model): Layout {
  const networks = new Map<string, { subnets: SubnetNode[]; homeless: HostParts[] }>();
  const networkOf = (id: string): { subnets: SubnetNode[]; homeless: HostParts[] } => {
    const known = networks.get(id) ?? { subnets: [], homeless: [] };
    networks.set(id, known);
    return known;
  };
  const inSubnet = new Map<string, HostParts[]>();
  for (const subnet of model.subnets) networkOf(subnet.network_id).subnets.push(subnet);
  for (const host of model.hosts.values()) {
    const home = homeOf(host);
    if (home === null) networkOf(host.node.network_id).homeless.push(host);
    else inSubnet.set(home, [...(inSubnet.get(home) ?? []), host]);
  }
  const groups = [...networks].map(([networkId, { subnets, homeless }]) => {
    const discs = subnets.map((subnet) => subnetGroup(networkId, subnet, inSubnet.get(subnet.id) ?? []));
    if (homeless.length > 0) discs.push(subnetGroup(networkId, null, homeless));
    return networkGroup(networkId, discs, networks.size > 1);
  });
  const { places, discs } = packed(groups, BETWEEN_NETWORKS);
  return { places, discs, bounds: boundsOf(discs) };
}

/** About how wide circles are when they are packed. */
function extentOf(circles: readonly Circle[]): number {
  return 2.2 * Math.hypot(...circles.map(({ r }) => r));
}

function boundsOf(discs: readonly Disc[]): Box {
  const box = { left: 0, right: 0, bottom: 0, top: 0 };
  const name = Math.max(BETWEEN_SUBNETS, NAME_SHARE * extentOf(discs.filter(({ kind }) => kind === "subnet")));
  for (const { x, y, r } of discs) {
    box.left = Math.min(box.left, x - r);
    box.right = Math.max(box.right, x + r);
    box.bottom = Math.min(box.bottom, y - r);
    box.top = Math.max(box.top, y + r + name);
  }
  return box;
}

/** A host with its services on arcs above it. */
function hostGroup({ node, services }: HostParts): Group {
  const places = new Map<string, Place>();
  const step = 2 * SIZES.service + GAP;
  let reach = SIZES.host;
  for (let done = 0, ring = 0; done < services.length; ring++) {
    const radius = SIZES.host + GAP + SIZES.service + ring * step;
    const room = Math.floor((ARC.length * radius) / step) + 1;
    const some = services.slice(done, done + room);
    const angleStep = some.length < room ? step / radius : ARC.length / (room - 1);
    const first = Math.PI / 2 + ((some.length - 1) * angleStep) / 2;
    for (const [index, { id }] of some.entries()) {
      const angle = first - index * angleStep;
      places.set(id, { x: radius * Math.cos(angle), y: radius * Math.sin(angle), r: SIZES.service });
    }
    done += some.length;
    reach = radius + SIZES.service;
  }
  const room = Math.max(reach, LEAST_HOST);
  places.set(node.id, { x: 0, y: 0, r: SIZES.host, room });
  return { x: 0, y: 0, r: room, places, discs: [] };
}

/** The hosts of a subnet around its hub; without a subnet there is no hub. */
function subnetGroup(networkId: string, subnet: SubnetNode | null, hosts: readonly HostParts[]): Group {
  const hub: Group[] =
    subnet === null
      ? []
      : [{ x: 0, y: 0, r: SIZES.hub + GAP, places: new Map([[subnet.id, { x: 0, y: 0, r: SIZES.hub }]]), discs: [] }];
  const largestFirst = hosts.map(hostGroup).sort((a, b) => b.r - a.r);
  const inner = packed([...hub, ...largestFirst], AROUND_HOSTS);
  const r = inner.r + AROUND_SUBNET;
  const disc: Disc = { id: subnet?.id ?? `none:${networkId}`, kind: "subnet", networkId, subnet, x: 0, y: 0, r };
  return { ...inner, r, discs: [disc] };
}

function networkGroup(networkId: string, groups: Group[], isFramed: boolean): Group {
  const inner = packed(
    groups.sort((a, b) => b.r - a.r),
    Math.max(BETWEEN_SUBNETS, NAME_SHARE * extentOf(groups)),
  );
  if (!isFramed) return inner;
  const r = inner.r + BETWEEN_SUBNETS;
  return { ...inner, r, discs: [{ id: networkId, kind: "network", networkId, subnet: null, x: 0, y: 0, r }, ...inner.discs] }; // prettier-ignore
}

/** Groups side by side, as close as they get, around one middle. */
function packed(groups: readonly Group[], gap: number): Group {
  if (groups.length === 0) return { x: 0, y: 0, r: 0, places: new Map(), discs: [] };
  const circles = groups.map((group) => ({ x: 0, y: 0, r: group.r + gap / 2, group }));
  packSiblings(circles);
  const around = packEnclose(circles);
  const places = new Map<string, Place>();
  const discs: Disc[] = [];
  for (const { x, y, group } of circles) {
    const moved = <T extends Place>(place: T): T => ({
      ...place,
      x: place.x + x - around.x,
      y: place.y + y - around.y,
    });
    for (const [id, place] of group.places) places.set(id, moved(place));
    discs.push(...group.discs.map(moved));
  }
  return { x: 0, y: 0, r: around.r, places, discs };
}
