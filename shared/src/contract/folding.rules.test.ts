import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { composed, folded } from "./folding.rules.js";

describe("a folded text", () => {
  it.each([
    ["ΟΔΟΣ", "οδοσ"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ 1", "οδοσ 1"],
    ["STRASSE", "Straße"],
    ["STRAẞE", "strasse"],
    ["FI4", "ﬁ4"],
    ["μ9", "µ9"],
    ["KÜCHE", "Ku\u0308che"],
    ["İZMİR", "izmir"],
    ["I\u0307zmir", "İzmir".toLowerCase()],
    ["10 \u212a", "10 k"],
    ["ＮＡＳ　０１", "nas 01"],
    ["ｶﾞｰﾄﾞ", "ガード"],
  ])("is the same for %s and %s, which differ by case or width only", (a, b) => {
    expect(folded(a)).toBe(folded(b));
  });

  it.each([
    ["kız", "kiz"],
    ["KIZ", "kız"],
    ["Küche", "Kuche"],
    ["m²", "m2"],
  ])("differs for %s and %s, which are different letters", (a, b) => {
    expect(folded(a)).not.toBe(folded(b));
  });

  it("is the same for any text in upper and in lower case, and is itself folded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }).map(composed), (text) => {
        const result = folded(text);
        // The capital of the dotless i is the I of all others.
        fc.pre(!text.includes("ı"));
        expect([text.toUpperCase(), text.toLowerCase(), result].map(folded)).toEqual([result, result, result]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("contains the folding of every part of the text", () => {
    const letters = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[ΣσςİıiIßẞﬁﬃŉǰΐᾳK\u212aＡａ　ｱ]*$/u));
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        expect(folded(before + part + after)).toContain(folded(part));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the lower case of usual names", () => {
    for (const name of ["Rack 1", "Küche", "Серверная", "東京", "Ελλάδα"])
      expect(folded(name)).toBe(name.toLowerCase());
  });
});
