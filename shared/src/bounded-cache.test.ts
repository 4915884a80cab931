import { describe, expect, it, jest } from "@jest/globals";
import { boundedCache } from "./bounded-cache.js";

describe("a bounded cache", () => {
  it("evicts the least recently used entry beyond its maximum", () => {
    const evicted: string[] = [];
    const cache = boundedCache<number>(2, { dispose: (_value, key) => evicted.push(key) });
    cache.set("a", 1).set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c"), evicted]).toEqual([1, undefined, 3, ["b"]]);
  });

  it("does not keep expired entries for which nobody asks", () => {
    const now = jest.spyOn(performance, "now").mockReturnValue(1);
    try {
      const expired: string[] = [];
      const cache = boundedCache<number>(100, { ttl: 1_000, dispose: (_value, key) => expired.push(key) });
      cache.set("a", 1);
      now.mockReturnValue(900);
      cache.set("b", 2);
      now.mockReturnValue(1_100);
      cache.set("c", 3);
      expect([expired, cache.size, cache.get("b")]).toEqual([["a"], 2, 2]);
    } finally {
      now.mockRestore();
    }
  });

  it("takes no memory for entries that it does not have", () => {
    const bytes = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = bytes();
    const caches = Array.from({ length: 50 }, () => boundedCache<number>(100_000));
    expect(bytes() - before).toBeLessThan(10 * 2 ** 20);
    expect(caches.every(({ size }) => size === 0)).toBe(true);
  });
});
