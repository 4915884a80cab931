import type { TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { detailOf, textOf, type MapWriter } from "./writer.rules.js";

// Graphviz DOT. @see https://graphviz.org/doc/info/lang.html

const SHAPES = { subnet: "box3d", host: "box", service: "ellipse" } as const;

const STYLES = {
  in_subnet: "dir=none",
  on_host: "dir=none, style=dotted",
  virtualized_by: "style=dashed",
  link: "dir=none",
} as const;

/** The map for Graphviz: `sfdp -Tsvg topology.dot` lays out large maps, `dot` small ones. */
export function createDotWriter(): MapWriter {
  return {
    begin:
      'digraph topology {\n  graph [overlap=prism, rankdir=LR]\n  node [fontname="sans-serif"]\n  edge [fontname="sans-serif", fontsize=10]\n',
    nodes: (nodes) => nodes.map(lineOfNode).join(""),
    between: "",
    edges: (edges) => edges.map(lineOfEdge).join(""),
    end: "}\n",
  };
}

function lineOfNode(node: TopologyNode): string {
  const detail = detailOf(node);
  const label = detail === null ? [node.label] : [node.label, detail];
  return `  "${node.id}" [class=${node.kind}, shape=${SHAPES[node.kind]}, label=${quoted(...label)}]\n`;
}

function lineOfEdge(edge: TopologyEdge): string {
  const text = textOf(edge);
  const label = text === "" ? "" : `, label=${quoted(text)}`;
  return `  "${edge.source}" -> "${edge.target}" [id=${quoted(edge.id)}, class=${edge.kind}, ${STYLES[edge.kind]}${label}]\n`;
}

/** Escapes a label: `\N` and the like would be substituted, and entities such as `&lt;` decoded. */
function quoted(...lines: readonly string[]): string {
  return `"${lines.map(escaped).join("\\n")}"`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll(/\r\n|[\n\r]/g, "\\n");
}
