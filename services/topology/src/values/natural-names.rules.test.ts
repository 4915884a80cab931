import { describe, expect, it } from "@jest/globals";
import { naturalKey } from "./natural-names.rules.js";

describe("names in natural order", () => {
  it.each([
    ["host-2", "host-10"],
    ["Attic", "box 1"],
    ["box", "box 1"],
    ["box 1", "Box 2"],
    ["box 9", "box 010"],
    ["1.9", "1.10"],
    ["10.0.0.9", "10.0.0.10"],
    ["rack 2 host 10", "rack 10 host 2"],
    ["99999999", "100000000"],
    ["x".concat("9".repeat(12)), "x1".concat("0".repeat(12))],
    ["box 10", "box a"],
    ["box 0", "box 1"],
  ])("%s comes before %s", (first, second) => {
    expect(naturalKey(first) < naturalKey(second)).toBe(true);
  });

  it("are alike if only case, width or leading zeros differ", () => {
    expect([naturalKey("BOX 7"), naturalKey("ｂｏｘ 007")]).toEqual([naturalKey("box 7"), naturalKey("box 7")]);
  });
});
