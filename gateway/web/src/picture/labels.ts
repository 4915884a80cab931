// Placement of labels without overlaps. Occupied boxes are indexed by grid cells, so placing a label takes constant
// time.

/** In pixels, with `y` downwards. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Occupied space. */
export interface Room<Taken extends Box = Box> {
  readonly clear: () => void;
  readonly isFree: (box: Taken) => boolean;
  readonly take: (box: Taken) => void;
}

/** Pixels per cell: about the width of a label. */
const SQUARE = 64;
/** Exceeds the number of columns of any window, to number the cells. */
const ROW = 65_536;

/** @param options.collide tests two boxes for overlap */
export function createRoom<Taken extends Box = Box>({
  square = SQUARE,
  collide = overlap,
}: { readonly square?: number; readonly collide?: (a: Taken, b: Taken) => boolean } = {}): Room<Taken> {
  const squares = new Map<number, Taken[]>();
  return {
    clear: () => squares.clear(),
    isFree: (box) => squaresOf(box, square).every((n) => !squares.get(n)?.some((other) => collide(box, other))),
    take: (box) => {
      for (const n of squaresOf(box, square)) {
        const there = squares.get(n);
        if (there === undefined) squares.set(n, [box]);
        else there.push(box);
      }
    },
  };
}

export function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function squaresOf({ left, top, right, bottom }: Box, square: number): number[] {
  const numbers: number[] = [];
  for (let row = Math.floor(top / square); row * square < bottom; row++)
    for (let column = Math.floor(left / square); column * square < right; column++) numbers.push(row * ROW + column);
  return numbers;
}

/** A variant of a label. */
export interface Writing {
  readonly box: Box;
  /** Lines. */
  readonly lines: readonly string[];
  readonly align: "left" | "center" | "right";
}

/** What labels must avoid, and what they may cover. */
export interface Rooms {
  /** Labels, and dots of hosts and subnets. */
  readonly names: Room;
  /** Dots of services, which labels may cover if there is no other place. */
  readonly dots: Room;
  /** The viewport: labels are not cut off by its edge. */
  readonly window: Box;
}

/** Places the first variant that fits; null if none does. */
export function write(ways: readonly Writing[], { names, dots, window }: Rooms): Writing | null {
  const free = ways.filter(({ box }) => isWithin(box, window) && names.isFree(box));
  const chosen = free.find(({ box }) => dots.isFree(box)) ?? free[0] ?? null;
  if (chosen !== null) names.take(chosen.box);
  return chosen;
}

function isWithin({ left, top, right, bottom }: Box, around: Box): boolean {
  return left >= around.left && top >= around.top && right <= around.right && bottom <= around.bottom;
}

/** A node in viewport coordinates. */
export interface Seen {
  readonly x: number;
  readonly y: number;
  /** Radius. */
  readonly r: number;
}

/** Measures the width of a text. */
export type Measure = (text: string) => number;

const LINE = 1.15;
const APART = 2;
/** Maximum characters of the first line, of a second one, and of shortened labels. */
const MOST = { first: 28, second: 20, short: 14, shortest: 8 } as const;

/**
 * Font sizes in pixels: of host labels, and of those that fit below a host.
 *
 * @param room free space in multiples of the radius
 */
export function roomForHost(r: number, room: number): { size: number; width: number } {
  return { size: Math.min(14, Math.max(10, r * 0.75)), width: 2.3 * room * r };
}

/** Variants of a host label: below, beside, above, and finally shortened. @param width available below the host */
export function labelsForHost(
  seen: Seen,
  name: string,
  { size, width, measure }: { size: number; width: number; measure: Measure },
): Writing[] {
  const lines = wrapped(name, (line) => measure(line) <= width);
  const line = [shortened(name, MOST.first)];
  const box = (of: readonly string[], place: Place): Writing => boxed(seen, of, { place, size, measure });
  const shorter = [MOST.short, MOST.shortest]
    .filter((most) => most < name.length)
    .map((most) => [shortened(name, most)]);
  const everywhere = (of: readonly string[]): Writing[] => EVERYWHERE.map((place) => box(of, place));
  return [box(lines, BELOW), box(line, RIGHT), box(line, LEFT), ...[lines, line, ...shorter].flatMap(everywhere)];
}

/** Variants of a service label, on the service's side of its host. @param ports if there is space for them */
export function labelsForService(
  seen: Seen,
  name: string,
  { size, side, ports, measure }: { size: number; side: Side; ports: string; measure: Measure },
): Writing[] {
  const short = shortened(name, MOST.second + 4);
  const [first = "", ...others] = ports.split(" ");
  const some = others.length === 0 ? first : `${first} +${others.length}`;
  const texts =
    first === ""
      ? [short]
      : [`${short} ${ports}`, `${short} ${some}`, `${shortened(name, MOST.shortest)} ${some}`, short];
  return texts.map((line) => boxed(seen, [line], { place: side === "right" ? RIGHT : LEFT, size, measure }));
}

/** Horizontal offset in half widths of the label from the center, or from beside the dot. */
type Place =
  | { readonly row: "below" | "above"; readonly shift: number }
  | { readonly row: "beside"; readonly side: Side };
type Side = "left" | "right";

const BELOW: Place = { row: "below", shift: 0 };
const RIGHT: Place = { row: "beside", side: "right" };
const LEFT: Place = { row: "beside", side: "left" };
const SHIFTS = [0, 0.5, -0.5, 1, -1] as const;
const EVERYWHERE: readonly Place[] = [
  BELOW,
  RIGHT,
  LEFT,
  ...SHIFTS.map((shift) => ({ row: "above", shift }) as const),
  ...SHIFTS.map((shift) => ({ row: "below", shift }) as const),
];

function boxed(
  { x, y, r }: Seen,
  lines: readonly string[],
  { place, size, measure }: { place: Place; size: number; measure: Measure },
): Writing {
  const width = Math.max(...lines.map(measure));
  const height = lines.length * size * LINE;
  const away = r + APART;
  if (place.row === "beside") {
    const [left, align] = place.side === "right" ? [x + away, "left" as const] : [x - away - width, "right" as const];
    return { box: { left, top: y - height / 2, right: left + width, bottom: y + height / 2 }, lines, align };
  }
  const left = x + ((place.shift - 1) * width) / 2;
  const top = place.row === "below" ? y + away : y - away - height;
  const align = "center";
  return { box: { left, top, right: left + width, bottom: top + height }, lines, align };
}

/** The text on one line if it fits, otherwise two; words are not broken. */
function wrapped(value: string, fits: (line: string) => boolean): string[] {
  if (fits(value)) return [value];
  const words = value.split(" ");
  let first = words[0] ?? "";
  let rest = words.slice(1);
  while (rest.length > 1 && fits(`${first} ${rest[0] ?? ""}`))
    [first, rest] = [`${first} ${rest[0] ?? ""}`, rest.slice(1)];
  return rest.length === 0 ? [shortened(first, MOST.first)] : [first, shortened(rest.join(" "), MOST.second)];
}

export function shortened(value: string, characters: number): string {
  const most = Math.max(4, Math.floor(characters));
  const all = Array.from(value);
  return all.length <= most ? value : `${all.slice(0, most - 1).join("")}…`;
}
