import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_PAUSE_MS = 100;

/** Polls until the condition holds, at growing intervals, to leave the processor to the condition. @throws Error on timeout */
export async function until(
  condition: () => boolean | Promise<boolean>,
  everyMs = 10,
  timeoutMs = 60_000,
): Promise<void> {
  const startedAt = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`the condition did not hold within ${timeoutMs / 1_000} s`);
    await sleep(Math.max(everyMs, Math.min(waitedMs / 10, LONGEST_PAUSE_MS)));
  }
}

const MAX_ATTEMPTS = 6;
const RETRY_MS = 1_000;

/** Retries a request while a busy machine responds with 503 or 504. @returns the last response */
export async function untilServed<T extends { readonly status: number }>(send: () => Promise<T>): Promise<T> {
  let response = await send();
  for (let attempt = 1; attempt < MAX_ATTEMPTS && [503, 504].includes(response.status); attempt++) {
    await sleep(RETRY_MS);
    response = await send();
  }
  return response;
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
