import { describe, expect, it } from "@jest/globals";
import { growthOf, type Reading } from "./growth.js";

const readings = (residentMbAt: (minute: number) => number, descriptorsAt = (): number => 20): Reading[] =>
  Array.from({ length: 61 }, (_, n) => ({
    atMs: 5_000 + n * 10_000,
    residentMb: residentMbAt(n / 6),
    descriptors: descriptorsAt(),
  }));

describe("the growth of a process", () => {
  it("is its increase per minute", () => {
    expect(
      growthOf(
        readings((minute) => 100 + 2.5 * minute),
        60_000,
      ).mbPerMinute,
    ).toBeCloseTo(2.5);
    expect(
      growthOf(
        readings(() => 100),
        60_000,
      ).mbPerMinute,
    ).toBeCloseTo(0);
  });

  it("excludes the warm-up", () => {
    expect(
      growthOf(
        readings((minute) => 100 + 50 * Math.min(minute, 3)),
        180_000,
      ).mbPerMinute,
    ).toBeCloseTo(0);
  });

  it("excludes garbage that is collected", () => {
    const sawtooth = (minute: number): number => 100 + 20 * (minute % 1);
    expect(Math.abs(growthOf(readings(sawtooth), 60_000).mbPerMinute)).toBeLessThan(0.5);
  });

  it("is unknown after a few readings", () => {
    expect(() => growthOf(readings(() => 1).slice(0, 5), 0)).toThrow("too few");
  });

  it("includes the first and last number of descriptors", () => {
    let used = 20;
    expect(
      growthOf(
        readings(
          () => 1,
          () => used++,
        ),
        0,
      ).descriptors,
    ).toEqual([30, 71]);
  });
});
