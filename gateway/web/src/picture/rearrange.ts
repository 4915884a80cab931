import { type Box, createRoom } from "./labels.js";

// Rearranges circles after additions and growth, keeping existing positions as far as possible.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A circle to arrange around the origin. */
export interface Kept {
  readonly r: number;
  /** The previous position; null for a new circle. */
  readonly was: Point | null;
  /** True if it has grown since. */
  readonly grew: boolean;
}

interface Circle {
  x: number;
  y: number;
  readonly r: number;
}

/** Radians between neighbours of a spiral that covers the plane evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * Arranges circles: new ones take the nearest free position, grown ones push others outwards, no further than
 * necessary. Previously separate circles never overlap.
 */
export function rearranged(circles: readonly Kept[]): Point[] {
  const placed: (Circle | null)[] = circles.map(({ r, was }) => was && { x: was.x, y: was.y, r });
  for (const [index, { grew }] of circles.entries()) if (grew) makeRoom(placed, index);
  const room = createRoom<Boxed>({ square: 2 * Math.max(1, ...circles.map(({ r }) => r)), collide });
  for (const circle of placed) if (circle !== null) room.take(boxed(circle));
  // equal circles resume the search where the last one was placed
  const tried = new Map<number, number>();
  return circles.map(({ r }, index) => {
    const there = placed[index];
    if (there) return there;
    for (let n = tried.get(r) ?? 0; ; n++) {
      const spot = boxed({ ...onSpiral(n, r / 2), r });
      if (!room.isFree(spot)) continue;
      room.take(spot);
      tried.set(r, n + 1);
      return { x: spot.x, y: spot.y };
    }
  });
}

/** Moves all others outwards by the same length, which never brings two of them closer. */
function makeRoom(placed: readonly (Circle | null)[], index: number): void {
  const one = placed[index];
  if (!one) return;
  const others = placed.filter((other) => other !== null && other !== one) as Circle[];
  const gap = (other: Circle): number => Math.hypot(other.x - one.x, other.y - one.y) - one.r - other.r;
  const missing = -Math.min(0, ...others.map(gap));
  if (missing === 0) return;
  for (const other of others) {
    const distance = Math.hypot(other.x - one.x, other.y - one.y);
    const scale = (distance + missing) / distance;
    other.x = one.x + (other.x - one.x) * scale;
    other.y = one.y + (other.y - one.y) * scale;
  }
}

function onSpiral(n: number, step: number): Point {
  const away = step * Math.sqrt(n);
  const angle = n * GOLDEN_ANGLE;
  return { x: away * Math.cos(angle), y: away * Math.sin(angle) };
}

type Boxed = Circle & Box;

const boxed = ({ x, y, r }: Circle): Boxed => ({ x, y, r, left: x - r, top: y - r, right: x + r, bottom: y + r });

function collide(a: Circle, b: Circle): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r;
}
