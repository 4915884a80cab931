import type { GraphWriter } from "./writer.rules.js";

/** The graph as the contract has it. */
export function createJsonWriter(): GraphWriter {
  const [nodes, edges] = [createRows(), createRows()];
  return { begin: '{"nodes":[', nodes, between: '],"edges":[', edges, end: "]}" };
}

/** Makes a function that writes the elements of one list, however many come at a time. */
function createRows(): (elements: readonly object[]) => string {
  let separator = "";
  return (elements) => {
    if (elements.length === 0) return "";
    const text = separator + elements.map((element) => JSON.stringify(element)).join(",");
    separator = ",";
    return text;
  };
}
