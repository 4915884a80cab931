import { describe, expect, it } from "@jest/globals";
import { readAhead } from "./read-ahead.js";

/** Numbers up to an error, with what has been requested and whether it was ended. */
function aSource(last: number) {
  const seen = { requested: 0, isEnded: false };
  async function* numbers(): AsyncGenerator<number, void, void> {
    try {
      while (seen.requested < last) yield await Promise.resolve(++seen.requested);
      throw new Error("unavailable");
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, numbers: numbers() };
}

describe("reading ahead", () => {
  it("requests the next item while one is processed, and fails where the source fails", async () => {
    const { seen, numbers } = aSource(3);
    const read: number[][] = [];
    const reading = (async () => {
      for await (const number of readAhead(numbers)) {
        await Promise.resolve();
        read.push([number, seen.requested]);
      }
    })();
    await expect(reading).rejects.toThrow("unavailable");
    expect(read).toEqual([
      [1, 2],
      [2, 3],
      [3, 3],
    ]);
  });

  it("ends the source when the reader stops, whatever the item ahead becomes", async () => {
    const { seen, numbers } = aSource(1);
    for await (const number of readAhead(numbers)) {
      expect(number).toBe(1);
      break;
    }
    expect(seen).toEqual({ requested: 1, isEnded: true });
  });
});
