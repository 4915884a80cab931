import { z } from "zod";
import { Category } from "./categories.js";
import { filters, Id, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { LinkKind } from "./links.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { Protocol } from "./ports.js";
import { Role } from "./roles.js";

/** Response formats; all but the first are plain files. */
export const TOPOLOGY_FORMATS = ["json", "dot", "mermaid", "graphml"] as const;
export type TopologyFormat = (typeof TOPOLOGY_FORMATS)[number];

/** What the map is of: subnets, hosts and services, or hosts and the links between them. */
export const TOPOLOGY_LAYERS = ["l3", "l2"] as const;
export type TopologyLayer = (typeof TOPOLOGY_LAYERS)[number];

/** Default limits of Mermaid renderers. */
export const MERMAID_LIMITS = { edges: 500, characters: 50_000 } as const;

const missable = {
  missed_since: Timestamp.optional().describe(
    "Since when imports have missed it; absent if they have not, and from past states.",
  ),
};

const node = {
  id: Id.describe("Id of the subnet, host or service."),
  label: z.string().describe("Display name."),
  network_id: Id,
  tags: z.array(z.string()),
};

/** The VLAN that a subnet is in. */
const NodeVlan = z.object({ id: Id, vid: z.int(), name: z.string() }).meta({ id: "SubnetNodeVlan" });

export const TopologyNode = z
  .discriminatedUnion("kind", [
    z
      .object({
        ...node,
        kind: z.literal("subnet"),
        cidr: z.string(),
        subnet_type: z.string().nullable(),
        vlan: NodeVlan.nullable(),
      })
      .meta({ id: "SubnetNode" }),
    z
      .object({
        ...node,
        kind: z.literal("host"),
        hostname: z.string().nullable(),
        hidden: z.boolean(),
        role: Role.nullable().describe(
          "What people say that it is, otherwise what is probable; null if neither is known.",
        ),
        virtualization_type: z.string().nullable(),
        depth: z
          .int()
          .optional()
          .describe(
            "Only in the layer `l2`: steps from the core of its part of the network, which has 0; absent if no link leads to it, or to what it runs on.",
          ),
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

/** A binding with its port number, so that diagrams need no further requests. */
export const TopologyBinding = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("Interface"), id: Id, interface_id: Id }).meta({ id: "TopologyInterfaceBinding" }),
    z
      .object({
        type: z.literal("Port"),
        id: Id,
        port_id: Id,
        port: z.int().describe("Port number."),
        protocol: Protocol,
        interface_id: Id.nullable().describe("null: on all interfaces of the host."),
      })
      .meta({ id: "TopologyPortBinding" }),
  ])
  .meta({ id: "TopologyBinding" });
export type TopologyBinding = z.infer<typeof TopologyBinding>;

const edge = {
  id: z.string().max(64).describe("Stable across responses."),
  source: Id.describe("Id of a node in the response."),
  target: Id.describe("Id of a node in the response."),
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
      .describe("Connects a host to a subnet through one of its interfaces.")
      .meta({ id: "InSubnetEdge" }),
    z
      .object({ ...edge, kind: z.literal("on_host"), bindings: z.array(TopologyBinding) })
      .describe("Connects a service to its host.")
      .meta({ id: "OnHostEdge" }),
    z
      .object({ ...edge, kind: z.literal("virtualized_by"), type: z.string() })
      .describe("Connects a host or service to the host or service that runs it.")
      .meta({ id: "VirtualizedByEdge" }),
    z
      .object({
        ...edge,
        kind: z.literal("link"),
        link_id: Id,
        link_kind: LinkKind,
        link_source: z.string().describe("As the `source.type` of links."),
        source_port: z.string().nullable(),
        source_interface_id: Id.nullable(),
        target_port: z.string().nullable(),
        target_interface_id: Id.nullable(),
        speed_mbps: z.int().nullable(),
        vlan_ids: z.array(Id),
        vids: z.array(z.int()).describe("Their numbers."),
        is_tree: z
          .boolean()
          .describe(
            "Whether the source hangs on the target by this link. Links of rings and second cables are not part of the tree.",
          ),
      })
      .describe("Connects two hosts, in the layer `l2`: the source is as far from the core as the target, or farther.")
      .meta({ id: "LinkEdge" }),
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
  summary: "Get the topology as a graph",
  description:
    "Nodes are subnets, hosts and services. Edges connect hosts to subnets, services to hosts, and virtualized entities to what " +
    "runs them. The response is a consistent snapshot, and contains both ends of every edge. A host or service is " +
    "`virtualized_by` the `service_id` or `host_id` in its `virtualization.details`. In the layer `l2`, nodes are hosts, and edges " +
    "are the links between them and what hosts run on, as a tree from the core. Formats other than JSON " +
    `are plain files without an envelope. Mermaid supports at most ${MERMAID_LIMITS.edges} edges and ` +
    `${MERMAID_LIMITS.characters} characters; larger graphs are refused in that format.`,
  query: z.strictObject({
    ...asOf,
    network_id: filters.network_id,
    layer: z
      .enum(TOPOLOGY_LAYERS)
      .meta({ id: "TopologyLayer" })
      .default("l3")
      .describe("`l3`: subnets, hosts and services. `l2`: hosts and the links between them."),
    format: z.enum(TOPOLOGY_FORMATS).meta({ id: "TopologyFormat" }).default("json"),
  }),
  response: Topology,
  files: ["text/vnd.graphviz", "application/vnd.mermaid", "application/graphml+xml"],
  errors: AS_OF_ERRORS,
});
