import { describe, expect, it } from "@jest/globals";
import { firstSince } from "./numbered.js";

describe("the first number since a time", () => {
  const search = async (times: ReadonlyMap<number, number>, last: number, time: number) => {
    let reads = 0;
    const found = await firstSince({ first: 1, last }, new Date(time), (numbers) => {
      reads++;
      return Promise.resolve(new Map(numbers.flatMap((n) => (times.has(n) ? [[n, new Date(times.get(n)!)]] : []))));
    });
    return { found, reads };
  };

  it("is found in few reads, also among entries of one time and behind ones that no longer exist", async () => {
    for (const last of [0, 1, 2, 31, 32, 33, 34, 1_000, 5_000]) {
      const removed = Math.floor(last / 3);
      const times = new Map(
        Array.from({ length: last - removed }, (_, i) => [removed + 1 + i, Math.floor(i / 3) * 10]),
      );
      for (const time of [0, 1, 10, 55, 300, 100_000]) {
        const expected = [...times].find(([, at]) => at >= time)?.[0] ?? last + 1;
        const { found, reads } = await search(times, last, time);
        expect([last, time, found]).toEqual([last, time, expected]);
        expect(reads).toBeLessThanOrEqual(last <= 32 ? 1 : 3);
      }
    }
  });
});
