import type { Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { compareNames } from "../parts/names.js";
import { type Bound, boundInMap } from "../sockets/sockets.js";

// The graph as a hierarchy: hosts in subnets, and services on hosts.

export type SubnetNode = Extract<TopologyNode, { kind: "subnet" }>;
export type HostNode = Extract<TopologyNode, { kind: "host" }>;
export type ServiceNode = Extract<TopologyNode, { kind: "service" }>;
export type InSubnet = Extract<TopologyEdge, { kind: "in_subnet" }>;
export type VirtualizedBy = Extract<TopologyEdge, { kind: "virtualized_by" }>;
export type LinkEdge = Extract<TopologyEdge, { kind: "link" }>;

export interface HostParts {
  readonly node: HostNode;
  /** Its interfaces, in the order of the response. */
  readonly interfaces: readonly InSubnet[];
  readonly services: readonly ServiceNode[];
}

export interface Model {
  readonly topology: Topology;
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  /** Nodes by name, sorted once, because comparing names is expensive. */
  readonly ordered: readonly TopologyNode[];
  readonly subnets: readonly SubnetNode[];
  /** Numbers of addresses by subnet id. */
  readonly addressesIn: ReadonlyMap<string, number>;
  readonly hosts: ReadonlyMap<string, HostParts>;
  readonly virtualized: readonly VirtualizedBy[];
  /** Only where they are shown. */
  readonly links: readonly LinkEdge[];
  /** Links, and that something runs somewhere, by id. */
  readonly hangings: ReadonlyMap<string, LinkEdge | VirtualizedBy>;
  /** Bindings by service id. */
  readonly bound: ReadonlyMap<string, readonly Bound[]>;
}

interface GrowingHost extends HostParts {
  readonly interfaces: InSubnet[];
  readonly services: ServiceNode[];
}

export function modelOf(topology: Topology): Model {
  const nodes = new Map(topology.nodes.map((node) => [node.id, node]));
  const subnets: SubnetNode[] = [];
  const hosts = new Map<string, GrowingHost>();
  const virtualized: VirtualizedBy[] = [];
  const links: LinkEdge[] = [];
  for (const node of topology.nodes) {
    if (node.kind === "subnet") subnets.push(node);
    if (node.kind === "host") hosts.set(node.id, { node, interfaces: [], services: [] });
  }
  for (const node of topology.nodes) if (node.kind === "service") hosts.get(node.host_id)?.services.push(node);
  const addresses = new Map<string, string>();
  const addressesIn = new Map<string, number>();
  for (const edge of topology.edges) {
    if (edge.kind === "in_subnet") {
      hosts.get(edge.source)?.interfaces.push(edge);
      addresses.set(edge.interface_id, edge.ip_address);
      addressesIn.set(edge.target, (addressesIn.get(edge.target) ?? 0) + 1);
    }
    if (edge.kind === "virtualized_by") virtualized.push(edge);
    if (edge.kind === "link") links.push(edge);
  }
  const bound = new Map(
    topology.edges.flatMap((edge) =>
      edge.kind === "on_host" ? [[edge.source, edge.bindings.flatMap((one) => boundInMap(one, addresses))]] : [],
    ),
  );
  const ordered = [...topology.nodes].sort(byKindAndName);
  const hangings = new Map([...links, ...virtualized].map((edge) => [edge.id, edge]));
  return { topology, nodes, ordered, subnets, addressesIn, hosts, virtualized, links, hangings, bound };
}

/** Since when imports have missed a node; null if they have not, and for past states. */
export function missedSince(node: TopologyNode): string | null {
  return node.kind === "subnet" ? null : (node.missed_since ?? null);
}

export function boundTo({ bound }: Model, serviceId: string): readonly Bound[] {
  return bound.get(serviceId) ?? [];
}

/** The addresses of a host, by interface. */
export function addressesOf(host: HostParts | undefined): string[] {
  return (host?.interfaces ?? []).map(({ ip_address }) => ip_address);
}

const ORDER = { subnet: 0, host: 1, service: 2 } as const;
function byKindAndName(a: TopologyNode, b: TopologyNode): number {
  return ORDER[a.kind] - ORDER[b.kind] || compareNames(a.label, b.label) || (a.id < b.id ? -1 : 1);
}

/** The subnets of a host, each once, in the order of its interfaces. */
export function subnetsOf({ interfaces }: HostParts): string[] {
  return [...new Set(interfaces.map(({ target }) => target))];
}

/** Such as `VLAN 10 Office`; empty for a subnet in none. */
export function vlanOf({ vlan }: Pick<SubnetNode, "vlan">): string {
  return vlan === null ? "" : `VLAN ${vlan.vid} ${vlan.name}`;
}

/** The host of a node; null for a subnet. */
export function hostIdOf(node: TopologyNode): string | null {
  if (node.kind === "subnet") return null;
  return node.kind === "host" ? node.id : node.host_id;
}
