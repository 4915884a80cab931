// Requests arrive in bunches: what is asked about one key within one turn of the event loop is asked together, because a
// call costs as much for many tokens as for one.

interface Asker<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Those who ask about one key in one turn. */
export interface Bunch {
  readonly key: string;
  readonly count: number;
  /** `performance.now()` when the first of them asked. */
  readonly since: number;
}

/**
 * Makes the function that asks about a key, together with whoever else asks about it in this turn.
 *
 * @param askTogether answers all of a bunch, in the order of the questions
 */
export function gatherByTurn<Answer>(
  askTogether: (bunch: Bunch) => Promise<readonly Answer[]>,
): (key: string) => Promise<Answer> {
  let bunches = new Map<string, { readonly askers: Asker<Answer>[]; readonly since: number }>();

  function askAll(): void {
    const asked = bunches;
    bunches = new Map();
    for (const [key, { askers, since }] of asked)
      askTogether({ key, since, count: askers.length }).then(
        (answers) => {
          for (const [place, answer] of answers.entries()) askers[place]?.resolve(answer);
        },
        (error: unknown) => {
          for (const { reject } of askers) reject(error);
        },
      );
  }

  function askersOf(key: string): Asker<Answer>[] {
    const known = bunches.get(key);
    if (known !== undefined) return known.askers;
    if (bunches.size === 0) setImmediate(askAll);
    const askers: Asker<Answer>[] = [];
    bunches.set(key, { askers, since: performance.now() });
    return askers;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      askersOf(key).push({ resolve, reject });
    });
}
