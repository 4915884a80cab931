// Batches calls for the same key within one tick of the event loop, because a call costs the same for many tokens as
// for one.

interface Asker<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The callers for one key in one tick. */
export interface Batch {
  readonly key: string;
  readonly count: number;
  /** `performance.now()` of the first call. */
  readonly since: number;
}

/**
 * Creates a function that batches calls for a key per tick.
 *
 * @param ask returns the results of a batch, in the order of its calls
 */
export function batchPerTick<Result>(
  ask: (batch: Batch) => Promise<readonly Result[]>,
): (key: string) => Promise<Result> {
  let batches = new Map<string, { readonly askers: Asker<Result>[]; readonly since: number }>();

  function askAll(): void {
    const due = batches;
    batches = new Map();
    for (const [key, { askers, since }] of due)
      ask({ key, since, count: askers.length }).then(
        (results) => {
          for (const [place, result] of results.entries()) askers[place]?.resolve(result);
        },
        (error: unknown) => {
          for (const { reject } of askers) reject(error);
        },
      );
  }

  function askersOf(key: string): Asker<Result>[] {
    const known = batches.get(key);
    if (known !== undefined) return known.askers;
    if (batches.size === 0) setImmediate(askAll);
    const askers: Asker<Result>[] = [];
    batches.set(key, { askers, since: performance.now() });
    return askers;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      askersOf(key).push({ resolve, reject });
    });
}
