import type { Attributes } from "graphology-types";
import type Sigma from "sigma";
import type { NodeHoverDrawingFunction } from "sigma/rendering";
import type { Palette } from "./colours.js";
import type { Disc, Place } from "./layout.js";

// Drawing of what sigma does not: subnet areas, halos, and the card of a hovered node.

const FONT = 'Inter, ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif';

/** Node attributes in addition to those of sigma. */
export interface Labelled {
  readonly kind?: string;
  readonly detail?: string | null;
  readonly isFaded?: boolean;
  /** How long imports have missed it; empty if they have not. */
  readonly notSeen?: string;
  /** Of a service: its ports, such as `:80 :443`, and its side of the host. */
  readonly ports?: string;
  readonly side?: "left" | "right";
  /** Free space around it, in multiples of its radius. */
  readonly room?: number;
}

/** An area in viewport coordinates. */
interface SeenDisc {
  readonly disc: Disc;
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

export function discsSeen(sigma: Sigma, discs: readonly Disc[]): SeenDisc[] {
  const { width, height } = sigma.getDimensions();
  return (
    discs
      .map((disc) => {
        const { x, y } = sigma.graphToViewport(disc);
        return { disc, x, y, r: sigma.graphToViewport({ x: disc.x + disc.r, y: disc.y }).x - x };
      })
      // lengths can be negative at tiny sizes
      .filter(({ x, y, r }) => r > 0 && x + r > 0 && y + r > 0 && x - r < width && y - r < height)
  );
}

export function drawDiscs(
  sigma: Sigma,
  context: CanvasRenderingContext2D,
  discs: readonly Disc[],
  palette: Palette,
): void {
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  for (const { disc, x, y, r } of discsSeen(sigma, discs)) {
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
}

const HALO = { share: 1.7, opacity: 0.3 } as const;

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

export function fontOf(weight: number, size: number): string {
  return `${weight} ${size}px ${FONT}`;
}

/** Creates the function that draws the card of the hovered node. */
export function hoverDrawing(paletteNow: () => Palette): NodeHoverDrawingFunction {
  return (context, data) => {
    const palette = paletteNow();
    const { detail, notSeen } = data as Attributes as Labelled;
    const lines = [data.label ?? "", ...[detail ?? "", notSeen ?? ""].filter((line) => line !== "")];
    context.font = fontOf(600, 13);
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 20;
    const height = 12 + lines.length * 18;
    const { x, y } = besideNode(data, { width, height }, context.canvas.offsetWidth);
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

/** Position of a card: to the right of the node, to its left, or above. */
function besideNode(
  { x, y, size }: Readonly<Record<"x" | "y" | "size", number>>,
  { width, height }: Readonly<Record<"width" | "height", number>>,
  end: number,
): { x: number; y: number } {
  const away = size + 8;
  if (x + away + width <= end) return { x: x + away, y: y - height / 2 };
  if (x - away - width >= 0) return { x: x - away - width, y: y - height / 2 };
  return { x: Math.max(4, Math.min(x - width / 2, end - width - 4)), y: y - away - height };
}

interface Writing {
  readonly value: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight: number;
  readonly align?: CanvasTextAlign;
}

/** Draws text with a halo, for legibility above lines. */
export function text(context: CanvasRenderingContext2D, palette: Palette, writing: Writing): void {
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
