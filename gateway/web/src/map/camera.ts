import type { Point, Rect } from "./geometry.js";
import { TILE } from "./layout.js";

// The part of the map in view.

/** Pixels of a map point: `x * scale + left`, `y * scale + top`. */
export interface Camera {
  /** Pixels per map unit. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

/** The canvas, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Zooming in ends at a tile of this width in pixels. */
const LARGEST_TILE = 240;
const MOST_SCALE = LARGEST_TILE / TILE.width;
/** Zooming out ends at this share of the scale at which everything fits. */
const LEAST_SHARE = 0.8;
const MARGIN = 24;
/** Pixels that the buttons at the lower right cover, and the width from which there is room beside them. */
const BUTTONS = { width: 60, height: 140, from: 600 } as const;

/** The scale at which a part of the map fits, at most the natural one. */
function fittingScale({ width, height }: Rect, size: Size, most: number): number {
  const fitting = Math.min((size.width - 2 * MARGIN) / width, (size.height - 2 * MARGIN) / height);
  return Math.min(most, Math.max(fitting, 1e-4));
}

/** A camera with a part of the map in its middle, and if there is room, nothing of it under the buttons. @param most the largest scale */
export function fitted(part: Rect, size: Size, most = 1): Camera {
  const camera = fittedIn(size, part, most);
  const right = (part.x + part.width) * camera.scale + camera.left;
  const bottom = (part.y + part.height) * camera.scale + camera.top;
  if (size.width < BUTTONS.from) return camera;
  const isCovered = right > size.width - BUTTONS.width && bottom > size.height - BUTTONS.height;
  return isCovered ? fittedIn({ ...size, width: size.width - BUTTONS.width + MARGIN }, part, most) : camera;
}

function fittedIn(size: Size, part: Rect, most: number): Camera {
  const scale = fittingScale(part, size, most);
  return centred({ x: part.x + part.width / 2, y: part.y + part.height / 2 }, scale, size);
}

export function centred({ x, y }: Point, scale: number, { width, height }: Size): Camera {
  return { scale, left: width / 2 - x * scale, top: height / 2 - y * scale };
}

/** Zooms by a factor about a point of the canvas, within the limits. */
export function zoomed({ scale, left, top }: Camera, factor: number, at: Point, { whole, size }: Limits): Camera {
  const least = LEAST_SHARE * fittingScale(whole, size, MOST_SCALE);
  const next = Math.min(MOST_SCALE, Math.max(least, scale * factor));
  const ratio = next / scale;
  return { scale: next, left: at.x - (at.x - left) * ratio, top: at.y - (at.y - top) * ratio };
}

interface Limits {
  readonly whole: Rect;
  readonly size: Size;
}

/** Pixels of the map that stay in view. */
const LEAST_VISIBLE = 80;

/** Keeps some of the map in view. */
export function kept({ scale, left, top }: Camera, { whole, size }: Limits): Camera {
  const right = (whole.x + whole.width) * scale;
  const bottom = (whole.y + whole.height) * scale;
  return {
    scale,
    left: Math.min(size.width - LEAST_VISIBLE - whole.x * scale, Math.max(LEAST_VISIBLE - right, left)),
    top: Math.min(size.height - LEAST_VISIBLE - whole.y * scale, Math.max(LEAST_VISIBLE - bottom, top)),
  };
}

/** The point of the map in the middle of the canvas. */
export function middleOf({ scale, left, top }: Camera, { width, height }: Size): Point {
  return { x: (width / 2 - left) / scale, y: (height / 2 - top) / scale };
}

/** The part of the map on the canvas. */
export function visiblePart({ scale, left, top }: Camera, { width, height }: Size): Rect {
  return { x: -left / scale, y: -top / scale, width: width / scale, height: height / scale };
}

export function meet(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

export function encloses(outer: Rect, { x, y, width, height }: Rect): boolean {
  return contains(outer, { x, y }) && contains(outer, { x: x + width, y: y + height });
}

export function contains({ x, y, width, height }: Rect, at: Point): boolean {
  return at.x >= x && at.y >= y && at.x <= x + width && at.y <= y + height;
}
