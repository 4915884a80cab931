export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are its upper left corner. */
export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

/** The smallest part that contains all of them; null if there is none. */
export function around(parts: readonly Rect[]): Rect | null {
  if (parts.length === 0) return null;
  const x = Math.min(...parts.map((part) => part.x));
  const y = Math.min(...parts.map((part) => part.y));
  const right = Math.max(...parts.map((part) => part.x + part.width));
  const bottom = Math.max(...parts.map((part) => part.y + part.height));
  return { x, y, width: right - x, height: bottom - y };
}
