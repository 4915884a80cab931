import { FAMILIES, familyOf, MARKS, NOT_SEEN, PALETTES, type Scheme } from "./colours.js";
import type { Look } from "./look.js";
import { missedSince } from "./model.js";

export interface LegendEntry {
  readonly name: string;
  readonly colour: string;
  readonly kind: "fill" | "ring" | "line";
}

/** The colours that occur, and what they mean. */
export function legendOf({ model, layout, scheme, marks }: Look): LegendEntry[] {
  const families = new Set(
    model.topology.nodes.flatMap((node) => (node.kind === "service" ? [familyOf(node.category)] : [])),
  );
  const entries = FAMILIES.filter((family) => families.has(family)).map((family): LegendEntry => ({
    name: family.name,
    colour: family[scheme],
    kind: "fill",
  }));
  if (model.topology.nodes.some((node) => missedSince(node) !== null))
    entries.push({ name: NOT_SEEN, colour: PALETTES[scheme].missed, kind: "fill" });
  if (layout.lines.length > 0)
    entries.push({ name: "In several subnets", colour: PALETTES[scheme].accent, kind: "line" });
  return [...entries, ...(marks === null ? [] : markEntries(scheme))];
}

function markEntries(scheme: Scheme): LegendEntry[] {
  return Object.values(MARKS).map((mark) => ({ name: mark.name, colour: mark[scheme], kind: "ring" }));
}
