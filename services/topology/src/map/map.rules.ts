import type {
  Category,
  HostRecord,
  Interface,
  Port,
  Role,
  Service,
  Subnet,
  TopologyBinding,
  TopologyEdge,
  TopologyNode,
  Vlan,
} from "@nts/shared/contract";
import { type Runner, runnersOf, type Virtualizable } from "../values/runners.rules.js";

// Maps entities to nodes and edges. Edges lead from part to whole: host to subnet, service to host, virtualized entity
// to its runner. Their ids are those of the entities they represent.

type HostNode = Extract<TopologyNode, { readonly kind: "host" }>;

/** @param vlans that subnets are in, by id */
export function subnetNode(subnet: Subnet, vlans: ReadonlyMap<string, Vlan>): TopologyNode {
  const { id, name, network_id, tags, cidr, subnet_type } = subnet;
  const found = vlans.get(subnet.vlan_id ?? "");
  const vlan = found === undefined ? null : { id: found.id, vid: found.vid, name: found.name };
  return { id, kind: "subnet", label: name, network_id, tags, cidr, subnet_type, vlan };
}

export function hostNode(host: HostRecord, missedSince: string | null): HostNode {
  const { id, name, network_id, tags, hostname, hidden, virtualization } = host;
  const virtualization_type = virtualization?.type ?? null;
  const own = { hostname, hidden, role: roleOfHost(host), virtualization_type };
  return { id, kind: "host", label: name, network_id, tags, ...own, ...missed(missedSince) };
}

/** What people say that it is, otherwise what is probable. */
export function roleOfHost({ role, observed }: Pick<HostRecord, "role" | "observed">): Role | null {
  return role ?? observed?.role?.value ?? null;
}

export function serviceNode(service: Service, category: Category, missedSince: string | null): TopologyNode {
  const { id, name, network_id, tags, host_id, service_definition } = service;
  const virtualization_type = service.virtualization?.type ?? null;
  const own = { host_id, service_definition, category, virtualization_type };
  return { id, kind: "service", label: name, network_id, tags, ...own, ...missed(missedSince) };
}

function missed(since: string | null): { missed_since?: string } {
  return since === null ? {} : { missed_since: since };
}

/** The host of an interface in the subnet of its address. */
export function inSubnetEdge({ id, host_id, subnet_id, name, ip_address, mac_address }: Interface): TopologyEdge {
  const through = { interface_id: id, name, ip_address, mac_address };
  return { id: `in_subnet:${id}`, kind: "in_subnet", source: host_id, target: subnet_id, ...through };
}

/** A service on its host. @param ports of its bindings, by id */
export function onHostEdge({ id, host_id, bindings }: Service, ports: ReadonlyMap<string, Port>): TopologyEdge {
  const shown = bindings.flatMap((binding): TopologyBinding[] => {
    if (binding.type === "Interface")
      return [{ type: "Interface", id: binding.id, interface_id: binding.interface_id }];
    const port = ports.get(binding.port_id);
    if (port === undefined) return [];
    const { number, protocol } = port;
    const { port_id, interface_id } = binding;
    return [{ type: "Port", id: binding.id, port_id, port: number, protocol, interface_id }];
  });
  return { id: `on_host:${id}`, kind: "on_host", source: id, target: host_id, bindings: shown };
}

/** An entity under the first of its runners in the map; null if there is none. */
export function virtualizedByEdges(entity: Virtualizable, isThere: (runner: Runner) => boolean): TopologyEdge[] {
  const { id, virtualization } = entity;
  const runner = runnersOf(entity).find(isThere);
  if (runner === undefined || virtualization === null) return [];
  const { type } = virtualization;
  return [{ id: `virtualized_by:${id}`, kind: "virtualized_by", source: id, target: runner.id, type }];
}
