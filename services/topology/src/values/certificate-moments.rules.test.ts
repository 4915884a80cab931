import { describe, expect, it } from "@jest/globals";
import { isToldOf } from "./certificate-moments.rules.js";

const DAY = 86_400_000;

describe("a certificate that ends", () => {
  const seenLongAgo = { notAfter: 100 * DAY, since: 0 };
  const toldOn = (certificate: typeof seenLongAgo): number[] =>
    Array.from({ length: 110 }, (_, day) => day + 1).filter((day) =>
      isToldOf(certificate, { from: (day - 1) * DAY, to: day * DAY }),
    );

  it("is told of 30 days, 7 days and a day before, and at its end", () => {
    expect(toldOn(seenLongAgo)).toEqual([70, 93, 99, 100]);
  });

  it("is told of when it is first seen behind a threshold, and at later ones", () => {
    expect(toldOn({ notAfter: 100 * DAY, since: 95 * DAY })).toEqual([95, 99, 100]);
    expect(toldOn({ notAfter: 50 * DAY, since: 60 * DAY })).toEqual([60]);
  });
});
