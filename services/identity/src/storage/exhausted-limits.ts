import { boundedCache } from "@nts/shared/bounded-cache";

const MOST_REMEMBERED = 10_000;

/** Limits that are known to be reached, by id. */
export interface ExhaustedLimits {
  has(id: string): boolean;
  add(id: string): void;
}

/** Remembers the latest ones. */
export function createExhaustedLimits(): ExhaustedLimits {
  const reached = boundedCache<true>(MOST_REMEMBERED);
  return {
    has: (id) => reached.has(id),
    add: (id) => {
      reached.set(id, true);
    },
  };
}
