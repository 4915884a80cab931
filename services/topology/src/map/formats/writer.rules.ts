import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";

/** Writes a map as chunks of a file, all nodes before the first edge. */
export interface MapWriter {
  readonly begin: string;
  nodes(nodes: readonly TopologyNode[]): string;
  /** Separates nodes and edges. */
  readonly between: string;
  edges(edges: readonly TopologyEdge[]): string;
  readonly end: string;
}

/** The detail in a node's label: a subnet's CIDR unless it is the name, a host's hostname, a service's definition. */
export function detailOf(node: TopologyNode): string | null {
  switch (node.kind) {
    case "subnet":
      return node.cidr === node.label ? null : node.cidr;
    case "host":
      return node.hostname;
    case "service":
      return node.service_definition;
  }
}

/** The label of an edge: address, distinct ports, kind of virtualization, or ports of a link. */
export function textOf(edge: TopologyEdge): string {
  switch (edge.kind) {
    case "in_subnet":
      return edge.ip_address;
    case "on_host": {
      const ports = edge.bindings.flatMap((one) =>
        one.type === "Port" ? [`${one.port}/${one.protocol.toLowerCase()}`] : [],
      );
      return [...new Set(ports)].join(", ");
    }
    case "virtualized_by":
      return edge.type;
    case "link":
      return [edge.source_port, edge.target_port].filter((port) => port !== null).join(" – ");
  }
}
