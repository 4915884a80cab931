import { describe, expect, it } from "@jest/globals";
import { ageOf, durationIn, momentOf } from "./moments.js";

const NOW = Date.parse("2026-11-30T12:00:00.000Z");

describe("moments", () => {
  it("are written as how long ago, as days, or as they are", () => {
    expect(momentOf("2h", NOW)).toBe("2026-11-30T10:00:00.000Z");
    expect(momentOf("3d ago", NOW)).toBe("2026-11-27T12:00:00.000Z");
    expect(momentOf("yesterday", NOW)).toBe("2026-11-29T00:00:00Z");
    expect(momentOf("2026-01-31", NOW)).toBe("2026-01-31T00:00:00Z");
    expect(momentOf("a-cursor", NOW)).toBe("a-cursor");
    expect([durationIn("8w"), durationIn("soon")]).toEqual([4_838_400_000, null]);
  });

  it("are read as ages", () => {
    const ages = ["2026-11-30T11:59:55.000Z", "2026-11-30T10:30:00Z", "2026-11-27T12:00:00Z", "2020-11-27T12:00:00Z"];
    expect(ages.map((moment) => ageOf(moment, NOW))).toEqual(["5s", "90m", "3d", "6y"]);
    expect(ageOf("2026-12-03T13:00:00Z", NOW)).toBe("in 3d");
  });
});
