import { createBatcher, fulfilled } from "@nts/shared/scheduling/batcher";

/** The calls for one key in one tick, because a call to Redis costs the same for many tokens as for one. */
export interface Batch {
  readonly key: string;
  readonly count: number;
  /** `performance.now()` of the first call. */
  readonly since: number;
}

/** @param call returns the results of a batch, in the order of its calls */
export function batchPerTick<Result>(
  call: (batch: Batch) => Promise<readonly Result[]>,
): (key: string) => Promise<Result> {
  const batch = createBatcher<number, Result>({
    run: async (times, key) => {
      const [since = 0] = times;
      return (await call({ key, since, count: times.length })).map(fulfilled);
    },
  });
  return (key) => batch(key, performance.now());
}
