import { MERMAID_LIMITS, type TopologyEdge, type TopologyNode } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { detailOf, textOf, type MapWriter } from "./writer.rules.js";

// A Mermaid flowchart, which many Markdown renderers display. @see https://mermaid.js.org/syntax/flowchart.html

const SHAPES = { subnet: ["([", "])"], host: ["[", "]"], service: ["(", ")"] } as const;
const LINES = { in_subnet: "---", on_host: "-.-", virtualized_by: "-.->", link: "---" } as const;

/**
 * The map for Mermaid, whose size is limited, so nodes have short numbered names.
 *
 * @throws AppError (its functions) `validation_failed` if the map exceeds Mermaid's limits
 */
export function createMermaidWriter(): MapWriter {
  const names = new Map<string, string>();
  const begin = "flowchart LR\n";
  let characters = begin.length;
  let edgeCount = 0;

  function counted(text: string): string {
    characters += text.length;
    if (characters > MERMAID_LIMITS.characters || edgeCount > MERMAID_LIMITS.edges) throw tooLarge();
    return text;
  }

  function lineOfNode(node: TopologyNode): string {
    const name = `n${names.size}`;
    names.set(node.id, name);
    const [open, close] = SHAPES[node.kind];
    const detail = detailOf(node);
    const label = escaped(node.label) + (detail === null ? "" : `<br>${escaped(detail)}`);
    return `  ${name}${open}"${label}"${close}\n`;
  }

  function lineOfEdge(edge: TopologyEdge): string {
    edgeCount++;
    const text = escaped(textOf(edge));
    const label = text === "" ? "" : `|"${text}"|`;
    return `  ${names.get(edge.source) ?? ""} ${LINES[edge.kind]}${label} ${names.get(edge.target) ?? ""}\n`;
  }

  return {
    begin,
    nodes: (nodes) => nodes.map((node) => counted(lineOfNode(node))).join(""),
    between: "",
    edges: (edges) => edges.map((edge) => counted(lineOfEdge(edge))).join(""),
    end: "",
  };
}

function tooLarge() {
  const { edges, characters } = MERMAID_LIMITS;
  const message = `Mermaid draws at most ${edges} edges in ${characters} characters: choose one network, or another format`;
  return validationFailed({ path: "format", message });
}

/** Characters without meaning in Markdown, HTML and Mermaid. */
const OTHERS = /[^\p{L}\p{N} .,/_-]/gu;

/** Quotes a text: Mermaid escapes characters as `#code;`. */
function escaped(text: string): string {
  return text.replaceAll(OTHERS, (character) => `#${character.codePointAt(0) ?? 0};`);
}
