import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { searchFilter, searchTextOf } from "./search.rules.js";

/** Emulates a condition of the database, whose regular expressions are those of Perl. */
function finds(part: string, text: string): boolean {
  return new RegExp(searchFilter(part).search.$regex).test(text);
}

const special = fc.array(fc.constantFrom(...Array.from("^$\\.*+?()[]{}|/-#a0 é")), { minLength: 1, maxLength: 8 });
const aPart = fc.oneof(
  fc.string({ minLength: 1 }),
  special.map((characters) => characters.join("")),
);

describe("searching", () => {
  it("finds every substring of a value, ignoring case, with any characters", () => {
    fc.assert(
      fc.property(fc.string(), aPart, fc.string(), (before, part, after) => {
        const text = searchTextOf("other", before + part + after, null);
        expect([finds(part, text), finds(part.toUpperCase(), text)]).toEqual([
          true,
          text.includes(part.toUpperCase().toLowerCase()),
        ]);
      }),
    );
  });

  it("finds nothing that is not literally contained", () => {
    fc.assert(
      fc.property(aPart, fc.string(), (part, value) => {
        const text = searchTextOf(value);
        expect(finds(part, text)).toBe(text.includes(part.toLowerCase()));
      }),
    );
  });

  it("finds no substring across two values", () => {
    expect(finds("ab", searchTextOf("a", "b"))).toBe(false);
  });
});
