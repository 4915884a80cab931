import { MARKS, PALETTES } from "./colours.js";
import { meet } from "./camera.js";
import type { Rect } from "./geometry.js";
import { putUnder } from "./groups.js";
import { lookOfLink } from "./link-looks.js";
import { fittingOthers, type PlacedLink, STUB } from "./links.js";
import { type LinkWords, otherTexts, wordsOf } from "./link-words.js";
import type { Look } from "./look.js";
import type { Detail } from "./paint-tile.js";
import type { Projection, ProjectedBox } from "./projection.js";
import { fittingText, type Surface } from "./surface.js";

// Links with the ports at their ends: above the thing that hangs there, the port of the device first, then its own.

const TEXT = 10.5;
/** Pixels; smaller texts cannot be read. */
const LEAST_TEXT = 6.5;
const PALE = 0.2;

interface Drawing {
  readonly shown: readonly ProjectedBox[];
  readonly projection: Projection;
  readonly canvas: Rect;
  /** What tiles show. */
  readonly detail: Detail;
}

export interface LinkPainter {
  /** Draws those between boxes. */
  readonly between: () => void;
  /** Draws those in the box of a device. */
  readonly inside: (box: ProjectedBox) => void;
}

export function createLinkPainter(surface: Surface, look: Look, drawing: Drawing): LinkPainter {
  const { links } = look.layout;
  if (links.length === 0) return { between: () => undefined, inside: () => undefined };
  const boxes = new Set(drawing.shown.map(({ box: { spec } }) => spec.key));
  // Lines to cells would be all that is seen of them.
  const isDrawn = ({ isInside, hostId }: PlacedLink): boolean =>
    !isInside || drawing.detail !== "cell" || look.lifted?.has(hostId) === true;
  const seen = links.filter(isDrawn).flatMap((link): Seen[] => {
    const words = wordsOf(look.model, link.hanging.edgeId);
    return words !== null && boxes.has(link.from) && look.shown.has(link.hostId) ? [{ ...link, words }] : [];
  });
  const insideOf = new Map<string, Seen[]>();
  for (const link of seen) if (link.isInside) putUnder(insideOf, link.from, link);
  return {
    between: () => paintLinks(surface, look, { drawing, links: seen.filter(({ isInside }) => !isInside) }),
    inside: ({ box }) => paintLinks(surface, look, { drawing, links: insideOf.get(box.spec.key) ?? [] }),
  };
}

/** A link of the state that is shown: layouts also have those of others. */
interface Seen extends PlacedLink {
  readonly words: LinkWords;
}

interface Painted {
  readonly drawing: Drawing;
  readonly links: readonly Seen[];
}

/** Those that stand out are drawn over the others, with which they share their first part. */
function paintLinks(surface: Surface, look: Look, { drawing, links }: Painted): void {
  const { projection, canvas } = drawing;
  const isLifted = ({ from, hostId }: Seen): boolean =>
    look.lifted === null || (look.lifted.has(hostId) && look.lifted.has(from));
  const weight = ({ words: { kind } }: Seen): number => (kind === "Ethernet" ? 1 : 0);
  const ordered = [...links].sort((a, b) => Number(isLifted(a)) - Number(isLifted(b)) || weight(a) - weight(b));
  for (const link of ordered) {
    const { points, label } = projection.linkAt(link);
    if (!meet(reachOf(points, label), canvas)) continue;
    const mark = look.marks?.get(link.hanging.edgeId);
    const usual = lookOfLink(link.words, look.scheme);
    const { dashes } = usual;
    // Between tiles that are mere icons, there would be more line than tile.
    const width = link.isInside && (drawing.detail === "icon" || drawing.detail === "cell") ? 1 : usual.width;
    const colour = mark === undefined ? usual.colour : MARKS[mark][look.scheme];
    const isFull = isLifted(link);
    // not by opacity, because they lie on each other
    surface.opacity = 1;
    surface.line(points, { colour: isFull ? colour : PALETTES[look.scheme].free, width, dashes });
    surface.opacity = isFull ? 1 : PALE;
    if (meet(label, canvas)) paintPorts(surface, look, { link, label, unit: projection.scale });
  }
  surface.opacity = 1;
}

/** What a link and its texts cover. */
function reachOf(points: readonly { readonly x: number; readonly y: number }[], label: Rect): Rect {
  const first = points[0] ?? label;
  const x = Math.min(first.x, label.x);
  const y = Math.min(first.y, label.y);
  const right = label.x + label.width;
  const bottom = Math.max(first.y, label.y + label.height);
  return { x, y, width: right - x, height: bottom - y };
}

interface Ports {
  readonly link: Seen;
  readonly label: Rect;
  /** Pixels per map unit. */
  readonly unit: number;
}

function paintPorts(surface: Surface, look: Look, { link: { hanging, words }, label, unit }: Ports): void {
  const size = TEXT * unit;
  if (size < LEAST_TEXT) return;
  const { text, dimText } = PALETTES[look.scheme];
  const { there, here, speed, vlans, kind } = words;
  const rows: readonly (readonly [string, string])[] = [
    [there === "" && kind === "Guest" ? "runs here" : there, speed],
    [here, vlans],
    ...fittingOthers(otherTexts(look.model, hanging)).map((other) => [other, ""] as const),
  ];
  for (const [index, [left, right]] of rows.entries()) {
    const y = label.y + ((index + 1) * STUB.line - 1) * unit;
    if (y + size * 0.3 > label.y + label.height) return;
    const aside = fittingText(surface, right, { width: label.width * (left === "" ? 1 : 0.55), size, weight: 400 });
    const used = surface.widthOf(aside, { size, weight: 400 });
    const width = label.width - (used === 0 ? 0 : used + 6 * unit);
    const colour = index === 0 ? text : dimText;
    const port = fittingText(surface, left, { width, size, weight: 400 });
    if (port !== "") surface.text(port, { x: label.x, y }, { size, weight: 400, colour });
    if (aside !== "")
      surface.text(aside, { x: label.x + label.width, y }, { size, weight: 400, colour: dimText, align: "right" });
  }
}
