import type { ClientSession } from "mongodb";
import { Binding } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { HOST_BINDINGS_INDEX } from "../indexes.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";
import { matching } from "../scope.js";

/** Some bindings of services of one host. */
export interface BindingsOnHost {
  readonly hostId: string;
  readonly bindings: readonly Binding[];
}

/**
 * The bindings of all services once more, as entities of their own that can be listed. The service is the record;
 * `hosts/write-services.ts` is the only writer of both. Documents carry the `host_id` besides.
 */
export interface BindingStore extends Entities<Binding> {
  insertOf(tx: ClientSession, scope: Scope, added: readonly BindingsOnHost[]): Promise<void>;
  /**
   * How many bindings each service has that names one of these ports or interfaces.
   *
   * @param most bindings that are looked at
   */
  countNaming(
    tx: ClientSession,
    scope: Scope,
    targets: readonly string[],
    most: number,
  ): Promise<ReadonlyMap<string, number>>;
  /** How many bindings there are on hosts that are known to be in the scope, by host. */
  countOn(tx: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export const BINDING_KIND: EntityKind<Binding> = {
  collection: "bindings",
  name: "Binding",
  onHosts: true,
  isPart: true,
  networkOf: ({ network_id }) => network_id,
  keysOf: (binding) => ({
    service_id: binding.service_id,
    interface_id: binding.interface_id,
    ...(binding.type === "Port" && { port_id: binding.port_id }),
  }),
  clean: (entity) => Binding.parse(entity),
};

export function createBindingStore(database: Database, kind = BINDING_KIND): BindingStore {
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
      // By nothing else, so that a million of them are counted without being read.
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
