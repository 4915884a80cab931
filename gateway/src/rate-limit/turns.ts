// Requests arrive in bunches: what is asked about one key within one turn of the event loop is asked together, because a
// call costs as much for many tokens as for one.

interface Bunch<Answer> {
  readonly answers: Promise<readonly Answer[]>;
  readonly settle: (answers: Promise<readonly Answer[]>) => void;
  count: number;
}

/**
 * Makes the function that asks about a key, together with whoever else asks about it in this turn.
 *
 * @param askTogether asks for `count` at once; its answers are given out in the order of the questions
 */
export function gatherByTurn<Answer>(
  askTogether: (key: string, count: number) => Promise<readonly Answer[]>,
): (key: string) => Promise<Answer> {
  let bunches = new Map<string, Bunch<Answer>>();

  function askAll(): void {
    const asked = bunches;
    bunches = new Map();
    for (const [key, { count, settle }] of asked) settle(askTogether(key, count));
  }

  function join(key: string): Bunch<Answer> {
    const known = bunches.get(key);
    if (known !== undefined) return known;
    if (bunches.size === 0) setImmediate(askAll);
    let settle: Bunch<Answer>["settle"] = () => undefined;
    const answers = new Promise<readonly Answer[]>((resolve) => {
      settle = resolve;
    });
    const bunch: Bunch<Answer> = { answers, settle, count: 0 };
    bunches.set(key, bunch);
    return bunch;
  }

  return async (key) => {
    const bunch = join(key);
    const place = bunch.count++;
    const answer = (await bunch.answers)[place];
    if (answer === undefined) throw new Error("fewer answers than questions");
    return answer;
  };
}
