import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "./database.js";
import type { EntityDocument } from "./entities.js";
import { BY_ID } from "./indexes.js";
import { within } from "./scope.js";
import { type ScopedCollection, scopedCollection } from "./scoped-collection.js";

// Notes of what imports have found and missed, in the documents of the entities. They are no transaction: each stands for itself,
// says when, and leaves alone what somebody has noted of a later time.

/** The kinds that imports can see, by collection. */
export type SightedKind = "hosts" | "interfaces" | "ports" | "services";

export interface Sightings {
  /** What was missed later stays as it is. @param by the format of what has found them */
  found(
    scope: Scope,
    kind: SightedKind,
    ids: readonly string[],
    { atMs, by }: { atMs: number; by: string },
  ): Promise<void>;
  /** What was made since, or found, or is missed already, stays as it is. */
  miss(scope: Scope, kind: SightedKind, ids: readonly string[], atMs: number): Promise<void>;
}

export function createSightings({ db, share }: Database): Sightings {
  const collectionOf = (kind: SightedKind): ScopedCollection<EntityDocument> => scopedCollection(db, kind);
  return {
    found: async (scope, kind, ids, { atMs, by }) => {
      if (ids.length === 0) return;
      const update = {
        $set: { seen_by: by, sighted: true },
        $min: { seen_first: atMs },
        $max: { seen_last: atMs },
        $unset: { missed: "" as const },
      };
      const filter = { ...within(scope), _id: { $in: [...ids] }, missed: { $not: { $gt: atMs } } };
      await share(scope, () => collectionOf(kind).updateMany(filter, update, { hint: BY_ID }));
    },
    miss: async (scope, kind, ids, atMs) => {
      if (ids.length === 0) return;
      const filter = {
        ...within(scope),
        _id: { $in: [...ids] },
        missed: { $exists: false },
        created_at: { $lt: new Date(atMs) },
        $or: [{ seen_last: { $exists: false } }, { seen_last: { $lt: atMs } }],
      };
      const update = { $set: { missed: atMs, sighted: true } };
      await share(scope, () => collectionOf(kind).updateMany(filter, update, { hint: BY_ID }));
    },
  };
}
