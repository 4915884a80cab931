import { randomInt } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { KINDS } from "@nts/shared/contract/kinds";
import type { Scope } from "@nts/shared/http/tenancy";
import { type GuardedKind, IN_NETWORKS } from "../kinds/index.js";
import { BY_ID } from "./indexes.js";
import type { Database } from "./database.js";
import { scopedCollection } from "./scoped-collection.js";
import { within, withinOrganization } from "./scope.js";
import { type Sweepable, sweepable } from "./sweepable.js";

// A reference is only safe if its writer and the deleter of its target write a common document: one of the target's
// sixteen guards, of which a deletion writes all. Those of a network also count its entities, see `totals.ts`.

/** Number of guards per target, see {@link Guards.inShard}. */
export const SHARDS = 16;

/** Collections of entities counted by guards of a network. */
export const COUNTED = IN_NETWORKS;
export type Counted = (typeof COUNTED)[number];
export type Counts = Partial<Record<Counted, number>>;

export interface GuardDocument {
  _id: string;
  target: string;
  kind: (typeof KINDS)["Network" | "Tag" | GuardedKind]["singular"];
  organization_id: string;
  /** null for a tag. */
  network_id: string | null;
  /** Written to cause conflicts; its value has no meaning. */
  touched: number;
  counts: Counts;
}

/** A referenced target, and for a network the change of its counters. */
export interface Reference {
  readonly target: string;
  readonly kind: GuardDocument["kind"];
  readonly counts?: Counts;
}

type Target = Pick<GuardDocument, "target" | "kind" | "organization_id" | "network_id">;

export interface Guards {
  readonly sweepable: Sweepable;
  create(tx: ClientSession, targets: readonly Target[]): Promise<void>;
  /**
   * Secures references until the transaction ends, and updates counters, in one command.
   *
   * @param references duplicates are written once with summed counts
   * @returns targets that are not in the scope
   */
  reference(tx: ClientSession, scope: Scope, references: readonly Reference[]): Promise<ReadonlySet<string>>;
  /** Conflicts with all writers to the network in one of the shards. @returns false if it is not in the scope */
  lockShards(tx: ClientSession, scope: Scope, networkId: string, shards: readonly number[]): Promise<boolean>;
  /** The guards of a transaction with a shard determined by its writes instead of randomly. */
  inShard(shard: number): Guards;
  /** Conflicts with concurrent writers of references to the target. */
  lockAll(tx: ClientSession, scope: Scope, target: string): Promise<void>;
  remove(tx: ClientSession, scope: Scope, targets: readonly string[]): Promise<void>;
  /** Deletes the guards of networks and of everything in them. */
  removeNetworks(tx: ClientSession, scope: Scope, networkIds: readonly string[]): Promise<void>;
  /** Deletes the guards of targets to which nothing may be added any more; concurrent writers are waited for. */
  removeTargets(organizationIds: readonly string[], targets: readonly string[]): Promise<void>;
}

export function createGuards(database: Database): Guards {
  const shards = new WeakMap<ClientSession, number>();
  let next = randomInt(SHARDS);
  // Round robin, so that concurrent transactions of a process use different shards.
  return createShard(database, (tx) => {
    const shard = shards.get(tx) ?? next++ % SHARDS;
    shards.set(tx, shard);
    return shard;
  });
}

function createShard(database: Database, shardOf: (tx: ClientSession) => number): Guards {
  const guards = scopedCollection<GuardDocument>(database.db, "guards");
  return {
    sweepable: sweepable(guards),
    create: async (tx, targets) => {
      const documents = targets.flatMap((target) =>
        Array.from({ length: SHARDS }, (_, n) => ({ ...target, _id: `${target.target}:${n}`, touched: 0, counts: {} })),
      );
      await guards.insertMany(documents, { session: tx });
    },
    reference: async (tx, scope, references) => {
      const needed = [...merged(references).values()];
      if (needed.length === 0) return new Set();
      const shard = shardOf(tx);
      const updates = needed.map(({ target, kind, counts = {} }) => ({
        filter: { ...(kind === "tag" ? withinOrganization(scope) : within(scope)), _id: `${target}:${shard}`, kind },
        update: { $inc: { touched: 1, ...incrementsOf(counts) } },
        hint: BY_ID,
      }));
      const [first, ...more] = updates;
      const { matchedCount } =
        first !== undefined && more.length === 0
          ? await guards.updateOne(first.filter, first.update, { session: tx, hint: BY_ID })
          : await guards.bulkWrite(
              updates.map((updateOne) => ({ updateOne })),
              { session: tx },
            );
      if (matchedCount === needed.length) return new Set();
      const found = await guards
        .find(
          { ...withinOrganization(scope), $or: updates.map(({ filter }) => filter) },
          { session: tx, projection: { target: 1 } },
        )
        .toArray();
      const there = new Set(found.map(({ target }) => target));
      return new Set(needed.map(({ target }) => target).filter((target) => !there.has(target)));
    },
    lockShards: async (tx, scope, networkId, shards) => {
      const filter = { ...within(scope), _id: { $in: shards.map((shard) => `${networkId}:${shard}`) } };
      return (
        (await guards.updateMany(filter, { $inc: { touched: 1 } }, { session: tx })).matchedCount === shards.length
      );
    },
    inShard: (shard) => createShard(database, () => shard),
    lockAll: async (tx, scope, target) => {
      await guards.updateMany({ ...within(scope), target }, { $inc: { touched: 1 } }, { session: tx });
    },
    remove: async (tx, scope, targets) => {
      await guards.deleteMany({ ...within(scope), target: { $in: targets } }, { session: tx });
    },
    removeNetworks: async (tx, scope, networkIds) => {
      await guards.deleteMany({ ...within(scope), $and: [{ network_id: { $in: networkIds } }] }, { session: tx });
    },
    removeTargets: async (organizationIds, targets) => {
      await guards.deleteMany({ organization_id: { $in: [...organizationIds] }, target: { $in: [...targets] } });
    },
  };
}

/** Each target once, with summed counts. */
function merged(references: readonly Reference[]): Map<string, Reference> {
  const byTarget = new Map<string, Reference>();
  for (const reference of references) {
    const { target, counts } = reference;
    const known = byTarget.get(target);
    byTarget.set(target, known === undefined ? reference : { ...known, counts: addedUp(known.counts, counts) });
  }
  return byTarget;
}

/** The sum of two counts. */
export function addedUp(one: Counts = {}, other: Counts = {}): Counts {
  const sum: Counts = { ...one };
  for (const kind of COUNTED) if (other[kind] !== undefined) sum[kind] = (sum[kind] ?? 0) + other[kind];
  return sum;
}

function incrementsOf(counts: Counts): Record<string, number> {
  const changed = Object.entries(counts).filter(([, by]) => by !== 0);
  return Object.fromEntries(changed.map(([counted, by]) => [`counts.${counted}`, by]));
}
