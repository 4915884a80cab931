import type { Attributes } from "graphology-types";
import type Sigma from "sigma";
import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import type { Palette } from "./colours.js";
import type { Disc, Place } from "./layout.js";

// What sigma does not draw itself: the areas of subnets below everything, names of nodes, and the card of a pointed-at node.

const FONT = 'Inter, ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif';

/** Pixels of an area below which its name would be longer than the area. */
const LEAST_NAMED = 34;

/** Pixels of an area below which there is no room for a second line between it and those above it. */
const LEAST_WITH_BLOCK = 48;

/** What the graph carries besides what sigma knows. */
interface Labelled {
  readonly kind?: string;
  readonly detail?: string | null;
  readonly isFaded?: boolean;
  /** How many times the radius of the node is free around it. */
  readonly room?: number;
}

/** Draws the areas of subnets and networks, and then the names of subnets above theirs. */
export function drawDiscs(
  sigma: Sigma,
  context: CanvasRenderingContext2D,
  discs: readonly Disc[],
  palette: Palette,
): void {
  // prettier-ignore
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  const seen = discs
    .map((disc) => {
      const { x, y } = sigma.graphToViewport(disc);
      return { disc, x, y, r: sigma.graphToViewport({ x: disc.x + disc.r, y: disc.y }).x - x };
    })
    // where there is hardly any room, lengths are negative
    .filter(({ x, y, r }) => r > 0 && x + r > 0 && y + r > 0 && x - r < width && y - r < height);
  for (const { disc, x, y, r } of seen) {
    const isSubnet = disc.kind === "subnet";
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.setLineDash(isSubnet ? [] : [6, 6]);
    context.strokeStyle = isSubnet ? palette.discLine : palette.network;
    context.lineWidth = 1;
    context.fillStyle = palette.disc;
    if (isSubnet) context.fill();
    context.stroke();
  }
  const written: Written = [];
  for (const { disc, x, y, r } of seen.sort((a, b) => b.r - a.r)) {
    if (disc.kind === "network" || r < LEAST_NAMED) continue;
    const size = Math.min(14, Math.max(11, r / 9));
    const [name, cidr] = disc.subnet === null ? ["No address", ""] : [disc.subnet.label, disc.subnet.cidr];
    const block = r < LEAST_WITH_BLOCK ? "" : cidr;
    const over = y - r - (block === "" ? 5 : 7 + size * 0.85);
    const value = shortened(name, Math.max(12, r / (size * 0.3)));
    context.font = fontOf(600, size);
    const half = context.measureText(value).width / 2;
    if (!isFree(written, [x - half, over - size, x + half, y - r])) continue;
    text(context, palette, { value, x, y: over, size, weight: 600 });
    text(context, { ...palette, text: palette.dimText }, { value: block, x, y: y - r - 5, size: size * 0.85, weight: 400 }); // prettier-ignore
  }
}

const HALO = { share: 1.7, opacity: 0.3 } as const;

/** Draws a halo around nodes. */
export function drawHalos(
  sigma: Sigma,
  context: CanvasRenderingContext2D,
  halos: readonly { readonly place: Place; readonly colour: string }[],
): void {
  const unit = sigma.graphToViewport({ x: 1, y: 0 }).x - sigma.graphToViewport({ x: 0, y: 0 }).x;
  if (unit <= 0) return;
  context.globalAlpha = HALO.opacity;
  for (const { place, colour } of halos) {
    const { x, y } = sigma.graphToViewport(place);
    context.beginPath();
    context.arc(x, y, place.r * unit * HALO.share, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
  }
  context.globalAlpha = 1;
}

/** Where names have been written in one drawing of the picture. */
export type Written = (readonly [left: number, top: number, right: number, bottom: number])[];

/** Notes a place that nothing has been written on; false when something has. */
function isFree(written: Written, place: Written[number]): boolean {
  const [left, top, right, bottom] = place;
  if (written.some(([l, t, r, b]) => left < r && right > l && top < b && bottom > t)) return false;
  written.push(place);
  return true;
}

/**
 * Makes the function that writes the name of a node: below hosts, and beside services. A name that would lie on another one
 * is left out; sigma asks for those of large nodes first.
 */
export function labelDrawing(paletteNow: () => Palette, written: Written): NodeLabelDrawingFunction {
  return (context, data) => {
    const { isFaded, kind, room = 1 } = data as Attributes as Labelled;
    // the area of a subnet bears its name
    if (data.label === null || data.label === "" || isFaded === true || kind === "subnet") return;
    const palette = paletteNow();
    const isBeside = kind === "service";
    const size = isBeside ? Math.min(12, Math.max(9, data.size * 1.1)) : Math.min(14, Math.max(10, data.size * 0.75));
    context.font = fontOf(isBeside ? 400 : 600, size);
    const widthOf = (line: string): number => context.measureText(line).width;
    const lines = isBeside
      ? [shortened(data.label, 24)]
      : wrapped(data.label, (line) => widthOf(line) <= 2.3 * room * data.size);
    const width = Math.max(...lines.map(widthOf));
    const left = isBeside ? data.x + data.size + 3 : data.x - width / 2;
    const top = isBeside ? data.y - size / 2 : data.y + data.size + 2;
    const bottom = top + lines.length * size * 1.1;
    if (!isFree(written, [left, top, left + width, bottom])) return;
    for (const [index, value] of lines.entries()) {
      const y = top + size * (0.9 + index * 1.1);
      text(context, palette, { value, x: isBeside ? left : data.x, y, size, weight: isBeside ? 400 : 600, align: isBeside ? "left" : "center" }); // prettier-ignore
    }
  };
}

/** A text in two lines when it does not fit in one; words stay whole. */
function wrapped(value: string, fits: (line: string) => boolean): string[] {
  if (fits(value)) return [shortened(value, 28)];
  const words = value.split(" ");
  let [first, rest] = [words[0] ?? "", words.slice(1)];
  while (rest.length > 1 && fits(`${first} ${rest[0] ?? ""}`)) [first, rest] = [`${first} ${rest[0] ?? ""}`, rest.slice(1)]; // prettier-ignore
  return rest.length === 0 ? [shortened(first, 28)] : [first, shortened(rest.join(" "), 20)];
}

function fontOf(weight: number, size: number): string {
  return `${weight} ${size}px ${FONT}`;
}

/** Makes the function that draws the card beside the node that is pointed at. */
export function hoverDrawing(paletteNow: () => Palette): NodeHoverDrawingFunction {
  return (context, data) => {
    const palette = paletteNow();
    const { detail } = data as Attributes as Labelled;
    const lines = [data.label ?? "", ...(detail === null || detail === undefined || detail === "" ? [] : [detail])];
    context.font = fontOf(600, 13);
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 20;
    const height = 12 + lines.length * 18;
    const [x, y] = [data.x + data.size + 8, data.y - height / 2];
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = data.color;
    context.lineWidth = 2;
    context.stroke();
    context.beginPath();
    context.roundRect(x, y, width, height, 8);
    context.fillStyle = palette.background;
    context.strokeStyle = palette.discLine;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
    context.textAlign = "left";
    for (const [index, line] of lines.entries()) {
      context.font = fontOf(index === 0 ? 600 : 400, 13);
      context.fillStyle = index === 0 ? palette.text : palette.dimText;
      context.fillText(line, x + 10, y + 19 + index * 18);
    }
  };
}

interface Writing {
  readonly value: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight: number;
  readonly align?: CanvasTextAlign;
}

/** Writes with a halo, so that lines behind the letters do not disturb. */
function text(context: CanvasRenderingContext2D, palette: Palette, writing: Writing): void {
  const { value, x, y, size, weight, align = "center" } = writing;
  context.font = fontOf(weight, size);
  context.textAlign = align;
  context.setLineDash([]);
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.background;
  context.strokeText(value, x, y);
  context.fillStyle = palette.text;
  context.fillText(value, x, y);
}

/** A text cut to some characters. */
export function shortened(value: string, characters: number): string {
  const most = Math.max(4, Math.floor(characters));
  const all = Array.from(value);
  return all.length <= most ? value : `${all.slice(0, most - 1).join("")}…`;
}
