import type { Point, Rect } from "./geometry.js";
import { type Camera, contains } from "./camera.js";
import type { PlacedLink } from "./links.js";
import { HEADER, type Layout, type PlacedBox, type PlacedTile } from "./layout.js";

// Where the boxes and tiles of a layout are on the canvas. From afar, the header of a box keeps a readable height, and
// what is in the box is moved down and flattened, so that no header covers anything.

/** Pixels of a header that can be read. */
const LEAST_HEADER = 18;
/** The most of a box with something in it that its header takes. */
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
  /** For the box. */
  readonly outside: Vertical;
}

export interface Projection {
  /** All of them, outer boxes before inner ones. */
  readonly boxes: readonly ProjectedBox[];
  /** Pixels per map unit, across. */
  readonly scale: number;
  readonly tileAt: (tile: PlacedTile, box: ProjectedBox) => Rect;
  /** Points of a line, whose boxes are in the same outer box. */
  readonly pointsOf: (line: { readonly from: string; readonly points: readonly Point[] }) => Point[];
  /** Points and label of a link. */
  readonly linkAt: (link: PlacedLink) => { readonly points: readonly Point[]; readonly label: Rect };
}

export function projected({ boxes }: Layout, { scale, left, top }: Camera): Projection {
  const outer: ProjectedBox[] = [];
  const whole: Vertical = { scale, top };
  /** Of the boxes that lines begin at. */
  const around = new Map<string, Vertical>();
  const inside = new Map<string, Vertical>();
  const all = boxes.map((box): ProjectedBox => {
    const parent = box.depth === 0 ? undefined : outer[box.depth - 1];
    const vertical = parent?.inside ?? whole;
    const one = projectedBox(box, vertical, { scale, left });
    outer[box.depth] = one;
    around.set(box.spec.key, vertical);
    inside.set(box.spec.key, one.inside);
    return one;
  });
  return {
    boxes: all,
    scale,
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
    linkAt: ({ from, points, label, isInside }) => {
      const vertical = (isInside ? inside : around).get(from) ?? whole;
      const at = ({ x, y }: Point): Point => ({ x: x * scale + left, y: y * vertical.scale + vertical.top });
      return {
        points: points.map(at),
        label: { ...at(label), width: label.width * scale, height: label.height * vertical.scale },
      };
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
  const isEmpty = box.tiles.length === 0 && (box.spec.boxes.length === 0 || box.spec.kind === "device");
  const height = Math.max(natural, Math.min(LEAST_HEADER, at.height * (isEmpty ? 1 : MOST_SHARE)));
  const insideScale = height === natural ? vertical.scale : (at.height - height) / (box.height - HEADER);
  const inside = { scale: insideScale, top: at.y + height - (box.y + HEADER) * insideScale };
  return { box, at, header: { ...at, height }, inside, outside: vertical };
}

/** The tile or, if there is none, the innermost box at a point of the canvas. */
export function hitAt(projection: Projection, point: Point): PlacedTile | PlacedBox | null {
  const box = boxAt(projection, point);
  return box === undefined ? null : (tileIn(projection, box, point) ?? box.box);
}

function boxAt({ boxes }: Projection, point: Point): ProjectedBox | undefined {
  return boxes.findLast(({ at }) => contains(at, point));
}

/** The last one, which is drawn over others where people have moved it there. */
function tileIn(projection: Projection, box: ProjectedBox, point: Point): PlacedTile | undefined {
  return box.box.tiles.findLast((tile) => contains(projection.tileAt(tile, box), point));
}

/** The box whose header is at a point of the canvas. */
export function headerAt(projection: Projection, point: Point): PlacedBox | null {
  const box = boxAt(projection, point);
  return box !== undefined && contains(box.header, point) ? box.box : null;
}

/** A tile or box that people can move. */
export interface Movable {
  readonly key: string;
  /** On the canvas. */
  readonly at: Rect;
  /** In map units, within the content of the box around it. */
  readonly position: Point;
  /** Pixels per map unit. */
  readonly scale: Point;
}

/** What is at a point of the canvas and can be moved. */
export function movableAt(projection: Projection, point: Point): Movable | null {
  const box = boxAt(projection, point);
  if (box === undefined) return null;
  const { scale } = projection;
  const tile = tileIn(projection, box, point);
  if (tile === undefined) {
    const { spec, x, y, outer } = box.box;
    const position = { x: x - outer.x, y: y - outer.y };
    return { key: spec.key, at: box.at, position, scale: { x: scale, y: box.outside.scale } };
  }
  const position = { x: tile.x - box.box.origin.x, y: tile.y - box.box.origin.y };
  return { key: tile.spec.key, at: projection.tileAt(tile, box), position, scale: { x: scale, y: box.inside.scale } };
}
