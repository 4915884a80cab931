/** Numbers that follow from a seed. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** From 0 up to and without `end`. */
  below(end: number): number;
  from(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    from: (least, most) => least + below(most - least + 1),
    pick: (list) => list[below(list.length)] as never,
    chance: (probability) => next() < probability,
  };
}
