import { describe, expect, it } from "@jest/globals";
import { inNaturalOrder } from "./natural-order.js";

const rowsOf = (names: readonly string[], total = names.length) => ({
  data: names.map((name) => ({ name })),
  pagination: { total_count: total, limit: 50, offset: 0, has_more: total > names.length },
});
const namesIn = (rows: ReturnType<typeof rowsOf>): string[] => rows.data.map(({ name }) => name);

describe("names on a page", () => {
  it("are ordered with numbers by value", () => {
    const rows = rowsOf(["box 1", "box 10", "box 2", "Attic"]);
    expect(namesIn(inNaturalOrder(rows, false))).toEqual(["Attic", "box 1", "box 2", "box 10"]);
    expect(namesIn(inNaturalOrder(rows, true))).toEqual(["box 10", "box 2", "box 1", "Attic"]);
  });

  it("stay as the API has ordered them if there are more pages", () => {
    const rows = rowsOf(["box 1", "box 10", "box 2"], 60);
    expect(inNaturalOrder(rows, false)).toBe(rows);
  });
});
