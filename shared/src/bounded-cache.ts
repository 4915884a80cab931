import { LRUCache } from "lru-cache";

const ONE = (): number => 1;

/**
 * An empty cache that evicts the least recently used entry beyond a maximum. Unlike with `max` of lru-cache, an empty one
 * takes no memory: `max` reserves 28 bytes for each possible entry.
 */
export function boundedCache<Value extends object | number | true>(
  maxEntries: number,
  options: Pick<LRUCache.Options<string, Value, unknown>, "dispose" | "ttl"> = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...options, maxSize: maxEntries, sizeCalculation: ONE });
}
