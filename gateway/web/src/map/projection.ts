import type { Point, Rect } from "./geometry.js";
import { type Camera, contains } from "./camera.js";
import { HEADER, type Layout, type PlacedBox, type PlacedTile } from "./layout.js";

// Where the boxes and tiles of a layout are on the canvas. From afar, the header of a box keeps a readable height, and
// what is in the box is moved down and flattened, so that no header covers anything.

/** Pixels of a header that can be read. */
const LEAST_HEADER = 18;
/** The most of a box that its header takes. */
const MOST_SHARE = 0.5;

/** `y * scale + top`, in pixels. */
interface Vertical {
  readonly scale: number;
  readonly top: number;
}

export interface ProjectedBox {
  readonly box: PlacedBox;
  readonly at: Rect;
  readonly header: Rect;
  /** For what is in the box. */
  readonly inside: Vertical;
}

export interface Projection {
  /** All of them, outer boxes before inner ones. */
  readonly boxes: readonly ProjectedBox[];
  readonly tileAt: (tile: PlacedTile, box: ProjectedBox) => Rect;
  /** Points of a line, whose boxes are in the same outer box. */
  readonly pointsOf: (line: { readonly from: string; readonly points: readonly Point[] }) => Point[];
}

export function projected({ boxes }: Layout, { scale, left, top }: Camera): Projection {
  const outer: ProjectedBox[] = [];
  const whole: Vertical = { scale, top };
  /** Of the boxes that lines begin at. */
  const around = new Map<string, Vertical>();
  const all = boxes.map((box): ProjectedBox => {
    const parent = box.depth === 0 ? undefined : outer[box.depth - 1];
    const vertical = parent?.inside ?? whole;
    const one = projectedBox(box, vertical, { scale, left });
    outer[box.depth] = one;
    around.set(box.spec.key, vertical);
    return one;
  });
  return {
    boxes: all,
    tileAt: ({ x, y, width, height }, { inside }) => ({
      x: x * scale + left,
      y: y * inside.scale + inside.top,
      width: width * scale,
      height: height * inside.scale,
    }),
    pointsOf: ({ from, points }) => {
      const vertical = around.get(from) ?? whole;
      return points.map(({ x, y }) => ({ x: x * scale + left, y: y * vertical.scale + vertical.top }));
    },
  };
}

function projectedBox(box: PlacedBox, vertical: Vertical, { scale, left }: Omit<Camera, "top">): ProjectedBox {
  const at = {
    x: box.x * scale + left,
    y: box.y * vertical.scale + vertical.top,
    width: box.width * scale,
    height: box.height * vertical.scale,
  };
  const natural = HEADER * vertical.scale;
  const height = Math.max(natural, Math.min(LEAST_HEADER, at.height * MOST_SHARE));
  const insideScale = height === natural ? vertical.scale : (at.height - height) / (box.height - HEADER);
  const inside = { scale: insideScale, top: at.y + height - (box.y + HEADER) * insideScale };
  return { box, at, header: { ...at, height }, inside };
}

/** The tile or, if there is none, the innermost box at a point of the canvas. */
export function hitAt(projection: Projection, point: Point): PlacedTile | PlacedBox | null {
  const box = projection.boxes.findLast(({ at }) => contains(at, point));
  if (box === undefined) return null;
  return box.box.tiles.find((tile) => contains(projection.tileAt(tile, box), point)) ?? box.box;
}
