import type { Rect } from "./geometry.js";
import { around } from "./camera.js";
import type { Layout, PlacedTile } from "./layout.js";
import { hostIdOf, type Model } from "./model.js";

// Where nodes are in a layout.

/** The part of the map with the boxes and tiles of a node, and those of its host; null if the view shows none. */
export function placeOfNode({ boxes }: Layout, { nodes }: Model, id: string): Rect | null {
  const node = nodes.get(id);
  const ids = new Set([id, node === undefined ? null : hostIdOf(node)]);
  return around(
    boxes.flatMap((box) => [
      ...(box.spec.nodeId !== null && ids.has(box.spec.nodeId) ? [box] : []),
      ...box.tiles.filter(({ spec }) => ids.has(spec.node.id)),
    ]),
  );
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

/** The nearest tile in a direction; the first tile if there is none to start from. */
export function tileBeside(layout: Layout, from: Rect | null, direction: Direction): PlacedTile | null {
  const tiles = layout.boxes.flatMap((box) => box.tiles);
  if (from === null) return tiles[0] ?? null;
  const middle = { x: from.x + from.width / 2, y: from.y + from.height / 2 };
  let best: PlacedTile | null = null;
  let least = Infinity;
  for (const tile of tiles) {
    const dx = tile.x + tile.width / 2 - middle.x;
    const dy = tile.y + tile.height / 2 - middle.y;
    const [along, across] = AHEAD[direction](dx, dy);
    const cost = along + ACROSS * Math.abs(across);
    if (along <= 1 || cost >= least) continue;
    best = tile;
    least = cost;
  }
  return best;
}
