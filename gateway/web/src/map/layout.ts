import type { Rect } from "./geometry.js";
import type { BarSpec, BoxSpec, TileSpec } from "./boxes.js";
import { linesOf, type MapLine, SPACE } from "./lines.js";

// Where boxes and tiles are, in map units with `y` downwards: a function of the data alone, so that the same network is
// the same picture. Sizes grow in steps with room to spare, so that a new host rarely moves anything.

export interface PlacedTile extends Rect {
  readonly spec: TileSpec;
}

export interface PlacedBox extends Rect {
  readonly spec: BoxSpec;
  /** 0 for networks. */
  readonly depth: number;
  /** In rows of equal height, from left to right. */
  readonly tiles: readonly PlacedTile[];
}

export interface Layout {
  /** Outer boxes before inner ones. */
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly MapLine[];
  readonly bounds: Rect;
}

export const TILE = { width: 160, height: 104 } as const;
const GAP = 12;
const PAD = 16;
/** Of a box, above its content. */
export const HEADER = 48;
const BETWEEN = 40;
const BETWEEN_NETWORKS = 96;
/** The preferred ratio of width to height. */
const ASPECT = 1.7;
const LEAST_WIDTH = 2 * TILE.width + GAP + 2 * PAD;

/** An arranged box relative to its own corner. */
interface Sized {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly MapLine[];
}

/** A canvas on which everything fits, and the height of a box there that has room for its name, in pixels. */
const TYPICAL = { width: 1_000, height: 640, box: 26 } as const;

/** Larger boxes make the whole larger; beyond this many rounds there are too many for all names. */
const MOST_ROUNDS = 4;

export function layoutOf(specs: readonly BoxSpec[]): Layout {
  let least = 0;
  let whole = wholeOf(specs, least);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const needed = leastHeightIn(whole);
    if (needed <= least) break;
    least = needed;
    whole = wholeOf(specs, least);
  }
  const { width, height, boxes, lines } = whole;
  return { boxes, lines, bounds: { x: 0, y: 0, width: Math.max(width, 1), height: Math.max(height, 1) } };
}

/** The height of a box whose name can be read when everything is in view. */
function leastHeightIn({ width, height }: Sized): number {
  const unit = Math.max(width / TYPICAL.width, height / TYPICAL.height);
  return unit <= 1 ? 0 : stepUp(unit) * TYPICAL.box;
}

/** @param least the height that boxes have at least, so that their names can be read from afar */
function wholeOf(specs: readonly BoxSpec[], least: number): Sized {
  const [only] = specs;
  // a frame around the only network would say nothing
  if (specs.length === 1 && only !== undefined) return contentOf(only, { depth: 0, least });
  return shelved(
    specs.map((spec) => sized(spec, { depth: 0, least })),
    BETWEEN_NETWORKS,
  );
}

interface Level {
  readonly depth: number;
  readonly least: number;
}

/** Of a box with a readable name, its width as a share of its height at least. */
const LEAST_RATIO = 3;

/** A box around its tiles and inner boxes. */
function sized(spec: BoxSpec, { depth, least }: Level): Sized {
  const grid = gridOf(spec);
  const inner = contentOf(spec, { depth: depth + 1, least });
  const innerTop = HEADER + (grid.height === 0 ? 0 : grid.height + GAP);
  const isEmpty = inner.boxes.length === 0;
  const leastWidth = Math.max(spec.kind === "bar" ? 0 : LEAST_WIDTH, LEAST_RATIO * least);
  const width = Math.max(Math.max(grid.width, inner.width) + 2 * PAD, leastWidth);
  const height = Math.max((isEmpty ? HEADER + grid.height : innerTop + inner.height) + PAD, least);
  const tiles = spec.tiles.map((tile, index): PlacedTile => {
    const column = index % grid.columns;
    const row = Math.floor(index / grid.columns);
    return { spec: tile, x: PAD + column * (TILE.width + GAP), y: HEADER + row * (TILE.height + GAP), ...TILE };
  });
  const box: PlacedBox = { spec, depth, x: 0, y: 0, width, height, tiles };
  const { boxes, lines } = moved(inner, PAD, innerTop);
  return { width, height, boxes: [box, ...boxes], lines };
}

/** The inner boxes of a box, and the bars and lines between them. */
function contentOf({ boxes, bars }: BoxSpec, level: Level): Sized {
  const inner = boxes.map((spec) => sized(spec, level));
  return bars.length === 0 ? shelved(inner, BETWEEN) : connected(inner, bars, level);
}

/** The columns of tiles; the thresholds are far apart, because all of a box moves when it passes one. */
const COLUMNS = [
  { most: 2, columns: 2 },
  { most: 6, columns: 3 },
  { most: 32, columns: 6 },
  { most: 128, columns: 12 },
  { most: 512, columns: 24 },
  { most: 2_048, columns: 48 },
] as const;
const MOST_COLUMNS = 96;

/** Rows of tiles for which boxes have room. */
const ROWS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64] as const;

function gridOf({ tiles, kind }: BoxSpec): { columns: number; width: number; height: number } {
  const count = tiles.length;
  const columns = COLUMNS.find(({ most }) => count <= most)?.columns ?? MOST_COLUMNS;
  if (count === 0) return { columns, width: 0, height: 0 };
  const rows = Math.ceil(count / columns);
  const roomy = ROWS.find((most) => rows <= most) ?? rows;
  // a bar is as wide as what is in it
  const used = kind === "bar" ? Math.min(count, columns) : columns;
  return { columns, width: used * (TILE.width + GAP) - GAP, height: roomy * (TILE.height + GAP) - GAP };
}

interface Shelf {
  readonly members: { readonly sized: Sized; readonly x: number }[];
  width: number;
  height: number;
}

/** Rows of boxes in their order, as wide as makes the whole about as wide as a screen. */
function shelvesOf(inner: readonly Sized[], between: number, most = preferredWidth(inner, between)): Shelf[] {
  const shelves: Shelf[] = [];
  let shelf: Shelf | undefined;
  for (const sized of inner) {
    if (shelf === undefined || shelf.width + between + sized.width > most) {
      shelf = { members: [], width: -between, height: 0 };
      shelves.push(shelf);
    }
    shelf.members.push({ sized, x: shelf.width + between });
    shelf.width += between + sized.width;
    shelf.height = Math.max(shelf.height, sized.height);
  }
  return shelves;
}

function preferredWidth(inner: readonly Sized[], between: number): number {
  const area = inner.reduce((sum, { width, height }) => sum + (width + between) * (height + between), 0);
  const widest = Math.max(...inner.map(({ width }) => width));
  return Math.max(widest, stepUp(Math.sqrt(area * ASPECT)));
}

const STEP = 1.25;

/** The next power of a step, so that a slightly larger whole has the same width. */
function stepUp(length: number): number {
  return STEP ** Math.ceil(Math.log(length) / Math.log(STEP));
}

/** The boxes and lines of a row, at its place. */
function placed({ members }: Shelf, left: number, y: number): Pick<Sized, "boxes" | "lines"> {
  const all = members.map(({ sized, x }) => moved(sized, left + x, y));
  return { boxes: all.flatMap(({ boxes }) => boxes), lines: all.flatMap(({ lines }) => lines) };
}

function shelved(inner: readonly Sized[], between: number): Sized {
  const boxes: PlacedBox[] = [];
  const lines: MapLine[] = [];
  let y = 0;
  let width = 0;
  for (const shelf of shelvesOf(inner, between)) {
    const row = placed(shelf, 0, y);
    boxes.push(...row.boxes);
    lines.push(...row.lines);
    width = Math.max(width, shelf.width);
    y += shelf.height + between;
  }
  return { width, height: Math.max(0, y - between), boxes, lines };
}

/** Bars above the boxes that they connect, with a lane for lines above each row, and trunks to the rows at the left. */
function connected(inner: readonly Sized[], bars: readonly BarSpec[], level: Level): Sized {
  const barsSized = bars.map((bar) => sized(bar, level));
  const lower = shelvesOf(inner, BETWEEN);
  const widest = Math.max(...[...barsSized, ...lower].map(({ width }) => width));
  const upper = shelvesOf(barsSized, BETWEEN, widest);
  const left = SPACE.trunk * bars.length + SPACE.around;
  const boxes: PlacedBox[] = [];
  const lines: MapLine[] = [];
  const lanes: number[] = [];
  let y = 0;
  let width = 0;
  for (const [index, shelf] of [...upper, ...lower].entries()) {
    if (index > 0) {
      lanes.push(y);
      y += bars.length * SPACE.track + 2 * SPACE.around;
    }
    const row = placed(shelf, left, y);
    boxes.push(...row.boxes);
    lines.push(...row.lines);
    width = Math.max(width, shelf.width);
    y += shelf.height;
  }
  return { width: left + width, height: y, boxes, lines: [...lines, ...linesOf(boxes, lanes)] };
}

function moved({ width, height, boxes, lines }: Sized, dx: number, dy: number): Sized {
  const shift = <T extends { readonly x: number; readonly y: number }>(one: T): T => ({
    ...one,
    x: one.x + dx,
    y: one.y + dy,
  });
  return {
    width,
    height,
    boxes: boxes.map((box) => ({ ...shift(box), tiles: box.tiles.map(shift) })),
    lines: lines.map((line) => ({ ...line, points: line.points.map(shift) })),
  };
}
