import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createLog } from "@nts/shared/log";
import { createRedisGuard } from "./redis-guard.js";

const TIMEOUT_MS = 25;
const never = (): Promise<never> => new Promise(() => undefined);
const responds = (): Promise<string> => Promise.resolve("answer");
const after = (ms: number) => (): Promise<string> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve("answer");
    }, ms);
  });

let probe: () => Promise<unknown>;

beforeEach(() => {
  jest.useFakeTimers();
  probe = never;
});

afterEach(() => {
  jest.useRealTimers();
});

const aGuard = () =>
  createRedisGuard({ probe: () => probe(), timeoutMs: TIMEOUT_MS, log: createLog("test", "silent") });

/** The state of a promise: its value, "refused", or "open". */
function stateOf(promise: Promise<string>): () => string {
  let stand = "open";
  promise.then(
    (value) => (stand = value),
    () => (stand = "refused"),
  );
  return () => stand;
}

describe("the circuit breaker of Redis", () => {
  it("limits the duration of a call to the time that a request may wait", async () => {
    const guard = aGuard();
    const inTime = stateOf(guard.run(after(TIMEOUT_MS - 1)));
    const late = stateOf(guard.run(after(TIMEOUT_MS + 2)));
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
    expect([inTime(), late(), guard.isAway()]).toEqual(["answer", "open", false]);
    await jest.advanceTimersByTimeAsync(2);
    expect([late(), guard.isAway()]).toEqual(["refused", true]);
  });

  it("makes no call while Redis is unavailable", async () => {
    const guard = aGuard();
    await expect(guard.run(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    let calls = 0;
    const call = (): Promise<string> => responds().finally(() => calls++);
    await expect(guard.run(call)).rejects.toThrow("unavailable");
    expect(calls).toBe(0);
  });

  it("accepts a response that has arrived, however late it is read", async () => {
    const guard = aGuard();
    const read = new Promise<string>((resolve) => {
      // The process is busy until the timeout, and only reads afterwards.
      setTimeout(() => setImmediate(resolve, "answer"), TIMEOUT_MS - 1);
    });
    const stand = stateOf(guard.run(() => read));
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS + 5);
    expect([stand(), guard.isAway()]).toEqual(["answer", false]);
  });

  it("closes as soon as a probe succeeds in time", async () => {
    const guard = aGuard();
    const stand = stateOf(guard.run(never));
    await jest.advanceTimersByTimeAsync(TIMEOUT_MS + 1);
    expect(stand()).toBe("refused");
    probe = after(TIMEOUT_MS + 5);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(guard.isAway()).toBe(true);
    probe = responds;
    await jest.advanceTimersByTimeAsync(300);
    expect(guard.isAway()).toBe(false);
    await expect(guard.run(responds)).resolves.toBe("answer");
  });

  it("limits the number of abandoned calls that wait for a slow Redis", () => {
    const guard = aGuard();
    let calls = 0;
    for (let time = 0; time < 5_000; time++)
      guard.fireAndForget(() => {
        calls++;
        return never();
      });
    expect(calls).toBe(2_000);
  });

  it("stops probing when it is stopped", async () => {
    const guard = aGuard();
    await expect(guard.run(() => Promise.reject(new Error("gone")))).rejects.toThrow();
    guard.stop();
    probe = responds;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(guard.isAway()).toBe(true);
  });
});
