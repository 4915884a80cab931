import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until the condition holds. @throws Error when the patience is at its end */
export async function until(
  condition: () => boolean | Promise<boolean>,
  everyMs = 10,
  patienceMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`it did not come to pass within ${patienceMs / 1_000} s`);
    await sleep(everyMs);
  }
}
