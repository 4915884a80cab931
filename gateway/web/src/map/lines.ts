import type { Point, Rect } from "./geometry.js";
import { putUnder } from "./groups.js";
import type { BarSpec, BoxSpec } from "./boxes.js";

// Lines from bars to boxes, at right angles: down into the lane below the bar, to a trunk at the left if the box is in
// another row, along the lane above the box, and down to its edge. Each bar has a track of its own in every lane, so
// that lines of different bars cross but never lie on each other. Where people have moved a bar or a box, the line between
// them is the shortest with right angles.

interface BoxAt extends Rect {
  readonly spec: BoxSpec;
}

export interface MapLine {
  /** Key of the bar. */
  readonly from: string;
  /** Key of the box. */
  readonly to: string;
  /** The number of the bar, by which its lines are coloured. */
  readonly index: number;
  readonly points: readonly Point[];
}

/** In map units. */
export const SPACE = { track: 14, trunk: 14, around: 20, drop: 20, corner: 24 } as const;

/**
 * @param lanes where the gaps between rows of boxes begin, from top to bottom
 * @param isMoved whether people have moved the box with a key
 */
export function linesOf(
  boxes: readonly BoxAt[],
  lanes: readonly number[],
  isMoved: (key: string) => boolean,
): MapLine[] {
  const byKey = new Map(boxes.map((box) => [box.spec.key, box]));
  const bars = boxes.filter((box): box is BoxAt & { spec: BarSpec } => box.spec.kind === "bar");
  const arriving = arrivalsOf(bars);
  return bars.flatMap((bar, index) =>
    bar.spec.connects.flatMap((key): MapLine[] => {
      const box = byKey.get(key);
      if (box !== undefined && (isMoved(key) || isMoved(bar.spec.key))) {
        const x = entryOf(box, arriving.get(key) ?? [], bar.spec.key);
        return [{ from: bar.spec.key, to: key, index, points: directWay(bar, box, x) }];
      }
      const below = lanes.findIndex((top) => top >= bar.y + bar.height);
      const above = lanes.findLastIndex((top) => box !== undefined && top < box.y);
      if (box === undefined || lanes[below] === undefined || lanes[above] === undefined) return [];
      const exit = { x: bar.x + bar.width / 2, y: bar.y + bar.height };
      const entry = { x: entryOf(box, arriving.get(key) ?? [], bar.spec.key), y: box.y };
      const out = trackOf(lanes[below], index);
      const into = trackOf(lanes[above], index);
      const trunk = SPACE.around / 2 + index * SPACE.trunk;
      const between =
        below === above
          ? []
          : [
              { x: trunk, y: out },
              { x: trunk, y: into },
            ];
      const points = [exit, { x: exit.x, y: out }, ...between, { x: entry.x, y: into }, entry];
      return [{ from: bar.spec.key, to: key, index, points }];
    }),
  );
}

/** From a bar to a box that is below, above or beside it. @param x where it meets the box, if that is below or above */
function directWay(bar: Rect, box: Rect, x: number): Point[] {
  const middle = { x: bar.x + bar.width / 2, y: bar.y + bar.height / 2 };
  const isBelow = box.y >= bar.y + bar.height;
  if (isBelow || box.y + box.height <= bar.y) {
    const from = isBelow ? bar.y + bar.height : bar.y;
    const to = isBelow ? box.y : box.y + box.height;
    const half = (from + to) / 2;
    return [
      { x: middle.x, y: from },
      { x: middle.x, y: half },
      { x, y: half },
      { x, y: to },
    ];
  }
  const isRight = box.x >= bar.x + bar.width / 2;
  const from = isRight ? bar.x + bar.width : bar.x;
  const to = isRight ? box.x : box.x + box.width;
  const y = box.y + box.height / 2;
  const half = (from + to) / 2;
  return [
    { x: from, y: middle.y },
    { x: half, y: middle.y },
    { x: half, y },
    { x: to, y },
  ];
}

function trackOf(lane: number, index: number): number {
  return lane + SPACE.around + index * SPACE.track;
}

/** The bars whose lines arrive at each box. */
function arrivalsOf(bars: readonly (BoxAt & { spec: BarSpec })[]): Map<string, string[]> {
  const arriving = new Map<string, string[]>();
  for (const { spec } of bars) for (const key of spec.connects) putUnder(arriving, key, spec.key);
  return arriving;
}

/** Where a bar's line meets the upper edge of a box: beside those of other bars. */
function entryOf({ x, width }: BoxAt, arriving: readonly string[], bar: string): number {
  const step = Math.min(SPACE.drop, (width - 2 * SPACE.corner) / Math.max(1, arriving.length));
  return x + SPACE.corner + arriving.indexOf(bar) * step;
}
