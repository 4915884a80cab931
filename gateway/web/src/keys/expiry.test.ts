import { describe, expect, it } from "@jest/globals";
import { localText } from "../forms/moments.js";
import { expiryFault, expiryOf, momentIn } from "./expiry.js";

const NOW = new Date("2026-01-31T09:30:00.000Z");
const MOMENT = "2026-03-01T12:00:12.345Z";

describe("when a key ends", () => {
  it.each([
    ["month", 30],
    ["quarter", 90],
    ["year", 365],
  ] as const)("is after a usual time: %s", (choice, days) => {
    const end = Date.parse(momentIn({ choice, at: "" }, null, NOW) ?? "");
    // the clock may have been put forward or back in between
    expect(Math.round((end - NOW.getTime()) / 86_400_000)).toBe(days);
  });

  it("is a date or never, and stays as it was to the millisecond if it is not changed", () => {
    expect(momentIn(expiryOf(MOMENT), MOMENT, NOW)).toBe(MOMENT);
    expect(momentIn(expiryOf(null), null, NOW)).toBeNull();
    expect(momentIn({ choice: "never", at: "" }, MOMENT, NOW)).toBeNull();
    const at = localText("2026-05-01T10:00:00.000Z");
    expect(momentIn({ choice: "date", at }, MOMENT, NOW)).toBe("2026-05-01T10:00:00.000Z");
  });

  it("needs a date where one is chosen", () => {
    expect(expiryFault({ choice: "date", at: "" })).toBe("Enter a date, or choose Never.");
    expect([expiryFault({ choice: "never", at: "" }), expiryFault(expiryOf(MOMENT))]).toEqual([null, null]);
  });
});
