import { describe, expect, it } from "@jest/globals";
import { expiryOfNew, slidExpiry } from "./session-lifetime.rules.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const start = new Date("2026-01-01T00:00:00.000Z");
const after = (ms: number): Date => new Date(start.getTime() + ms);

describe("sessions.lifetime: the lifetime of a session", () => {
  it("ends seven days after its beginning when it is not used", () => {
    expect(expiryOfNew(start)).toEqual(after(7 * DAY_MS));
  });

  it("ends seven days after its last use", () => {
    const session = { created_at: start, expires_at: after(7 * DAY_MS) };
    expect(slidExpiry(session, after(2 * DAY_MS))).toEqual(after(9 * DAY_MS));
  });

  it("is not written again within an hour", () => {
    const session = { created_at: start, expires_at: after(7 * DAY_MS) };
    expect(slidExpiry(session, after(HOUR_MS - 1))).toBeNull();
    expect(slidExpiry(session, after(HOUR_MS))).toEqual(after(7 * DAY_MS + HOUR_MS));
  });

  it("ends thirty days after its beginning however much it is used, and is not written any more then", () => {
    const session = { created_at: start, expires_at: after(29 * DAY_MS) };
    expect(slidExpiry(session, after(25 * DAY_MS))).toEqual(after(30 * DAY_MS));
    expect(slidExpiry({ ...session, expires_at: after(30 * DAY_MS) }, after(29 * DAY_MS))).toBeNull();
  });
});
