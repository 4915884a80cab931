import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Looked, View } from "./view.js";

// Retains views for a while, with what was derived from them: the pages of a list are requested one after another, and
// only the first one reads all changes since the moment.

/** The database retains snapshots for five minutes. */
const RETAINED_MS = 60_000;
/** Changed ids and rows of all retained views, at some 350 bytes each. */
const MOST_ROWS = 100_000;

/** Values of a view that are computed once for all requests that share it. */
export interface Derived {
  /** @param rowsOf the number of rows of a value */
  once<T>(name: object, compute: () => Promise<T>, rowsOf: (value: T) => number): Promise<T>;
}

/** The latest views, one for each set of rights and filters. They belong to no request. */
export interface RecentViews {
  get(looked: Looked): RecentView | undefined;
  /** Returns the view with values that are retained with it. Other organizations' views may be displaced. */
  add(looked: Looked, n: number, view: Omit<View, "derived">): View;
}

export interface RecentView {
  /** The journal number of the moment. */
  readonly n: number;
  readonly view: View;
}

export function createRecentViews(): RecentViews {
  const views = new LRUCache<string, RecentView & { readonly rows: number }>({
    ttl: RETAINED_MS,
    noUpdateTTL: true,
    ttlAutopurge: true,
    maxSize: MOST_ROWS,
    sizeCalculation: ({ rows }) => rows + 1,
  });
  return {
    get: (looked) => views.get(keyOf(looked)),
    add: (looked, n, view) => {
      const key = keyOf(looked);
      const changed = [...view.changed.values()].reduce((sum, { size }) => sum + size, 0);
      const derived = createDerived((rows) => {
        if (views.peek(key)?.view === retained) views.set(key, { n, view: retained, rows: changed + rows });
      });
      const retained: View = { ...view, formers: new Map(), derived };
      views.set(key, { n, view: retained, rows: changed });
      return { ...view, derived };
    },
  };
}

/** @param onGrowth receives the number of rows after each new value */
export function createDerived(onGrowth: (rows: number) => void = () => undefined): Derived {
  const values = new Map<string, unknown>();
  let rows = 0;
  return {
    once: async <T>(name: object, compute: () => Promise<T>, rowsOf: (value: T) => number) => {
      const key = JSON.stringify(name);
      if (values.has(key)) return values.get(key) as T;
      // Only results are shared: a computation ends with the request that started it.
      const value = await compute();
      values.set(key, value);
      onGrowth((rows += rowsOf(value)));
      return value;
    },
  };
}

function keyOf({ rights: { organizationId, networks }, filter, kinds }: Looked): string {
  return createHash("sha256")
    .update(JSON.stringify([organizationId, networks, filter, kinds]))
    .digest("base64");
}
