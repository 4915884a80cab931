// Requests arrive together: what is asked about one key within one tick of the event loop is asked once, because a call
// costs as much for many tokens as for one.

interface Asker<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers that ask about one key in one tick. */
export interface Batch {
  readonly key: string;
  readonly count: number;
  /** `performance.now()` when the first of them asked. */
  readonly since: number;
}

/**
 * Makes the function that asks about a key, together with the other callers of this tick.
 *
 * @param ask answers all of a batch, in the order of the questions
 */
export function batchPerTick<Answer>(
  ask: (batch: Batch) => Promise<readonly Answer[]>,
): (key: string) => Promise<Answer> {
  let batches = new Map<string, { readonly askers: Asker<Answer>[]; readonly since: number }>();

  function askAll(): void {
    const asked = batches;
    batches = new Map();
    for (const [key, { askers, since }] of asked)
      ask({ key, since, count: askers.length }).then(
        (answers) => {
          for (const [place, answer] of answers.entries()) askers[place]?.resolve(answer);
        },
        (error: unknown) => {
          for (const { reject } of askers) reject(error);
        },
      );
  }

  function askersOf(key: string): Asker<Answer>[] {
    const known = batches.get(key);
    if (known !== undefined) return known.askers;
    if (batches.size === 0) setImmediate(askAll);
    const askers: Asker<Answer>[] = [];
    batches.set(key, { askers, since: performance.now() });
    return askers;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      askersOf(key).push({ resolve, reject });
    });
}
