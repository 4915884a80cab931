import { type Arrangement, UNARRANGED } from "./arrangement.js";
import type { BarSpec, BoxSpec, TileSpec } from "./boxes.js";
import { around, type Point, type Rect } from "./geometry.js";
import { linesOf, type MapLine, SPACE } from "./lines.js";
import { comb, movedLink, type PlacedLink, stubHeight, type Tooth, TRUNK } from "./links.js";

// Where boxes and tiles are, in map units with `y` downwards: a function of the data alone, so that the same network is
// the same picture. Sizes grow in steps with room to spare, so that a new host rarely moves anything. What people have moved
// is where they put it; everything else is where it would be without that.

export interface PlacedTile extends Rect {
  readonly spec: TileSpec;
}

export interface PlacedBox extends Rect {
  readonly spec: BoxSpec;
  /** 0 for networks. */
  readonly depth: number;
  /** In rows from left to right, unless they were moved; none in a collapsed box. */
  readonly tiles: readonly PlacedTile[];
  readonly isCollapsed: boolean;
  /** From where the positions of tiles in it are measured. */
  readonly origin: Point;
  /** From where its own position is measured. */
  readonly outer: Point;
}

export interface Layout {
  /** Outer boxes before inner ones. */
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly MapLine[];
  /** From devices to what hangs on them. */
  readonly links: readonly PlacedLink[];
  readonly bounds: Rect;
}

export const TILE = { width: 160, height: 104 } as const;
const GAP = 12;
const PAD = 16;
/** Of a box, above its content. */
export const HEADER = 48;
const BETWEEN = 40;
const BETWEEN_NETWORKS = 96;
/** The ratio of width to height of a usual canvas. */
const ASPECT = 1.4;
const LEAST_WIDTH = 2 * TILE.width + GAP + 2 * PAD;

/** An arranged box relative to its own corner. */
interface Sized {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly MapLine[];
  readonly links: readonly PlacedLink[];
}

/** A canvas on which everything fits, and the height of a box there that has room for its name, in pixels. */
const TYPICAL = { width: 1_000, height: 640, box: 26 } as const;

/** Larger boxes make the whole larger; beyond this many rounds there are too many for all names. */
const MOST_ROUNDS = 4;

export function layoutOf(specs: readonly BoxSpec[], arrangement = UNARRANGED): Layout {
  // how high boxes are at least does not depend on where people put them
  const unmoved = { ...arrangement, positions: {} };
  let least = 0;
  let whole = wholeOf(specs, { least, arrangement: unmoved });
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const needed = leastHeightIn(whole);
    if (needed <= least) break;
    least = needed;
    whole = wholeOf(specs, { least, arrangement: unmoved });
  }
  if (Object.keys(arrangement.positions).length > 0) whole = wholeOf(specs, { least, arrangement });
  const { width, height, boxes, lines, links } = whole;
  const all = around([{ x: 0, y: 0, width, height }, ...boxes]) ?? { x: 0, y: 0, width, height };
  return { boxes, lines, links, bounds: { ...all, width: Math.max(all.width, 1), height: Math.max(all.height, 1) } };
}

/** The height of a box whose name can be read when everything is in view. */
function leastHeightIn({ width, height }: Sized): number {
  const unit = Math.max(width / TYPICAL.width, height / TYPICAL.height);
  return unit <= 1 ? 0 : stepUp(unit) * TYPICAL.box;
}

function wholeOf(specs: readonly BoxSpec[], given: Omit<Level, "depth">): Sized {
  const [only] = specs;
  const level = { ...given, depth: 0 };
  // a frame around the only network would say nothing
  if (specs.length === 1 && only !== undefined) return contentOf(only, level);
  return shelved(
    specs.map((spec) => sized(spec, level)),
    { between: BETWEEN_NETWORKS, level },
  );
}

interface Level {
  readonly depth: number;
  /** The height that boxes have at least, so that their names can be read from afar. */
  readonly least: number;
  readonly arrangement: Arrangement;
}

/** Of a box with a readable name, its width as a share of its height at least. */
const LEAST_RATIO = 3;

/** A box with what is in it, or a device with what hangs on it. */
function sized(spec: BoxSpec, level: Level): Sized {
  if (level.arrangement.collapsed.has(spec.key)) return collapsed(spec, level);
  if (spec.kind === "device") return branched(spec, level);
  return boxed(spec, level, contentOf(spec, { ...level, depth: level.depth + 1 }));
}

/** A box around its tiles and inner boxes. */
function boxed(spec: BoxSpec, { depth, least, arrangement }: Level, inner: Sized): Sized {
  const grid = gridOf(spec);
  const innerTop = HEADER + (grid.height === 0 ? 0 : grid.height + GAP);
  const isEmpty = inner.boxes.length === 0;
  const leastWidth = Math.max(spec.kind === "bar" ? 0 : LEAST_WIDTH, LEAST_RATIO * least);
  const tiles = spec.tiles.map((tile, index): PlacedTile => {
    const column = index % grid.columns;
    const at = arrangement.positions[tile.key] ?? { x: column * (TILE.width + GAP), y: grid.topOf(index) };
    return { spec: tile, x: PAD + Math.max(0, at.x), y: HEADER + Math.max(0, at.y), ...TILE };
  });
  const room = roomFor(tiles, {
    width: PAD + Math.max(grid.width, inner.width),
    height: isEmpty ? HEADER + grid.height : innerTop + inner.height,
  });
  const width = Math.max(room.width + PAD, leastWidth);
  const height = Math.max(room.height + PAD, least);
  const box: PlacedBox = { ...NOWHERE, spec, depth, width, height, tiles, isCollapsed: false };
  const own = comb(
    spec.key,
    { x: PAD / 2, y: HEADER },
    tiles.map((tile, index) => ({ ...tile, stub: grid.stubOf(index), isInside: true })),
  );
  const { boxes, lines, links } = moved(inner, PAD, innerTop);
  return { width, height, boxes: [box, ...boxes], lines, links: [...own, ...links] };
}

/** The box of a device, with those of the devices that hang on it in rows below. */
function branched(spec: BoxSpec, level: Level): Sized {
  const own = boxed(spec, level, NOTHING);
  if (spec.boxes.length === 0) return own;
  const boxes = [...own.boxes];
  const links = [...own.links];
  const teeth: Tooth[] = [];
  let { width, height: y } = own;
  const branches = spec.boxes.map((branch) => sized(branch, level));
  for (const shelf of shelvesOf(branches, { between: BETWEEN, rowGap: TRUNK.above, above: own })) {
    const stub = Math.max(
      ...shelf.members.map(
        ({
          sized: {
            boxes: [first],
          },
        }) => stubHeight(first?.spec.hanging ?? null),
      ),
    );
    y += TRUNK.above + stub;
    for (const { sized: branch, x } of shelf.members) {
      const there = putAt(branch, chosenPlace(branch, level) ?? { x: TRUNK.indent + x, y });
      const [first] = there.boxes;
      if (first !== undefined) teeth.push({ ...first, stub, isInside: false });
      boxes.push(...there.boxes);
      links.push(...there.links);
    }
    width = Math.max(width, TRUNK.indent + shelf.width);
    y += shelf.height;
  }
  const between = comb(spec.key, { x: TRUNK.x, y: own.height }, teeth);
  return { ...roomFor(boxes, { width, height: y }), boxes, lines: [], links: [...links, ...between] };
}

const NOTHING: Sized = { width: 0, height: 0, boxes: [], lines: [], links: [] };

const NOWHERE = { x: 0, y: 0, outer: { x: 0, y: 0 }, origin: { x: PAD, y: HEADER } } as const;

/** A box of which only the header is there, with the number of things in it. */
function collapsed(spec: BoxSpec, { depth, least }: Level): Sized {
  const size = { width: Math.max(LEAST_WIDTH, LEAST_RATIO * least), height: Math.max(HEADER, least) };
  return { ...size, boxes: [{ ...NOWHERE, ...size, spec, depth, tiles: [], isCollapsed: true }], lines: [], links: [] };
}

/** The inner boxes of a box, and the bars and lines between them. */
function contentOf(spec: BoxSpec, level: Level): Sized {
  const { boxes, bars } = spec;
  const inner = boxes.map((box) => sized(box, level));
  const content =
    bars.length === 0
      ? shelved(inner, { between: BETWEEN, level, above: gridOf(spec) })
      : connected(inner, bars, level);
  return { ...content, boxes: raised(content.boxes, level) };
}

/** With those that people have moved last, each with what is in it: they are drawn over the others. */
function raised(boxes: readonly PlacedBox[], { depth, arrangement }: Level): readonly PlacedBox[] {
  const still: PlacedBox[] = [];
  const moved: PlacedBox[] = [];
  let into = still;
  for (const box of boxes) {
    if (box.depth === depth) into = box.spec.key in arrangement.positions ? moved : still;
    into.push(box);
  }
  return moved.length === 0 ? boxes : [...still, ...moved];
}

/** The columns of tiles; the thresholds are far apart, because all of a box moves when it passes one. */
const COLUMNS = [
  { most: 2, columns: 2 },
  { most: 6, columns: 3 },
  { most: 32, columns: 6 },
  { most: 80, columns: 8 },
  { most: 176, columns: 12 },
  { most: 320, columns: 16 },
  { most: 720, columns: 24 },
  { most: 1_280, columns: 32 },
  { most: 2_880, columns: 48 },
  { most: 5_120, columns: 64 },
] as const;
const MOST_COLUMNS = 96;

/** Rows of tiles for which boxes have room. */
const ROWS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64] as const;

interface Grid {
  readonly columns: number;
  readonly width: number;
  readonly height: number;
  /** Where a tile begins. */
  readonly topOf: (index: number) => number;
  /** The room above a tile for the line on which it hangs. */
  readonly stubOf: (index: number) => number;
}

function gridOf({ tiles, kind }: BoxSpec): Grid {
  const count = tiles.length;
  const columns = COLUMNS.find(({ most }) => count <= most)?.columns ?? MOST_COLUMNS;
  const rows = Math.ceil(count / columns);
  const roomy = count === 0 ? 0 : (ROWS.find((most) => rows <= most) ?? rows);
  const stubs: number[] = [];
  const tops: number[] = [];
  let bottom = 0;
  for (let row = 0; row < roomy; row++) {
    const inRow = tiles.slice(row * columns, (row + 1) * columns);
    // rows that are still empty have the room of usual ones
    const stub = Math.max(0, ...(inRow.length > 0 ? inRow : tiles.slice(0, 1)).map((tile) => stubHeight(tile.hanging)));
    stubs.push(stub);
    tops.push(bottom + stub);
    bottom += stub + TILE.height + GAP;
  }
  const rowOf = (index: number): number => Math.floor(index / columns);
  const stubOf = (index: number): number => stubs[rowOf(index)] ?? 0;
  const topOf = (index: number): number => tops[rowOf(index)] ?? 0;
  // a bar is as wide as what is in it
  const used = kind === "bar" ? Math.min(count, columns) : columns;
  const size = count === 0 ? { width: 0, height: 0 } : { width: used * (TILE.width + GAP) - GAP, height: bottom - GAP };
  return { columns, ...size, topOf, stubOf };
}

interface Shelf {
  readonly members: { readonly sized: Sized; readonly x: number; readonly y: number }[];
  /** The last one, which has room for more if it is lower than the others. */
  column: { readonly x: number; width: number; height: number };
  width: number;
  height: number;
}

/** How boxes are put in rows. */
interface Filling {
  readonly between: number;
  /** From one row to the next. */
  readonly rowGap: number;
  /** What is above the rows. */
  readonly above?: Size;
  /** Small boxes are one below the other beside large ones; not if lines come to each from above. */
  readonly isStacked?: boolean;
}

/** Boxes in their order, in rows of the length with which the whole is largest on a screen. */
function shelvesOf(inner: readonly Sized[], filling: Filling): Shelf[] {
  const { between, rowGap, above = { width: 0, height: 0 } } = filling;
  const total = inner.reduce((sum, { width }) => sum + width + between, 0);
  let best: Shelf[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let most = stepUp(Math.max(1, ...inner.map(({ width }) => width))); ; most *= FINE_STEP) {
    const shelves = filled(inner, most, filling);
    const width = Math.max(above.width, ...shelves.map((shelf) => shelf.width));
    const height = shelves.reduce((sum, shelf) => sum + rowGap + shelf.height, above.height);
    const extent = Math.max(width / ASPECT, height);
    if (extent < least) {
      best = shelves;
      least = extent;
    }
    if (most >= total) return best;
  }
}

/** Rows that are at most so long, unless a box is longer. */
function filled(inner: readonly Sized[], most: number, filling: Filling): Shelf[] {
  const shelves: Shelf[] = [];
  for (const sized of inner) {
    const last = shelves.at(-1);
    const higher = last === undefined ? null : restacked(last, sized, most, filling);
    if (higher !== null) shelves[shelves.length - 1] = higher;
    else if (last === undefined || !hasPut(last, sized, most, filling)) shelves.push(shelfOf(sized, sized.height));
  }
  return shelves;
}

function shelfOf(first: Sized, height: number): Shelf {
  const { width } = first;
  return { members: [{ sized: first, x: 0, y: 0 }], column: { x: 0, width, height: first.height }, width, height };
}

/** The row with a higher box, beside which the others take less of it; null if that is too long, or not higher. */
function restacked({ members, height }: Shelf, sized: Sized, most: number, filling: Filling): Shelf | null {
  const [first, ...others] = members.map((member) => member.sized);
  if (filling.isStacked !== true || first === undefined || sized.height <= height) return null;
  const shelf = shelfOf(first, sized.height);
  return [...others, sized].every((one) => hasPut(shelf, one, most, filling)) ? shelf : null;
}

/** Adds a box to a row, unless that makes it too long. */
function hasPut(shelf: Shelf, sized: Sized, most: number, { between, isStacked = false }: Filling): boolean {
  const { members, column } = shelf;
  const y = column.height + between;
  const width = column.x + Math.max(column.width, sized.width);
  if (isStacked && y + sized.height <= shelf.height && width <= most) {
    members.push({ sized, x: column.x, y });
    shelf.column = { x: column.x, width: width - column.x, height: y + sized.height };
    shelf.width = width;
    return true;
  }
  const x = shelf.width + between;
  if (x + sized.width > most) return false;
  members.push({ sized, x, y: 0 });
  shelf.column = { x, width: sized.width, height: sized.height };
  shelf.width = x + sized.width;
  shelf.height = Math.max(shelf.height, sized.height);
  return true;
}

const STEP = 1.25;
/** Three of them are a step. */
const FINE_STEP = Math.cbrt(STEP);

/** The next power of a step, so that a slightly larger whole has the same width. */
function stepUp(length: number): number {
  return STEP ** Math.ceil(Math.log(length) / Math.log(STEP));
}

/** The boxes and lines of a row, at its place or where people put them. */
function placed({ members }: Shelf, level: Level, left: number, y: number): Pick<Sized, "boxes" | "lines" | "links"> {
  const all = members.map(({ sized, x, y: below }) =>
    putAt(sized, chosenPlace(sized, level) ?? { x: left + x, y: y + below }),
  );
  return {
    boxes: all.flatMap(({ boxes }) => boxes),
    lines: all.flatMap(({ lines }) => lines),
    links: all.flatMap(({ links }) => links),
  };
}

/** Where people put a box: inside of the one around it, if there is one. */
function chosenPlace({ boxes }: Sized, { depth, arrangement }: Level): Point | null {
  const at = arrangement.positions[boxes[0]?.spec.key ?? ""];
  if (at === undefined || depth === 0) return at ?? null;
  return { x: Math.max(0, at.x), y: Math.max(0, at.y) };
}

type Size = Pick<Sized, "width" | "height">;

/** A size that has room for things where people put them, too. */
function roomFor(things: readonly Rect[], { width, height }: Size): Size {
  const all = around(things);
  if (all === null) return { width, height };
  return { width: Math.max(width, all.x + all.width), height: Math.max(height, all.y + all.height) };
}

interface Shelving {
  readonly between: number;
  readonly level: Level;
  readonly above?: Size;
}

function shelved(inner: readonly Sized[], { between, level, above = NOTHING }: Shelving): Sized {
  const boxes: PlacedBox[] = [];
  const lines: MapLine[] = [];
  const links: PlacedLink[] = [];
  let y = 0;
  let width = 0;
  for (const shelf of shelvesOf(inner, { between, rowGap: between, above, isStacked: true })) {
    const row = placed(shelf, level, 0, y);
    boxes.push(...row.boxes);
    lines.push(...row.lines);
    links.push(...row.links);
    width = Math.max(width, shelf.width);
    y += shelf.height + between;
  }
  return { ...roomFor(boxes, { width, height: Math.max(0, y - between) }), boxes, lines, links };
}

/** Bars above the boxes that they connect, with a lane for lines above each row, and trunks to the rows at the left. */
function connected(inner: readonly Sized[], bars: readonly BarSpec[], level: Level): Sized {
  const barsSized = bars.map((bar) => sized(bar, level));
  const lane = bars.length * SPACE.track + 2 * SPACE.around;
  const lower = shelvesOf(inner, { between: BETWEEN, rowGap: lane });
  const widest = Math.max(...[...barsSized, ...lower].map(({ width }) => width));
  const upper = filled(barsSized, widest, { between: BETWEEN, rowGap: lane });
  const left = SPACE.trunk * bars.length + SPACE.around;
  const boxes: PlacedBox[] = [];
  const lines: MapLine[] = [];
  const lanes: number[] = [];
  let y = 0;
  let width = 0;
  for (const [index, shelf] of [...upper, ...lower].entries()) {
    if (index > 0) {
      lanes.push(y);
      y += lane;
    }
    const row = placed(shelf, level, left, y);
    boxes.push(...row.boxes);
    lines.push(...row.lines);
    width = Math.max(width, shelf.width);
    y += shelf.height;
  }
  const isMoved = (key: string): boolean => key in level.arrangement.positions;
  const room = roomFor(boxes, { width: left + width, height: y });
  return { ...room, boxes, lines: [...lines, ...linesOf(boxes, lanes, isMoved)], links: [] };
}

function moved({ width, height, boxes, lines, links }: Sized, dx: number, dy: number): Sized {
  const shift = <T extends { readonly x: number; readonly y: number }>(one: T): T => ({
    ...one,
    x: one.x + dx,
    y: one.y + dy,
  });
  return {
    width,
    height,
    boxes: boxes.map((box) => ({
      ...shift(box),
      tiles: box.tiles.map(shift),
      origin: shift(box.origin),
      outer: shift(box.outer),
    })),
    lines: lines.map((line) => ({ ...line, points: line.points.map(shift) })),
    links: links.map((link) => movedLink(link, shift)),
  };
}

/** A box at a place in the content of the one around it. */
function putAt(sized: Sized, { x, y }: Point): Sized {
  const there = moved(sized, x, y);
  const [first, ...inner] = there.boxes;
  return { ...there, boxes: first === undefined ? [] : [{ ...first, outer: { x: 0, y: 0 } }, ...inner] };
}
