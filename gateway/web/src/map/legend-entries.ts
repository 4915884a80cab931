import { colourOfUse, FAMILIES, familyOf, familyOfHost, MARKS, NOT_SEEN, PALETTES, type Scheme } from "./colours.js";
import { LINK_NAMES, lookOfLink } from "./link-looks.js";
import { HANGING_KINDS, wordsOf } from "./link-words.js";
import type { PlacedLink } from "./links.js";
import type { Look } from "./look.js";
import { missedSince, type Model } from "./model.js";
import type { Mark } from "./past.js";
import { DASHES } from "./surface.js";

export interface LegendEntry {
  readonly name: string;
  readonly colour: string;
  readonly kind: "fill" | "ring" | "line";
  /** Of a line or ring; absent for an unbroken one. */
  readonly dashes?: readonly number[] | undefined;
}

/** The colours that occur, and what they mean. */
export function legendOf({ model, layout, scheme, marks, relations }: Look): LegendEntry[] {
  const ofHosts = [...model.hosts.values()].map(familyOfHost);
  const ofServices = model.topology.nodes.flatMap((node) => (node.kind === "service" ? [familyOf(node.category)] : []));
  const families = new Set([...ofHosts, ...ofServices]);
  const entries = FAMILIES.filter((family) => families.has(family)).map((family): LegendEntry => ({
    name: family.name,
    colour: family[scheme],
    kind: "fill",
  }));
  if (families.has(null)) entries.push({ name: "Not known", colour: PALETTES[scheme].host, kind: "fill" });
  if (model.topology.nodes.some((node) => missedSince(node) !== null && !marks?.has(node.id)))
    entries.push({ name: NOT_SEEN, colour: PALETTES[scheme].missed, kind: "ring", dashes: DASHES });
  if (layout.lines.length > 0)
    entries.push({ name: "In several subnets", colour: PALETTES[scheme].accent, kind: "line" });
  entries.push(...linkEntries(model, layout.links, scheme));
  if (relations.some(({ kind }) => kind === "uses"))
    for (const [name, isServer] of [
      ["Uses it", true],
      ["Used by it", false],
    ] as const)
      entries.push({ name, colour: colourOfUse(isServer, scheme), kind: "line" });
  return [...entries, ...markEntries(new Set(marks?.values()), scheme)];
}

function linkEntries(model: Model, links: readonly PlacedLink[], scheme: Scheme): LegendEntry[] {
  const kinds = new Set(links.map(({ hanging }) => wordsOf(model, hanging.edgeId)?.kind));
  return HANGING_KINDS.filter((kind) => kinds.has(kind)).map((kind) => {
    const { colour, dashes } = lookOfLink({ kind, speedMbps: null }, scheme);
    return { name: LINK_NAMES[kind], colour, kind: "line", dashes };
  });
}

function markEntries(marks: ReadonlySet<Mark>, scheme: Scheme): LegendEntry[] {
  return (Object.keys(MARKS) as Mark[])
    .filter((mark) => marks.has(mark))
    .map((mark) => ({ name: MARKS[mark].name, colour: MARKS[mark][scheme], kind: "ring" }));
}
