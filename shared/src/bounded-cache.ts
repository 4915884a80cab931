import { LRUCache } from "lru-cache";

interface Options<Value> {
  /** How many small entries take as much memory as this one; 1 if absent. */
  readonly weightOf?: (value: Value) => number;
  readonly ttl?: number;
  /** Called with every entry that leaves. */
  readonly dispose?: (value: Value, key: string) => void;
}

const ONE = (): number => 1;

/**
 * An empty cache that evicts the least recently used entries beyond a maximum weight. Unlike with `max` of lru-cache, an
 * empty one takes no memory: `max` reserves 28 bytes for each possible entry.
 */
export function boundedCache<Value extends object | number | true>(
  maxWeight: number,
  { weightOf = ONE, ...options }: Options<Value> = {},
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ ...options, maxSize: maxWeight, sizeCalculation: weightOf });
}
