import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { escapedXml } from "../../values/xml.rules.js";
import type { MapWriter } from "./writer.rules.js";

// GraphML. @see http://graphml.graphdrawing.org/specification.html

type Value = string | number | boolean | null | undefined | object | readonly (string | number | object)[];

/** Attributes of nodes and edges besides ids; lists are text, as JSON if they contain objects. */
const KEYS = {
  node: [
    "kind",
    "label",
    "network_id",
    "tags",
    "cidr",
    "subnet_type",
    "vlan",
    "hostname",
    "hidden",
    "role",
    "host_id",
    "service_definition",
    "category",
    "virtualization_type",
    "depth",
  ],
  edge: [
    "kind",
    "interface_id",
    "name",
    "ip_address",
    "mac_address",
    "bindings",
    "type",
    "link_id",
    "link_kind",
    "link_source",
    "source_port",
    "source_interface_id",
    "target_port",
    "target_interface_id",
    "speed_mbps",
    "vlan_ids",
    "vids",
    "is_tree",
  ],
} as const;

const TYPES: ReadonlyMap<string, string> = new Map([
  ["hidden", "boolean"],
  ["is_tree", "boolean"],
  ["depth", "int"],
  ["speed_mbps", "int"],
]);

/** The map for yEd, Gephi, NetworkX and others, with everything in the JSON form. */
export function createGraphmlWriter(): MapWriter {
  const keys = (["node", "edge"] as const).flatMap((of) =>
    KEYS[of].map((name) => {
      const type = TYPES.get(name) ?? "string";
      return `  <key id="${of}_${name}" for="${of}" attr.name="${name}" attr.type="${type}"/>\n`;
    }),
  );
  return {
    begin: `<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n${keys.join("")}  <graph id="topology" edgedefault="directed">\n`,
    nodes: (nodes) => nodes.map((node) => `    <node id="${node.id}">${dataOf("node", node)}</node>\n`).join(""),
    between: "",
    edges: (edges) =>
      edges
        .map((edge) => {
          const { id, source, target } = edge;
          return `    <edge id="${id}" source="${source}" target="${target}">${dataOf("edge", edge)}</edge>\n`;
        })
        .join(""),
    end: "  </graph>\n</graphml>\n",
  };
}

function dataOf(of: "node" | "edge", member: TopologyNode | TopologyEdge): string {
  const values = member as Readonly<Record<string, Value>>;
  return KEYS[of]
    .map((name) => {
      const value = values[name];
      return value === undefined || value === null
        ? ""
        : `<data key="${of}_${name}">${escapedXml(textOf(value))}</data>`;
    })
    .join("");
}

function textOf(value: NonNullable<Value>): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
