import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createTokensAhead, FOLLOWING_MS, MOST_AHEAD } from "./ahead.js";
import { type BucketLevel, levelsUpTo } from "./bucket.js";

const BURST = 480;
const PER_MINUTE = 600;
const INTERVAL_MS = 100;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A bucket that does not refill, and who follows whom. */
function aBucket(burst = BURST) {
  const calls: number[] = [];
  let taken = 0;
  const giveBack = (_key: string, tokens: number): Promise<void> => {
    calls.push(-tokens);
    taken -= tokens;
    return Promise.resolve();
  };
  const call = (_key: string, tokens: number): Promise<readonly BucketLevel[]> => {
    calls.push(tokens);
    taken += tokens;
    const remaining = burst - taken;
    const level = { allowed: true, limit: PER_MINUTE, burst, remaining, waitMs: 0, fullInMs: taken * INTERVAL_MS };
    return Promise.resolve(levelsUpTo(level, tokens, INTERVAL_MS));
  };
  const ahead = createTokensAhead({ perMinute: PER_MINUTE, burst }, giveBack);
  const request = async (): Promise<number | undefined> =>
    (ahead.use("a") ?? (await ahead.take("a", 1, call))[0])?.remaining;
  return { ahead, calls, call, request, take: (tokens: number) => (taken += tokens) };
}

describe("tokens taken ahead", () => {
  it("are taken for requests that follow each other, whose levels are as if each had taken its own", async () => {
    const { calls, request } = aBucket();
    const remaining = [];
    for (let n = 0; n < MOST_AHEAD + 3; n++) remaining.push(await request());
    expect(calls).toEqual([1, 1 + MOST_AHEAD, 1 + MOST_AHEAD]);
    expect(remaining).toEqual(remaining.map((_, n) => BURST - 1 - n));
  });

  it("have the level of the moment in which they are used", async () => {
    const { request } = aBucket();
    await request();
    await request();
    jest.advanceTimersByTime(FOLLOWING_MS / 2);
    expect(await request()).toBe(BURST - 3);
    jest.advanceTimersByTime(FOLLOWING_MS / 2);
    expect(await request()).toBe(BURST - 4 + FOLLOWING_MS / INTERVAL_MS);
  });

  it("are given back a moment after the last request", async () => {
    const { calls, request } = aBucket();
    for (let n = 0; n < 3; n++) await request();
    jest.advanceTimersByTime(3 * FOLLOWING_MS);
    expect(calls.slice(2)).toEqual([1 - MOST_AHEAD]);
    await request();
    expect(calls.slice(3)).toEqual([1]);
    jest.advanceTimersByTime(3 * FOLLOWING_MS);
    expect([calls.length, jest.getTimerCount()]).toEqual([4, 0]);
  });

  it("are taken by one call at a time", async () => {
    const { ahead, calls, call, request } = aBucket();
    await request();
    await Promise.all([ahead.take("a", 2, call), ahead.take("a", 3, call), ahead.take("a", 1, call)]);
    expect(calls).toEqual([1, 2 + MOST_AHEAD, 3, 1]);
    expect(await request()).toBe(BURST - 4);
  });

  it("are used before a request is refused, however long Redis takes", async () => {
    const { ahead, call, request } = aBucket();
    await request();
    const taking = ahead.take("a", 1, call);
    let refuse = (): void => undefined;
    const refused = ahead.take("a", 1, async (key) => {
      await new Promise<void>((resolve) => (refuse = resolve));
      return (await call(key, 1)).map((level) => ({ ...level, allowed: false }));
    });
    await taking;
    jest.advanceTimersByTime(10 * FOLLOWING_MS);
    refuse();
    expect((await refused)[0]).toMatchObject({ allowed: true });
  });

  it("are none while less than half of a bucket is left, and few of a small one", async () => {
    const low = aBucket();
    low.take(BURST / 2);
    const small = aBucket(40);
    const tiny = aBucket(15);
    for (let n = 0; n < 4; n++) for (const { request } of [low, small, tiny]) await request();
    expect(low.calls).toEqual([1, 1, 1, 1]);
    expect(small.calls).toEqual([1, 1 + 2]);
    expect(tiny.calls).toEqual([1, 1, 1, 1]);
  });

  it("may be taken again after a call has failed", async () => {
    const { ahead, calls, request } = aBucket();
    await request();
    await expect(ahead.take("a", 1, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    await request();
    expect(calls).toEqual([1, 1 + MOST_AHEAD]);
  });
});
