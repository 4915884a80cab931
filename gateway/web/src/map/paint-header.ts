import type { Rect } from "./geometry.js";
import { PALETTES } from "./colours.js";
import { detailBeside } from "../parts/detail.js";
import { type BarSpec, type BoxSpec, SEPARATOR } from "./boxes.js";
import type { Look } from "./look.js";
import type { Detail } from "./paint-tile.js";
import type { ProjectedBox } from "./projection.js";
import { fittingText, type Surface } from "./surface.js";

// The headers of boxes: name, detail, and the share of addresses in use.

/** Pixels. */
const LEAST_WIDTH = 28;
const LEAST_HEIGHT = 9;
const TWO_LINES = 34;
const PAD = 8;
const GAP = 8;
const BAR_HEIGHT = 3;

/** @param detail what tiles show */
export function paintHeader(
  surface: Surface,
  look: Look,
  { box: { spec, isCollapsed }, header }: ProjectedBox,
  detail: Detail,
): void {
  if (header.width < LEAST_WIDTH || header.height < LEAST_HEIGHT) return;
  const { text, dimText } = PALETTES[look.scheme];
  const inside = insideOf(surface, spec, header);
  const whole = detailBeside(spec.title, spec.detail);
  const details = [whole, whole.split(SEPARATOR)[0] ?? ""];
  const count = isCollapsed ? collapsedText(spec) : spec.use === null ? countText(spec) : inUseText(spec.use);
  const isTall = header.height >= TWO_LINES;
  const size = isTall ? Math.min(17, header.height * 0.34) : Math.min(13, header.height * 0.68);
  const title = { size, weight: 600, colour: text } as const;
  const small = { size: Math.max(9, size * 0.82), weight: 400, colour: dimText } as const;
  const baseline = inside.y + (isTall ? header.height * 0.42 : header.height * 0.68);
  const node = spec.nodeId === null ? undefined : look.model.nodes.get(spec.nodeId);
  const why = isCollapsed ? null : whyOfBar(spec, detail);
  const hasRoom = why !== null && surface.widthOf(why, title) <= inside.width;
  const name = hasRoom ? why : (node?.label ?? spec.title);
  const shown = fittingText(surface, name, { width: inside.width, ...title });
  if (shown !== "") surface.text(shown, { x: inside.x, y: baseline }, title);
  if (isTall) {
    const below = { ...inside, y: inside.y + header.height * 0.78 };
    paintPair(surface, [details, count], below, small);
  } else {
    const used = surface.widthOf(shown, title) + GAP;
    const beside = { ...inside, x: inside.x + used, y: baseline, width: inside.width - used };
    paintPair(surface, [details, count], beside, small);
  }
  if (spec.use !== null) paintInUse(surface, look, spec.use, inside);
}

/** Why a bar stands there, where the name that is its title can be read on its only tile. */
function whyOfBar(spec: BoxSpec | BarSpec, detail: Detail): string | null {
  if (!("connects" in spec) || spec.tiles.length !== 1) return null;
  return detail === "name" || detail === "services" ? `${spec.connects.length} subnets` : null;
}

/** The first of some texts that fits at the left and, if there is room for it as well, one at the right. */
function paintPair(
  surface: Surface,
  [lefts, right]: readonly [readonly string[], string],
  { x, y, width }: Rect,
  look: { readonly size: number; readonly weight: 400; readonly colour: string },
): void {
  if (width < 2 * look.size) return;
  const shown = lefts.find((left) => surface.widthOf(left, look) <= width) ?? "";
  if (shown !== "") surface.text(shown, { x, y }, look);
  const rest = width - (shown === "" ? 0 : surface.widthOf(shown, look) + GAP);
  if (right !== "" && surface.widthOf(right, look) <= rest)
    surface.text(right, { x: x + width, y }, { ...look, align: "right" });
}

/** The room for texts: beside the colour of a tag. */
function insideOf(surface: Surface, { color }: BoxSpec, { x, y, width, height }: Rect): Rect {
  const pad = Math.min(PAD, width / 12);
  if (color === null) return { x: x + pad, y, width: width - 2 * pad, height };
  const size = Math.min(12, height * 0.4);
  surface.rect({ x: x + pad, y: y + (height - size) / 2, width: size, height: size }, { fill: color, radius: 3 });
  return { x: x + 2 * pad + size, y, width: width - 3 * pad - size, height };
}

function countText({ kind, tiles, boxes }: BoxSpec): string {
  const count = tiles.length + boxes.length;
  if (kind === "network" || kind === "subnet" || count === 0 || (kind === "bar" && count === 1)) return "";
  if (kind === "host") return count === 1 ? "1 guest" : `${count} guests`;
  if (kind === "device") return `${count.toLocaleString("en")} attached`;
  return count.toLocaleString("en");
}

/** The number of things in a collapsed box. */
function collapsedText({ tiles, boxes, bars }: BoxSpec): string {
  const count = tiles.length + boxes.length + bars.length;
  return count === 0 ? "empty" : `${count.toLocaleString("en")} inside`;
}

function inUseText({ used, capacity }: NonNullable<BoxSpec["use"]>): string {
  return `${used.toLocaleString("en")} of ${capacity.toLocaleString("en")}`;
}

/** A bar along the lower edge of the header. */
function paintInUse(surface: Surface, look: Look, { used, capacity }: NonNullable<BoxSpec["use"]>, inside: Rect): void {
  const { accent, free } = PALETTES[look.scheme];
  const height = Math.min(BAR_HEIGHT, inside.height / 6);
  const bar = { x: inside.x, y: inside.y + inside.height - height, width: inside.width, height };
  surface.rect(bar, { fill: free });
  const share = Math.min(1, used / capacity);
  if (share > 0) surface.rect({ ...bar, width: Math.max(1, bar.width * share) }, { fill: accent });
}
