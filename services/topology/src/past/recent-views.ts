import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Looked, View } from "./view.js";

// Retains views for a while, with what was derived from them: the pages of a list are requested one after another, and
// only the first one reads all changes since the moment.

/** The database retains snapshots for five minutes. */
const RETAINED_MS = 60_000;
/** Ids, rows and values of all retained views, at some 350 bytes each. */
const MOST_ITEMS = 100_000;
/** What a view takes besides. */
const ITEMS_OF_VIEW = 10;

/** Values of a view that are computed once for all requests that share it. */
export interface Derived {
  /** @param itemsOf the number of ids and rows that a value holds */
  once<T>(name: object, compute: () => Promise<T>, itemsOf?: (value: T) => number): Promise<T>;
}

/** The latest views, one for each set of rights and filters. */
export interface RecentViews {
  get(looked: Looked): RecentView | undefined;
  /** Returns the view with values that are retained with it. Other organizations' views may be displaced. */
  add(looked: Looked, n: number, view: Omit<View, "derived">): View;
}

export interface RecentView {
  /** The journal number of the moment. */
  readonly n: number;
  /** Without what belongs to the request that opened it. */
  readonly view: Omit<View, "work" | "rights">;
}

export function createRecentViews(): RecentViews {
  const views = new LRUCache<string, RecentView & { readonly items: number }>({
    ttl: RETAINED_MS,
    noUpdateTTL: true,
    ttlAutopurge: true,
    maxSize: MOST_ITEMS,
    sizeCalculation: ({ items }) => items,
  });
  return {
    get: (looked) => views.get(keyOf(looked)),
    add: (looked, n, view) => {
      const key = keyOf(looked);
      const fixed = itemsIn(view);
      const derived = createDerived((items) => {
        if (views.peek(key)?.view === retained) views.set(key, { n, view: retained, items: fixed + items });
      });
      const { database, stored, moment, cursor, changed, readdressed } = view;
      const retained = { database, stored, moment, cursor, changed, readdressed, formers: [], derived };
      views.set(key, { n, view: retained, items: fixed });
      return { ...view, derived };
    },
  };
}

function itemsIn({ changed, stored: { networks } }: Pick<View, "changed" | "stored">): number {
  const ids = [...changed.values()].reduce((sum, { size }) => sum + size, 0);
  return ITEMS_OF_VIEW + ids + (networks === "all" ? 0 : networks.length);
}

/** @param onGrowth receives the number of items, including the values themselves, after each new value */
export function createDerived(onGrowth: (items: number) => void = () => undefined): Derived {
  const values = new Map<string, unknown>();
  let items = 0;
  return {
    once: async <T>(name: object, compute: () => Promise<T>, itemsOf: (value: T) => number = () => 0) => {
      const key = digestOf(name);
      if (values.has(key)) return values.get(key) as T;
      // Only results are shared: a computation ends with the request that started it.
      const value = await compute();
      values.set(key, value);
      onGrowth((items += 1 + itemsOf(value)));
      return value;
    },
  };
}

function keyOf({ rights: { organizationId, networks }, filter, kinds }: Looked): string {
  return digestOf([organizationId, networks, filter, kinds]);
}

function digestOf(value: object): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}
