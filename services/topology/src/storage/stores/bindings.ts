import type { ClientSession } from "mongodb";
import type { Binding } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID, HOST_BINDINGS_INDEX } from "../indexes.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";
import { matching } from "../scope.js";

/** Bindings of services of one host. */
export interface BindingsOnHost {
  readonly hostId: string;
  readonly bindings: readonly Binding[];
}

/**
 * A copy of all bindings as entities that can be listed. Services are authoritative; `commit/bindings.ts` writes
 * both. Documents also have the `host_id`.
 */
export interface BindingStore extends Entities<Binding> {
  insertOf(tx: ClientSession, scope: Scope, added: readonly BindingsOnHost[]): Promise<void>;
  /** Bindings of services that are on another host now. */
  moveTo(tx: ClientSession, scope: Scope, hostId: string, ids: readonly string[]): Promise<void>;
  /**
   * Number of each service's bindings to these ports or interfaces.
   *
   * @param most maximum bindings to count
   */
  countNaming(
    tx: ClientSession,
    scope: Scope,
    targets: readonly string[],
    most: number,
  ): Promise<ReadonlyMap<string, number>>;
  /** Number of bindings on hosts in the scope, by host. */
  countOn(tx: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export function createBindingStore(database: Database, kind: EntityKind<Binding>): BindingStore {
  const entities = createEntities<Binding>(database, kind);
  return {
    ...entities,
    insertOf: async (tx, scope, added) => {
      const hostIds = new Map(added.flatMap(({ hostId, bindings }) => bindings.map(({ id }) => [id, hostId] as const)));
      await entities.insert(
        tx,
        scope,
        added.flatMap(({ bindings }) => bindings),
        ({ id }) => ({ host_id: hostIds.get(id) }),
      );
    },
    moveTo: async (tx, scope, hostId, ids) => {
      const filter = matching(entities.within(scope), { _id: { $in: ids } });
      const options = { session: tx, hint: BY_ID, documents: ids.length };
      await entities.collection.updateMany(filter, { $set: { host_id: hostId } }, options);
    },
    countNaming: async (tx, scope, targets, most) => {
      const naming = { $or: [{ port_id: { $in: targets } }, { interface_id: { $in: targets } }] };
      const counted = { $group: { _id: "$service_id", count: { $sum: 1 } } };
      const found = await entities.collection
        .aggregate<{ _id: string; count: number }>(
          [{ $match: matching(entities.within(scope), naming) }, { $limit: most }, counted],
          { session: tx },
        )
        .toArray();
      return new Map(found.map(({ _id, count }) => [_id, count]));
    },
    countOn: async (tx, { organizationId }, hostIds) => {
      if (hostIds.length === 0) return new Map();
      // By this field only, so that a million are counted from the index.
      const on = { organization_id: organizationId, host_id: { $in: hostIds } };
      const counted = { $group: { _id: "$host_id", count: { $sum: 1 } } };
      const options = { session: tx, hint: HOST_BINDINGS_INDEX };
      const found = await entities.collection
        .aggregate<{ _id: string; count: number }>([{ $match: on }, counted], options)
        .toArray();
      return new Map(found.map(({ _id, count }) => [_id, count]));
    },
  };
}
