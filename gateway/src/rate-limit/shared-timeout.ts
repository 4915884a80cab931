// One timer for calls that all may take equally long: whoever began first is the first whose time is over, and a timer for
// each would cost more than the call.

/** Rejects when the promise has not settled in time; otherwise settles as it does. */
export type WithTimeout = <Result>(promise: Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly giveUp: (error: Error) => void;
  isSettled: boolean;
  since: number;
}

/**
 * The time begins when the tick of the event loop is over, which is when calls are written, and at its end what has arrived
 * is read first: a process that was busy is not taken for a slow Redis.
 */
export function createSharedTimeout(ms: number): WithTimeout {
  /** Those of this tick, whose time has not begun. */
  let fresh: Waiting[] = [];
  /** The others, in the order in which their times end. */
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    const now = performance.now();
    for (const one of fresh) one.since = now;
    waiting.push(...fresh);
    fresh = [];
    if (timer === undefined) wait(now);
  }

  function wait(now: number): void {
    const first = waiting[0];
    timer = first && setTimeout(() => setImmediate(expire, performance.now()), first.since + ms - now);
  }

  function expire(now: number): void {
    for (const { since, isSettled, giveUp } of waiting)
      if (!isSettled && since + ms <= now) giveUp(new Error(`redis took longer than ${ms} ms`));
    waiting = waiting.filter(({ since, isSettled }) => !isSettled && since + ms > now);
    wait(performance.now());
  }

  return (promise) =>
    new Promise((resolve, reject) => {
      const one: Waiting = { giveUp: reject, isSettled: false, since: 0 };
      if (fresh.push(one) === 1) setImmediate(begin);
      promise
        .finally(() => {
          one.isSettled = true;
        })
        .then(resolve, reject);
    });
}
