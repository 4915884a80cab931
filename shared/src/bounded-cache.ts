import { LRUCache } from "lru-cache";

const ONE = (): number => 1;

/** With a time to live, `set` also removes what has expired, once per such time. With lru-cache's `ttlAutopurge`, each entry would have a timer. */
class SweptCache<Value extends object | number | true> extends LRUCache<string, Value> {
  #sweptAt = performance.now();

  override set(...given: Parameters<LRUCache<string, Value>["set"]>): this {
    const now = performance.now();
    if (this.ttl > 0 && now - this.#sweptAt > this.ttl) {
      this.#sweptAt = now;
      this.purgeStale();
    }
    return super.set(...given);
  }
}

/**
 * An empty cache that evicts the least recently used entries beyond a maximum weight: the `size` given to `set`, otherwise
 * 1. Unlike with `max` of lru-cache, an empty one takes no memory: `max` reserves 28 bytes for each possible entry.
 */
export function boundedCache<Value extends object | number | true>(
  maxWeight: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, "dispose" | "ttl"> = {},
): LRUCache<string, Value> {
  // With a resolution, each look at the clock would start a timer that wakes the process.
  return new SweptCache<Value>({ ...options, ttlResolution: 0, maxSize: maxWeight, sizeCalculation: ONE });
}
