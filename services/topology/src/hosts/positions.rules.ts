// Positions in a list are dense and start at 0. Pure rules for where an item goes and which others move.

/** Items from `from` to `to` (inclusive) move by `by`. */
export interface Shift {
  readonly from: number;
  readonly to: number;
  readonly by: 1 | -1;
}

/** The position of an item, and the shift that makes room for it; null if nothing else moves. */
export interface Placement {
  readonly position: number;
  readonly shift: Shift | null;
}

/** Inserts an item into a list of `count` others. @param requested absent appends; beyond the end means last */
export function placeNew(requested: number | undefined, count: number): Placement {
  const position = Math.min(requested ?? count, count);
  return { position, shift: position === count ? null : { from: position, to: count - 1, by: 1 } };
}

/** Moves an item within a list of `count` items including it. @param requested absent keeps; beyond the end means last */
export function placeExisting(current: number, requested: number | undefined, count: number): Placement {
  const position = Math.min(requested ?? current, count - 1);
  if (position === current) return { position, shift: null };
  return position < current
    ? { position, shift: { from: position, to: current - 1, by: 1 } }
    : { position, shift: { from: current + 1, to: position, by: -1 } };
}

/**
 * Positions of several new items, placed one after the other in the given order.
 *
 * @returns the position of each item
 */
export function placeAll(requested: readonly (number | undefined)[]): number[] {
  const order: number[] = [];
  requested.forEach((position, item) => order.splice(placeNew(position, order.length).position, 0, item));
  return requested.map((_, item) => order.indexOf(item));
}
