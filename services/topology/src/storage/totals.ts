import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, rawBatches } from "@nts/shared/mongo/raw-find";
import { createSharedReads, type QueuedRead } from "@nts/shared/scheduling/queued-reads";
import type { Database } from "./database.js";
import { addedUp, type Counted, type Counts, type GuardDocument, SHARDS } from "./guards.js";
import { GUARD_INDEX } from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";
import { within } from "./scope.js";

// Network guards count entities of each kind in shards, so the total of a list costs the same whatever its length.

/** Networks whose guards are read in one batch instead of being summed by the database. */
const FEW_NETWORKS = 6;
/** Organizations in the cache. */
const MOST_KNOWN = 10_000;

export interface Totals {
  /** Counts entities in networks. @param tx transaction to read in; absent for none */
  countsOf(scope: Scope, networkIds: readonly string[], tx?: ClientSession): Promise<Counts>;
  /** Number of entities of a kind in the scope. */
  total(scope: Scope, counted: Counted): Promise<number>;
}

/** @param readMany for totals of many networks; pauses after each */
export function createTotals(database: Database, readMany: QueuedRead): Totals {
  const guards = scopedCollection<GuardDocument>(database.db, "guards");
  /** Organizations with more networks than are summed here. */
  const large = new Set<string>();
  /** One read of the same counts at a time; pages that need them meanwhile share the next one. */
  const readFew = createSharedReads(1);

  /**
   * The guards' counters of few networks; null if there are more. A sum in the database costs several times as much.
   */
  function fewCounts(scope: Scope, counted: Counted): Promise<number[] | null> {
    const { networks, organizationId } = scope;
    if (networks === "all" ? large.has(organizationId) : networks.length > FEW_NETWORKS) return Promise.resolve(null);
    const key = `${organizationId} ${counted} ${String(networks)}`;
    return readFew(key, key, () => database.share(scope, () => readCounts(scope, counted)));
  }

  async function readCounts(scope: Scope, counted: Counted): Promise<number[] | null> {
    const limit = FEW_NETWORKS * SHARDS + 1;
    const filter = { ...within(scope), kind: "network" };
    const projection = { _id: 0, [`counts.${counted}`]: 1 };
    const counts: number[] = [];
    const find = { collection: "guards", filter, projection, hint: GUARD_INDEX, limit };
    for await (const batch of rawBatches(database.db, find))
      for (const one of documentsIn(batch)) counts.push((one as Pick<GuardDocument, "counts">).counts[counted] ?? 0);
    if (counts.length < limit) return counts;
    if (large.size === MOST_KNOWN) large.clear();
    large.add(scope.organizationId);
    return null;
  }

  async function addUp(scope: Scope, counted: Counted): Promise<number> {
    const match = { $match: { ...within(scope), kind: "network" } };
    const summed = { $group: { _id: null, total: { $sum: `$counts.${counted}` } } };
    const [sum] = await guards.aggregate<{ total: number }>([match, summed], { hint: GUARD_INDEX }).toArray();
    return sum?.total ?? 0;
  }

  return {
    countsOf: async (scope, networkIds, tx) => {
      const filter = { ...within(scope), kind: "network" as const, $and: [{ network_id: { $in: [...networkIds] } }] };
      const read = (): Promise<GuardDocument[]> =>
        guards.find(filter, { projection: { counts: 1 }, session: tx }).toArray();
      const found = tx === undefined ? await database.share(scope, read) : await read();
      return found.reduce<Counts>((sum, { counts }) => addedUp(sum, counts), {});
    },
    total: async (scope, counted) => {
      const few = await fewCounts(scope, counted);
      if (few !== null) return few.reduce((sum, count) => sum + count, 0);
      const { organizationId, networks } = scope;
      return readMany(organizationId, `${counted} ${String(networks)}`, () =>
        database.share(scope, () => addUp(scope, counted)),
      );
    },
  };
}
