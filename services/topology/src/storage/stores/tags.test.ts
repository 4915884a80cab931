import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { tagKeyOf } from "./tags.js";

describe("the key of a tag's name", () => {
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
    expect(tagKeyOf(a)).toBe(tagKeyOf(b));
  });

  it.each([
    ["kız", "kiz"],
    ["KIZ", "kız"],
    ["Küche", "Kuche"],
  ])("differs for %s and %s, which are different letters", (a, b) => {
    expect(tagKeyOf(a)).not.toBe(tagKeyOf(b));
  });

  it("does not depend on the case of any name, and is its own key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const key = tagKeyOf(name);
        // The capital of the dotless i is the I of all others.
        fc.pre(!name.includes("ı"));
        expect([name.toUpperCase(), name.toLowerCase(), key].map(tagKeyOf)).toEqual([key, key, key]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the name in lower case for usual names, as in earlier versions", () => {
    for (const name of ["Rack 1", "Küche", "Серверная", "İzmir", "東京", "Ελλάδα"])
      expect(tagKeyOf(name)).toBe(name.toLowerCase());
  });
});
