import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { caseFolded } from "./case.rules.js";
import { composed } from "./search.rules.js";

describe("a text without case", () => {
  it.each([
    ["ΟΔΟΣ", "οδοσ"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ 1", "οδοσ 1"],
    ["STRASSE", "Straße"],
    ["STRAẞE", "strasse"],
    ["FI4", "ﬁ4"],
    ["μ9", "µ9"],
    ["KÜCHE", "Ku\u0308che"],
  ])("is the same for %s and %s, which differ by case only", (a, b) => {
    expect(caseFolded(a)).toBe(caseFolded(b));
  });

  it.each([
    ["kız", "kiz"],
    ["KIZ", "kız"],
    ["Küche", "Kuche"],
  ])("differs for %s and %s, which are different letters", (a, b) => {
    expect(caseFolded(a)).not.toBe(caseFolded(b));
  });

  it("is the same for any text in upper and in lower case, and is itself without case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }).map(composed), (text) => {
        const without = caseFolded(text);
        // The capital of the dotless i is the I of all others.
        fc.pre(!text.includes("ı"));
        expect([text.toUpperCase(), text.toLowerCase(), without].map(caseFolded)).toEqual([without, without, without]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the lower case of usual names", () => {
    for (const name of ["Rack 1", "Küche", "Серверная", "İzmir", "東京", "Ελλάδα"])
      expect(caseFolded(name)).toBe(name.toLowerCase());
  });
});
