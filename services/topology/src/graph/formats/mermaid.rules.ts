import { MERMAID_LIMITS, type TopologyEdge, type TopologyNode } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { detailOf, textOf, type GraphWriter } from "./writer.rules.js";

// A flowchart of Mermaid, which Markdown pages of many products show. @see https://mermaid.js.org/syntax/flowchart.html

const SHAPES = { subnet: ["([", "])"], host: ["[", "]"], service: ["(", ")"] } as const;
const LINES = { in_subnet: "---", on_host: "-.-", virtualized_by: "-.->" } as const;

/**
 * The graph for Mermaid, which refuses to draw large ones. Nodes have short names, counted in their order, as every
 * character counts.
 *
 * @throws AppError (its functions) `validation_failed` when the graph is larger than Mermaid draws
 */
export function createMermaidWriter(): GraphWriter {
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

/** Characters that stand for themselves; all others could be read as Markdown, HTML or Mermaid's own. */
const OTHERS = /[^\p{L}\p{N} .,/_-]/gu;

/** A text between quotes: Mermaid writes the code of a character between `#` and `;`. */
function escaped(text: string): string {
  return text.replaceAll(OTHERS, (character) => `#${character.codePointAt(0) ?? 0};`);
}
