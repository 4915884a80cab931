import { describe, expect, it } from "@jest/globals";
import { ageOf, durationIn, momentOf } from "./moments.js";

const NOW = Date.parse("2026-11-30T12:00:00.000Z");
const reader = { now: new Date(NOW), timeZone: "Europe/Berlin" };

describe("moments", () => {
  it("are written as how long ago, as dates in the time zone of people, or as cursors", () => {
    const since = (text: string): string => momentOf(text, "since", reader);
    expect([since("2h"), since("3d ago")]).toEqual(["2026-11-30T10:00:00.000Z", "2026-11-27T12:00:00.000Z"]);
    expect([since("2 weeks ago"), since("1 Nov")]).toEqual(["2026-11-16T12:00:00.000Z", "2026-10-31T23:00:00.000Z"]);
    expect([since("yesterday"), momentOf("yesterday", "until", reader)]).toEqual([
      "2026-11-28T23:00:00.000Z",
      "2026-11-29T23:00:00.000Z",
    ]);
    expect(since("2026-01-31T09:30:00.5Z")).toBe("2026-01-31T09:30:00.500Z");
    expect(since("q3Vd0p-FyPzGm2bJ8nWk_A")).toBe("q3Vd0p-FyPzGm2bJ8nWk_A");
    expect(() => since("2hh")).toThrow(/^--since: it is not clear when "2hh" is: write it like `2h`/);
    expect(() => momentOf("lst monday", "seen_before", reader)).toThrow(
      /^--seen-before: it is not clear when "lst monday"/,
    );
    expect([durationIn("8w"), durationIn("soon")]).toEqual([4_838_400_000, null]);
  });

  it("are read as ages", () => {
    const ages = ["2026-11-30T11:59:55.000Z", "2026-11-30T10:30:00Z", "2026-11-27T12:00:00Z", "2020-11-27T12:00:00Z"];
    expect(ages.map((moment) => ageOf(moment, NOW))).toEqual(["5s", "90m", "3d", "6y"]);
    expect(ageOf("2026-12-03T13:00:00Z", NOW)).toBe("in 3d");
  });
});
