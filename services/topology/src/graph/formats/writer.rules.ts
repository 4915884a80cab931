import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";

/** Writes one graph, of which all nodes come before the first edge, as the texts that make up a file. */
export interface GraphWriter {
  readonly begin: string;
  nodes(nodes: readonly TopologyNode[]): string;
  /** Stands between the nodes and the edges. */
  readonly between: string;
  edges(edges: readonly TopologyEdge[]): string;
  readonly end: string;
}

/** What stands beside the name of a node: the block of a subnet, the hostname of a host, the definition of a service. */
export function detailOf(node: TopologyNode): string | null {
  switch (node.kind) {
    case "subnet":
      return node.cidr;
    case "host":
      return node.hostname;
    case "service":
      return node.service_definition;
  }
}

/** What an edge says: the address, the ports without repetition, or the kind of virtualization. */
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
  }
}
