import { AppError } from "@nts/shared/errors";

// An import holds what it has read of its file in memory, and a connection, for as long as it lasts.

const MOST_AT_A_TIME = 4;
const MOST_OF_ORGANIZATION = 2;
const WAIT_SECONDS = 5;

export interface Slots {
  /**
   * Takes a place among the imports that this process runs.
   *
   * @returns gives it back
   * @throws AppError `rate_limited` when the organization has its share · `unavailable` when all are taken
   */
  take(organizationId: string): () => void;
}

/** All places are free. */
export function createSlots(): Slots {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take: (organizationId) => {
      const own = taken.get(organizationId) ?? 0;
      const wait = { retry_after_seconds: WAIT_SECONDS };
      if (own === MOST_OF_ORGANIZATION) throw new AppError("rate_limited", wait);
      if (total === MOST_AT_A_TIME) throw new AppError("unavailable", wait);
      taken.set(organizationId, own + 1);
      total++;
      return () => {
        const left = (taken.get(organizationId) ?? 1) - 1;
        if (left === 0) taken.delete(organizationId);
        else taken.set(organizationId, left);
        total--;
      };
    },
  };
}
