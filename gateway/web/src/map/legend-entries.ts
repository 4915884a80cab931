import { FAMILIES, familyOf, MARKS, NOT_SEEN, PALETTES, type Scheme } from "./colours.js";
import type { Look } from "./look.js";
import { missedSince } from "./model.js";
import type { Mark } from "./past.js";

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
  if (model.topology.nodes.some((node) => missedSince(node) !== null && !marks?.has(node.id)))
    entries.push({ name: NOT_SEEN, colour: PALETTES[scheme].missed, kind: "fill" });
  if (layout.lines.length > 0)
    entries.push({ name: "In several subnets", colour: PALETTES[scheme].accent, kind: "line" });
  return [...entries, ...markEntries(new Set(marks?.values()), scheme)];
}

function markEntries(marks: ReadonlySet<Mark>, scheme: Scheme): LegendEntry[] {
  return (Object.keys(MARKS) as Mark[])
    .filter((mark) => marks.has(mark))
    .map((mark) => ({ name: MARKS[mark].name, colour: MARKS[mark][scheme], kind: "ring" }));
}
