import type { Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { type Bound, boundInGraph } from "../sockets/sockets.js";

// The graph as the picture thinks of it: which host stands in which subnet, and what stands on it.

export type SubnetNode = Extract<TopologyNode, { kind: "subnet" }>;
export type HostNode = Extract<TopologyNode, { kind: "host" }>;
export type ServiceNode = Extract<TopologyNode, { kind: "service" }>;
export type InSubnet = Extract<TopologyEdge, { kind: "in_subnet" }>;
export type VirtualizedBy = Extract<TopologyEdge, { kind: "virtualized_by" }>;

export interface HostParts {
  readonly node: HostNode;
  /** Its interfaces, in the order of the answer. */
  readonly interfaces: readonly InSubnet[];
  readonly services: readonly ServiceNode[];
}

export interface Model {
  readonly topology: Topology;
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  /** Subnets, hosts and services, each by name: once for all searches, because comparing names is dear. */
  readonly ordered: readonly TopologyNode[];
  readonly subnets: readonly SubnetNode[];
  readonly hosts: ReadonlyMap<string, HostParts>;
  readonly virtualized: readonly VirtualizedBy[];
  /** What services are bound to, by id. */
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
  for (const node of topology.nodes) {
    if (node.kind === "subnet") subnets.push(node);
    if (node.kind === "host") hosts.set(node.id, { node, interfaces: [], services: [] });
  }
  for (const node of topology.nodes) if (node.kind === "service") hosts.get(node.host_id)?.services.push(node);
  const addresses = new Map<string, string>();
  for (const edge of topology.edges) {
    if (edge.kind === "in_subnet") {
      hosts.get(edge.source)?.interfaces.push(edge);
      addresses.set(edge.interface_id, edge.ip_address);
    }
    if (edge.kind === "virtualized_by") virtualized.push(edge);
  }
  const bound = new Map(
    topology.edges.flatMap((edge) =>
      edge.kind === "on_host" ? [[edge.source, edge.bindings.flatMap((one) => boundInGraph(one, addresses))]] : [],
    ),
  );
  return { topology, nodes, ordered: [...topology.nodes].sort(byKindAndName), subnets, hosts, virtualized, bound };
}

/** Since when imports miss a host or service; null when they do not, and of the past. */
export function missedSince(node: TopologyNode): string | null {
  return node.kind === "subnet" ? null : (node.missed_since ?? null);
}

/** What a service is bound to. */
export function boundTo({ bound }: Model, serviceId: string): readonly Bound[] {
  return bound.get(serviceId) ?? [];
}

/** The addresses of a host, in the order of its interfaces. */
export function addressesOf(host: HostParts | undefined): string[] {
  return (host?.interfaces ?? []).map(({ ip_address }) => ip_address);
}

const ORDER = { subnet: 0, host: 1, service: 2 } as const;
const names = new Intl.Collator("en", { numeric: true });

/** Numbers within names, addresses and blocks count as numbers. */
export function compareNames(a: string, b: string): number {
  return names.compare(a, b);
}

function byKindAndName(a: TopologyNode, b: TopologyNode): number {
  return ORDER[a.kind] - ORDER[b.kind] || names.compare(a.label, b.label) || (a.id < b.id ? -1 : 1);
}

/** The subnet that a host is drawn in: that of its first interface; null when it has none. */
export function homeOf({ interfaces: [first] }: HostParts): string | null {
  return first?.target ?? null;
}

/** The host that a node stands on, or is; null for a subnet. */
export function hostIdOf(node: TopologyNode): string | null {
  if (node.kind === "subnet") return null;
  return node.kind === "host" ? node.id : node.host_id;
}
