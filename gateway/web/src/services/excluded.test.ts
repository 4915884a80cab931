import { describe, expect, it } from "@jest/globals";
import { CATEGORIES } from "@nts/shared/contract";
import { excluded } from "./excluded.js";

describe("the categories of the list of services", () => {
  it("are included and excluded", () => {
    expect(excluded([], [])).toEqual([]);
    expect(excluded([], ["DNS", "sold"])).toEqual(["DNS"]);
    const left = (only: string[], without: string[]): string[] =>
      CATEGORIES.filter((one) => !excluded(only, without).includes(one));
    expect(left(["DNS", "Media"], [])).toEqual(["Media", "DNS"]);
    expect(left(["DNS", "Media"], ["Media"])).toEqual(["DNS"]);
  });
});
