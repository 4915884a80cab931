import { setTimeout as sleep } from "node:timers/promises";

/** Asks again and again until the condition holds. @throws Error after 10 s */
export async function until(condition: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("it did not come to pass within 10 s");
    await sleep(everyMs);
  }
}
