import { LRUCache } from "lru-cache";

const ONE = (): number => 1;

/**
 * An empty cache that evicts the least recently used entries beyond a maximum weight: the `size` given to `set`, otherwise
 * 1. Unlike with `max` of lru-cache, an empty one takes no memory: `max` reserves 28 bytes for each possible entry.
 */
export function boundedCache<Value extends object | number | true>(
  maxWeight: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, "dispose" | "ttl"> = {},
): LRUCache<string, Value> {
  // With a resolution, each look at the clock would start a timer that wakes the process.
  return new LRUCache<string, Value>({ ...options, ttlResolution: 0, maxSize: maxWeight, sizeCalculation: ONE });
}
