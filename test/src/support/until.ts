import { setTimeout as sleep } from "node:timers/promises";

/** Polls until the condition holds. @throws Error on timeout */
export async function until(
  condition: () => boolean | Promise<boolean>,
  everyMs = 10,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`the condition did not hold within ${timeoutMs / 1_000} s`);
    await sleep(everyMs);
  }
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
