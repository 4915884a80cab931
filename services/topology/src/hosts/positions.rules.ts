// Positions of the items of one list are dense and start at 0. These rules say where an item goes and which others
// move; they know no database.

/** Other items from `from` to `to` (both included) move by `by`. */
export interface Shift {
  readonly from: number;
  readonly to: number;
  readonly by: 1 | -1;
}

/** Where an item stands after a change, and what makes room for it; null when nothing else moves. */
export interface Placement {
  readonly position: number;
  readonly shift: Shift | null;
}

/** Puts a new item into a list of `count` others. @param wanted absent appends; beyond the end means last */
export function placeNew(wanted: number | undefined, count: number): Placement {
  const position = Math.min(wanted ?? count, count);
  return { position, shift: position === count ? null : { from: position, to: count - 1, by: 1 } };
}

/** Moves an item within a list of `count` items, itself included. @param wanted absent keeps; beyond the end means last */
export function placeExisting(current: number, wanted: number | undefined, count: number): Placement {
  const position = Math.min(wanted ?? current, count - 1);
  if (position === current) return { position, shift: null };
  return position < current
    ? { position, shift: { from: position, to: current - 1, by: 1 } }
    : { position, shift: { from: current + 1, to: position, by: -1 } };
}

/**
 * Positions of several new items of one list: each is placed after the other, in the order given.
 *
 * @returns the position of each item
 */
export function placeAll(wanted: readonly (number | undefined)[]): number[] {
  const order: number[] = [];
  wanted.forEach((position, item) => order.splice(placeNew(position, order.length).position, 0, item));
  return wanted.map((_, item) => order.indexOf(item));
}
