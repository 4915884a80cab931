import { describe, expect, it } from "@jest/globals";
import { FORGOTTEN_MS, FROM_EVERYWHERE, FROM_ONE_ADDRESS, remainingMs, waitAfterMs } from "./login-throttle.rules.js";

const now = new Date("2026-06-01T12:00:00.000Z");
const before = (ms: number): Date => new Date(now.getTime() - ms);
const MINUTE_MS = 60_000;

describe("logins.throttle: the wait after failures from one address", () => {
  it("is zero for the first four", () => {
    for (let failures = 0; failures < 5; failures++) expect(waitAfterMs(failures, FROM_ONE_ADDRESS)).toBe(0);
  });

  it("starts with five seconds after the fifth, and doubles", () => {
    const waits = [5, 6, 7, 8].map((failures) => waitAfterMs(failures, FROM_ONE_ADDRESS));
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000]);
  });

  it("is never longer than fifteen minutes", () => {
    for (const failures of [13, 50, 5_000]) expect(waitAfterMs(failures, FROM_ONE_ADDRESS)).toBe(15 * MINUTE_MS);
  });

  it("is counted from the last failure", () => {
    const found = (ago: number) => ({ failures: 6, failed_at: before(ago) });
    expect(remainingMs(found(0), FROM_ONE_ADDRESS, now)).toBe(10_000);
    expect(remainingMs(found(9_999), FROM_ONE_ADDRESS, now)).toBe(1);
    expect(remainingMs(found(10_000), FROM_ONE_ADDRESS, now)).toBe(0);
    expect(remainingMs(null, FROM_ONE_ADDRESS, now)).toBe(0);
  });

  it("is not longer for a failure that another clock dates into the future", () => {
    expect(remainingMs({ failures: 6, failed_at: before(-3_600_000) }, FROM_ONE_ADDRESS, now)).toBe(10_000);
  });

  it("is zero once the failures are a day old", () => {
    expect(remainingMs({ failures: 5_000, failed_at: before(FORGOTTEN_MS) }, FROM_ONE_ADDRESS, now)).toBe(0);
  });
});

describe("logins.throttle: the wait after failures from all addresses", () => {
  it("starts after a hundred, and is never longer than a minute", () => {
    expect(waitAfterMs(99, FROM_EVERYWHERE)).toBe(0);
    expect(waitAfterMs(100, FROM_EVERYWHERE)).toBe(1_000);
    expect(waitAfterMs(5_000, FROM_EVERYWHERE)).toBe(MINUTE_MS);
  });
});
