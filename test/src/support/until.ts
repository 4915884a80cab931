import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_PAUSE_MS = 100;

/** Polls until the condition holds, less and less often: what is waited for needs the processor. @throws Error on timeout */
export async function until(
  condition: () => boolean | Promise<boolean>,
  everyMs = 10,
  timeoutMs = 60_000,
): Promise<void> {
  const begun = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - begun;
    if (waitedMs > patienceMs) throw new Error(`it did not come to pass within ${patienceMs / 1_000} s`);
    await sleep(Math.max(everyMs, Math.min(waitedMs / 10, LONGEST_PAUSE_MS)));
  }
}

const MOST_ASKED = 6;
const ASK_AGAIN_MS = 1_000;

/** Asks again while a busy machine answers 503 or 504, a few times at most. @returns the last answer */
export async function untilServed<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer = await ask();
  for (let asked = 1; asked < MOST_ASKED && [503, 504].includes(answer.status); asked++) {
    await sleep(ASK_AGAIN_MS);
    answer = await ask();
  }
  return answer;
}

/** Polls until a count is no longer zero and has not changed for some time. @throws Error on timeout */
export async function untilSteady(count: () => number, forMs: number): Promise<void> {
  let before = 0;
  await until(() => {
    const isSteady = before > 0 && count() === before;
    before = count();
    return isSteady;
  }, forMs);
}
