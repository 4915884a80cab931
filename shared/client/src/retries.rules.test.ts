import { describe, expect, it } from "@jest/globals";
import { DEFAULT_RETRIES, retryDelayMs } from "./retries.rules.js";

const failure = (status: number, more: object = {}) =>
  ({ status, code: "unavailable", retryAfterSeconds: null, ...more }) as Parameters<typeof retryDelayMs>[0];
const often = { ...DEFAULT_RETRIES, chance: 1 };

describe("retrying a failed call", () => {
  it("happens after an unknown outcome only when the call is idempotent", () => {
    for (const status of [0, 502, 503, 504]) {
      expect(retryDelayMs(failure(status), true, 0, often)).toBe(250);
      expect(retryDelayMs(failure(status), false, 0, often)).toBeNull();
    }
  });

  it("happens after any rate limit, and for a write that is still in progress", () => {
    expect(retryDelayMs(failure(429), false, 0, often)).toBe(250);
    expect(retryDelayMs(failure(409, { code: "idempotency_in_progress" }), false, 0, often)).toBe(250);
    expect(retryDelayMs(failure(409, { code: "already_exists" }), true, 0, often)).toBeNull();
    expect(retryDelayMs(failure(404), true, 0, often)).toBeNull();
    expect(retryDelayMs(failure(500), true, 0, often)).toBeNull();
  });

  it("waits for Retry-After plus jitter, and does not happen when that is too long", () => {
    expect(retryDelayMs(failure(429, { retryAfterSeconds: 3 }), false, 0, often)).toBe(3_250);
    expect(retryDelayMs(failure(429, { retryAfterSeconds: 3 }), false, 0, { ...often, chance: 0 })).toBe(3_000);
    expect(retryDelayMs(failure(429, { retryAfterSeconds: 61 }), false, 0, often)).toBeNull();
  });

  it("waits longer each time, at most eight seconds, and ends", () => {
    const waits = [0, 1, 2, 3, 4].map((attempt) => retryDelayMs(failure(503), true, attempt, often));
    expect(waits).toEqual([250, 500, 1_000, 2_000, null]);
    expect(retryDelayMs(failure(503), true, 9, { ...often, retries: 10 })).toBe(8_000);
  });
});
