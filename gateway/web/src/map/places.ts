import { around, type Point, type Rect } from "./geometry.js";
import type { BoxSpec } from "./boxes.js";
import { HEADER, type Layout, TILE } from "./layout.js";
import { hostIdOf, type Model } from "./model.js";

// Where nodes are in a layout.

/** The part of the map with the boxes and tiles of a node, and those of its host; null if the view shows none. */
export function placeOfNode(layout: Layout, { nodes }: Model, id: string): Rect | null {
  const node = nodes.get(id);
  return placeOfAll(layout, new Set([id, ...(node === undefined ? [] : [hostIdOf(node) ?? id])]));
}

/** The part with the boxes and tiles of nodes. */
export function placeOfAll({ boxes }: Layout, ids: ReadonlySet<string> | null): Rect | null {
  if (ids === null) return null;
  return around(
    boxes.flatMap((box) => [
      ...(box.spec.nodeId !== null && ids.has(box.spec.nodeId) ? [box] : []),
      ...(box.isCollapsed && hasAny(box.spec, ids) ? [box] : []),
      ...box.tiles.filter(({ spec }) => ids.has(spec.node.id)),
    ]),
  );
}

function hasAny({ tiles, boxes, bars }: BoxSpec, ids: ReadonlySet<string>): boolean {
  return (
    tiles.some(({ node }) => ids.has(node.id)) ||
    [...boxes, ...bars].some((box) => (box.nodeId !== null && ids.has(box.nodeId)) || hasAny(box, ids))
  );
}

/** The key and the position of the first tile of a node, or of the box that stands for it or contains the tile. */
export function placeToMove(
  { boxes }: Layout,
  id: string,
  kind: "tile" | "box",
): { readonly key: string; readonly position: Point } | null {
  const ids = new Set([id]);
  for (const { spec, tiles, isCollapsed, x, y, origin, outer } of boxes) {
    const box = { key: spec.key, position: { x: x - outer.x, y: y - outer.y } };
    if (spec.nodeId === id || (isCollapsed && hasAny(spec, ids))) return box;
    const tile = tiles.find((one) => one.spec.node.id === id);
    if (tile === undefined) continue;
    return kind === "box" ? box : { key: tile.spec.key, position: { x: tile.x - origin.x, y: tile.y - origin.y } };
  }
  return null;
}

export type Direction = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

const AHEAD: Readonly<Record<Direction, (dx: number, dy: number) => readonly [along: number, across: number]>> = {
  ArrowLeft: (dx, dy) => [-dx, dy],
  ArrowRight: (dx, dy) => [dx, dy],
  ArrowUp: (dx, dy) => [-dy, dx],
  ArrowDown: (dx, dy) => [dy, dx],
};
/** How much further something may be if it is straight ahead. */
const ACROSS = 2.5;

/** Where arrow keys stop. */
export interface Stop {
  readonly id: string;
  readonly at: Rect;
}

/** Tiles, and the headers of boxes that stand for hosts. */
function stopsIn({ boxes }: Layout): Stop[] {
  return boxes.flatMap(({ spec, x, y, width, tiles }) => [
    ...(spec.nodeId !== null && spec.kind !== "subnet"
      ? [{ id: spec.nodeId, at: { x, y, width: Math.min(width, TILE.width), height: HEADER } }]
      : []),
    ...tiles.map((tile) => ({ id: tile.spec.node.id, at: tile })),
  ]);
}

/** Where arrow keys go on from: the stop of a node, or else all of it. */
export function placeToGoFrom(layout: Layout, model: Model, id: string): Rect | null {
  return stopsIn(layout).find((stop) => stop.id === id)?.at ?? placeOfNode(layout, model, id);
}

/** The nearest stop in a direction; the first one if there is none to start from. */
export function stopBeside(layout: Layout, from: Rect | null, direction: Direction): Stop | null {
  const stops = stopsIn(layout);
  if (from === null) return stops[0] ?? null;
  const middle = { x: from.x + from.width / 2, y: from.y + from.height / 2 };
  let best: Stop | null = null;
  let least = Infinity;
  for (const stop of stops) {
    const dx = stop.at.x + stop.at.width / 2 - middle.x;
    const dy = stop.at.y + stop.at.height / 2 - middle.y;
    const [along, across] = AHEAD[direction](dx, dy);
    const cost = along + ACROSS * Math.abs(across);
    if (along <= 1 || cost >= least) continue;
    best = stop;
    least = cost;
  }
  return best;
}
