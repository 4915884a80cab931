import type { Point } from "./geometry.js";

// What people have changed in the layout of a picture.

export interface Arrangement {
  /** Upper left corners of boxes and tiles that were moved, within the content of the box around them, by key. */
  readonly positions: Readonly<Record<string, Point>>;
  /** Keys of boxes of which only the header is shown. */
  readonly collapsed: ReadonlySet<string>;
}

export const UNARRANGED: Arrangement = { positions: {}, collapsed: new Set() };

/** In map units: places are multiples of the one, a step by key is the other. */
const GRID = 4;
export const STEP = 24;
/** As the API limits them. */
const FARTHEST = 1_000_000;

export function isArranged({ positions, collapsed }: Arrangement): boolean {
  return collapsed.size > 0 || Object.keys(positions).length > 0;
}

export function withPosition(arrangement: Arrangement, key: string, { x, y }: Point): Arrangement {
  return { ...arrangement, positions: { ...arrangement.positions, [key]: { x: onGrid(x), y: onGrid(y) } } };
}

export function withCollapsed(arrangement: Arrangement, key: string, isCollapsed: boolean): Arrangement {
  const collapsed = new Set(arrangement.collapsed);
  if (isCollapsed) collapsed.add(key);
  else collapsed.delete(key);
  return { ...arrangement, collapsed };
}

export function isSame(a: Arrangement, b: Arrangement): boolean {
  const ofA = Object.entries(a.positions);
  return (
    ofA.length === Object.keys(b.positions).length &&
    ofA.every(([key, { x, y }]) => b.positions[key]?.x === x && b.positions[key].y === y) &&
    a.collapsed.size === b.collapsed.size &&
    [...a.collapsed].every((key) => b.collapsed.has(key))
  );
}

function onGrid(length: number): number {
  return Math.min(FARTHEST, Math.max(-FARTHEST, Math.round(length / GRID) * GRID));
}
