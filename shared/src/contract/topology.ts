import { z } from "zod";
import { Category } from "./categories.js";
import { filters, Id, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { PROTOCOLS } from "./ports.js";

/** How the graph is answered; all but the first are plain files. */
export const TOPOLOGY_FORMATS = ["json", "dot", "mermaid", "graphml"] as const;
export type TopologyFormat = (typeof TOPOLOGY_FORMATS)[number];

/** Mermaid draws no more than this many edges, nor a longer text, unless its viewer allows more. */
export const MERMAID_LIMITS = { edges: 500, characters: 50_000 } as const;

/** What imports may have missed. */
const missable = {
  missed_since: Timestamp.optional().describe("Since when imports miss it; absent when they do not, and in the past."),
};

const node = {
  id: Id.describe("Of the subnet, host or service."),
  label: z.string().describe("Its name."),
  network_id: Id,
  tags: z.array(z.string()),
};

export const TopologyNode = z
  .discriminatedUnion("kind", [
    z
      .object({ ...node, kind: z.literal("subnet"), cidr: z.string(), subnet_type: z.string().nullable() })
      .meta({ id: "SubnetNode" }),
    z
      .object({
        ...node,
        kind: z.literal("host"),
        hostname: z.string().nullable(),
        hidden: z.boolean(),
        virtualization_type: z.string().nullable(),
        ...missable,
      })
      .meta({ id: "HostNode" }),
    z
      .object({
        ...node,
        kind: z.literal("service"),
        host_id: Id,
        service_definition: z.string(),
        category: Category,
        virtualization_type: z.string().nullable(),
        ...missable,
      })
      .meta({ id: "ServiceNode" }),
  ])
  .meta({ id: "TopologyNode" });
export type TopologyNode = z.infer<typeof TopologyNode>;

/** A binding with what its port is, so that a picture needs nothing more. */
export const TopologyBinding = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("Interface"), id: Id, interface_id: Id }).meta({ id: "TopologyInterfaceBinding" }),
    z
      .object({
        type: z.literal("Port"),
        id: Id,
        port_id: Id,
        port: z.int().describe("Number of the port."),
        protocol: z.enum(PROTOCOLS),
        interface_id: Id.nullable().describe("null: on all interfaces of the host."),
      })
      .meta({ id: "TopologyPortBinding" }),
  ])
  .meta({ id: "TopologyBinding" });
export type TopologyBinding = z.infer<typeof TopologyBinding>;

const edge = {
  id: z.string().max(64).describe("Stays the same from one answer to the next."),
  source: Id.describe("A node of the same answer."),
  target: Id.describe("A node of the same answer."),
};

export const TopologyEdge = z
  .discriminatedUnion("kind", [
    z
      .object({
        ...edge,
        kind: z.literal("in_subnet"),
        interface_id: Id,
        name: z.string().nullable(),
        ip_address: z.string(),
        mac_address: z.string().nullable(),
      })
      .describe("A host in a subnet, through one of its interfaces.")
      .meta({ id: "InSubnetEdge" }),
    z
      .object({ ...edge, kind: z.literal("on_host"), bindings: z.array(TopologyBinding) })
      .describe("A service on its host.")
      .meta({ id: "OnHostEdge" }),
    z
      .object({ ...edge, kind: z.literal("virtualized_by"), type: z.string() })
      .describe("A host or service, and the host or service that runs it.")
      .meta({ id: "VirtualizedByEdge" }),
  ])
  .meta({ id: "TopologyEdge" });
export type TopologyEdge = z.infer<typeof TopologyEdge>;

export const Topology = z
  .object({ nodes: z.array(TopologyNode), edges: z.array(TopologyEdge) })
  .meta({ id: "Topology" });
export type Topology = z.infer<typeof Topology>;

export const getTopology = endpoint({
  operationId: "get_topology",
  method: "get",
  path: "/api/v1/topology",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Topology",
  summary: "The topology as a graph",
  description:
    "Subnets, hosts and services as nodes; hosts in subnets, services on hosts, and what runs what as edges, from the part " +
    "to the whole. Everything is of one moment, and every edge joins two nodes of the answer. A host or service is " +
    "`virtualized_by` the one that its `virtualization.details` names as `service_id` or `host_id`. Other formats than JSON " +
    `are plain files without an envelope. Mermaid draws at most ${MERMAID_LIMITS.edges} edges in ` +
    `${MERMAID_LIMITS.characters} characters; a larger graph is refused in that format.`,
  query: z.strictObject({
    ...asOf,
    network_id: filters.network_id,
    format: z.enum(TOPOLOGY_FORMATS).default("json"),
  }),
  response: Topology,
  files: ["text/vnd.graphviz", "application/vnd.mermaid", "application/graphml+xml"],
  errors: AS_OF_ERRORS,
});
