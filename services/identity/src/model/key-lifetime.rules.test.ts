import { describe, expect, it } from "@jest/globals";
import { endOf, endOfPrevious } from "./key-lifetime.rules.js";

const DAY_MS = 86_400_000;
const created_at = new Date("2026-06-01T12:00:00.000Z");
const day = (n: number): Date => new Date(created_at.getTime() + n * DAY_MS);
const key = { created_at, expires_at: null, previous: null };

describe("keys.lifetime: the expiry of a secret", () => {
  it("is absent without an expiry and a maximum age, otherwise whichever comes first", () => {
    expect(endOf(key, null)).toBeNull();
    expect(endOf(key, 30)).toEqual(day(30));
    expect(endOf({ ...key, expires_at: day(10) }, 30)).toEqual(day(10));
    expect(endOf({ ...key, expires_at: day(40) }, 30)).toEqual(day(30));
    expect(endOf({ ...key, expires_at: day(40) }, null)).toEqual(day(40));
  });

  it("is counted from the last rotation, which never moves the expiry of the key", () => {
    const rotated = { ...key, issued_at: day(20) };
    expect(endOf(rotated, 30)).toEqual(day(50));
    expect(endOf({ ...rotated, expires_at: day(40) }, 30)).toEqual(day(40));
  });

  it("is for the previous secret the end of the grace period, and no later than without the rotation", () => {
    const previous = { hash: "old", issued_at: created_at, since: day(29), expires_at: day(36), last_used: null };
    const rotated = { ...key, issued_at: day(29), previous };
    expect(endOfPrevious(rotated, null)).toEqual(day(36));
    expect(endOfPrevious(rotated, 30)).toEqual(day(30));
    expect(endOfPrevious({ ...rotated, expires_at: day(32) }, null)).toEqual(day(32));
    expect(endOfPrevious(key, 30)).toBeNull();
  });
});
