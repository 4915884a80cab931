import type { MapWriter } from "./writer.rules.js";

/** The map as defined by the contract. */
export function createJsonWriter(): MapWriter {
  const nodes = createRows();
  const edges = createRows();
  return { begin: '{"nodes":[', nodes, between: '],"edges":[', edges, end: "]}" };
}

/** Creates a function that writes the elements of a list, in batches of any size. */
function createRows(): (elements: readonly object[]) => string {
  let separator = "";
  return (elements) => {
    if (elements.length === 0) return "";
    const text = separator + elements.map((element) => JSON.stringify(element)).join(",");
    separator = ",";
    return text;
  };
}
