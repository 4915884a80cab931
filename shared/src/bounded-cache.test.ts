import { describe, expect, it } from "@jest/globals";
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

  it("takes no memory for entries that it does not have", () => {
    const bytes = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = bytes();
    const caches = Array.from({ length: 50 }, () => boundedCache<number>(100_000));
    expect(bytes() - before).toBeLessThan(10 * 2 ** 20);
    expect(caches.every(({ size }) => size === 0)).toBe(true);
  });
});
