import type { RecognizedBy } from "@nts/shared/contract/sightings";
import type { PluralOf, SightedKind as Sighted } from "@nts/shared/contract/kinds";
import type { Author } from "@nts/shared/author";
import type { Scope } from "@nts/shared/http/tenancy";
import { byText } from "./authorship.js";
import type { Database } from "./database.js";
import type { EntityDocument } from "./entities.js";
import { BY_ID } from "./indexes.js";
import { within } from "./scope.js";
import { type ScopedCollection, scopedCollection } from "./scoped-collection.js";

// Writes sightings to the entities' documents, without a transaction. Each write is independent, has its time, and does
// not overwrite later ones. The first miss and the return have their author, from which the journal makes entries.

/** The kinds with sightings, by collection. */
export type SightedKind = PluralOf<Sighted>;

/** The time of an import, in milliseconds, and its author. */
interface Made {
  readonly atMs: number;
  readonly author: Author | undefined;
}

export interface Sightings {
  /**
   * Later misses, and the format of a later sighting, are kept.
   *
   * @param by the format that found them
   * @param how by what hosts were recognized, null if it is not known; absent for other kinds
   */
  found(
    scope: Scope,
    kind: SightedKind,
    ids: readonly string[],
    { atMs, by, how, author }: Made & { by: string; how?: RecognizedBy | null | undefined },
  ): Promise<void>;
  /** Entities created or found since, or already missed, are unchanged. */
  miss(scope: Scope, kind: SightedKind, ids: readonly string[], made: Made): Promise<void>;
}

/** The sighting of entities that are inserted because they were found. */
export function firstSighting({ atMs, by }: { readonly atMs: number; readonly by: string }): Record<string, unknown> {
  return { seen_first: atMs, seen_last: atMs, seen_by: by, sighted: true };
}

export function createSightings({ db, share }: Database): Sightings {
  const collectionOf = (kind: SightedKind): ScopedCollection<EntityDocument> => scopedCollection(db, kind);
  return {
    found: async (scope, kind, ids, { atMs, by, how, author }) => {
      if (ids.length === 0) return;
      const told = how === null ? "$$REMOVE" : { $literal: how };
      const isLast = { $gte: [atMs, { $ifNull: ["$seen_last", atMs] }] };
      const seen = {
        seen_first: { $min: ["$seen_first", atMs] },
        seen_last: { $max: ["$seen_last", atMs] },
        seen_by: { $cond: [isLast, { $literal: by }, "$seen_by"] },
        ...(how !== undefined && { seen_how: { $cond: [isLast, told, "$seen_how"] } }),
        sighted: true,
        by: { $cond: [{ $gt: ["$missed", null] }, { $literal: byText(author, scope.organizationId, atMs) }, "$by"] },
      };
      const update = [{ $set: seen }, { $unset: "missed" }];
      const filter = { ...within(scope), _id: { $in: [...ids] }, missed: { $not: { $gt: atMs } } };
      await share(scope, () => collectionOf(kind).updateMany(filter, update, { hint: BY_ID }));
    },
    miss: async (scope, kind, ids, { atMs, author }) => {
      if (ids.length === 0) return;
      const filter = {
        ...within(scope),
        _id: { $in: [...ids] },
        missed: { $exists: false },
        created_at: { $lt: new Date(atMs) },
        $or: [{ seen_last: { $exists: false } }, { seen_last: { $lt: atMs } }],
      };
      const by = byText(author, scope.organizationId, atMs);
      const update = { $set: { missed: atMs, sighted: true, by } };
      await share(scope, () => collectionOf(kind).updateMany(filter, update, { hint: BY_ID }));
    },
  };
}
