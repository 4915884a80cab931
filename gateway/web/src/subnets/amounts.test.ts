import { describe, expect, it } from "@jest/globals";
import { amountText, sharesOf } from "./amounts.js";

describe("numbers of addresses", () => {
  it("are written in full while that is readable", () => {
    expect([0, 254, 65_534, 2 ** 64 - 1].map(amountText)).toEqual(["0", "254", "65,534", "1.8 × 10¹⁹"]);
  });

  it("fill a bar in which every non-zero part is visible", () => {
    expect(sharesOf({ size: 200, used: 50, reserved: 20, free: 130 })).toEqual({ used: 25, reserved: 10, free: 65 });
    expect(sharesOf({ size: 2 ** 64, used: 1, reserved: 0, free: 2 ** 64 - 1 })).toEqual({
      used: 1,
      reserved: 0,
      free: 99,
    });
    expect(sharesOf({ size: 2, used: 2, reserved: 0, free: 0 })).toEqual({ used: 100, reserved: 0, free: 0 });
  });
});
