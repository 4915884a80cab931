import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";

// Nodes and edges of topologies, for tests.

export const NETWORK = "network";

const common = { network_id: NETWORK, tags: [] as string[] };

export const subnet = (id: string, more: object = {}): TopologyNode => ({
  ...common,
  id,
  kind: "subnet",
  label: id,
  cidr: "10.0.0.0/24",
  subnet_type: null,
  vlan: null,
  ...more,
});

export const host = (id: string, more: object = {}): TopologyNode => ({
  ...common,
  id,
  kind: "host",
  label: id,
  hostname: null,
  hidden: false,
  role: null,
  virtualization_type: null,
  ...more,
});

export const service = (id: string, host_id: string, more: object = {}): TopologyNode => ({
  ...common,
  id,
  kind: "service",
  label: id,
  host_id,
  service_definition: "nginx",
  category: "ReverseProxy",
  virtualization_type: null,
  ...more,
});

/** A link by which one host hangs on another. */
export const link = (source: string, target: string, more: object = {}): TopologyEdge => ({
  id: `link:${source}-${target}`,
  kind: "link",
  source,
  target,
  link_id: `${source}-${target}`,
  link_kind: "Ethernet",
  link_source: "Manual",
  source_port: "eth0",
  source_interface_id: null,
  target_port: "Gi1/0/1",
  target_interface_id: null,
  speed_mbps: 1_000,
  vlan_ids: [],
  vids: [],
  is_tree: true,
  ...more,
});

export const inSubnet = (source: string, target: string, more: object = {}): TopologyEdge => ({
  id: `in_subnet:${source}-card`,
  kind: "in_subnet",
  source,
  target,
  interface_id: "i",
  name: null,
  ip_address: "10.0.0.1",
  mac_address: null,
  ...more,
});
