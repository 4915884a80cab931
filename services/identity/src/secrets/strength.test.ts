import { describe, expect, it } from "@jest/globals";
import { partsOf } from "./strength.js";

describe("the judged part of a password", () => {
  it("is all of a short one, and the beginning and the end of a long one", () => {
    expect(partsOf("correct horse", [])).toEqual(["correct horse"]);
    const long = "abcdefghijklmnopqrstuvwxyz0123456789";
    expect(partsOf(long, [])).toEqual(["abcdefghijklmnopqrstuvwx", "mnopqrstuvwxyz0123456789"]);
  });

  it("omits repetitions, however often and wherever they are cut off", () => {
    expect(partsOf("1/1/2001".repeat(16), [])).toEqual(["1/1/2001"]);
    expect(partsOf("1234567890".repeat(13).slice(0, 128), [])).toEqual(["1234567890"]);
    expect(partsOf("aaaaaaaaaaaaa", [])).toEqual(["a"]);
    expect(partsOf("horse battery horse", [])).toEqual(["horse battery horse"]);
  });

  it("omits the words of its account in a long one", () => {
    const words = ["bartholomew.featherstonehaugh", "bartholomew"];
    expect(partsOf("Bartholomew.Featherstonehaugh2026", words)).toEqual(["2026"]);
    expect(partsOf("x8Kq2bartholomew.featherstonehaugh", words)).toEqual(["x8kq2"]);
    expect(partsOf("bartholomew2026", words)).toEqual(["bartholomew2026"]);
  });
});
