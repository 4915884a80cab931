import type { CreateCollectionOptions } from "mongodb";

// The journal only grows, and its entries are much alike: in large pages and by zstd they take less than half of what they do by
// default. Pages of other collections are written again and again, where its processor time would cost more than their space.
const DENSE: ReadonlySet<string> = new Set(["journal"]);
const configString = "block_compressor=zstd,leaf_page_max=128KB";

/** How a collection is stored. */
export function optionsOf(collection: string): CreateCollectionOptions {
  return DENSE.has(collection) ? { storageEngine: { wiredTiger: { configString } } } : {};
}
