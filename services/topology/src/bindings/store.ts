import type { ClientSession } from "mongodb";
import { Binding } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../storage/database.js";
import { createEntities, type Entities, type EntityKind } from "../storage/entities.js";

/** Some bindings of services of one host. */
export interface BindingsOnHost {
  readonly hostId: string;
  readonly bindings: readonly Binding[];
}

/**
 * The bindings of all services once more, as entities of their own that can be listed. The service is the record;
 * `services/write.ts` is the only writer of both. Documents carry the `host_id` besides.
 */
export interface BindingStore extends Entities<Binding> {
  insertOf(session: ClientSession, scope: Scope, added: readonly BindingsOnHost[]): Promise<void>;
  /** How many bindings there are on hosts, by network. */
  countByNetwork(session: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<Map<string, number>>;
}

export const BINDING_KIND: EntityKind<Binding> = {
  collection: "bindings",
  name: "Binding",
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
    insertOf: async (session, scope, added) => {
      const hostIds = new Map(added.flatMap(({ hostId, bindings }) => bindings.map(({ id }) => [id, hostId] as const)));
      await entities.insert(
        session,
        scope,
        added.flatMap(({ bindings }) => bindings),
        ({ id }) => ({ host_id: hostIds.get(id) }),
      );
    },
    countByNetwork: async (session, scope, hostIds) => {
      const found = await entities.collection
        .aggregate<{ _id: string; count: number }>(
          [
            { $match: { ...entities.within(scope), host_id: { $in: hostIds } } },
            { $group: { _id: "$network_id", count: { $sum: 1 } } },
          ],
          { session },
        )
        .toArray();
      return new Map(found.map(({ _id, count }) => [_id, count]));
    },
  };
}
