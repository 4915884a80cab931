import type { ClientSession, Db } from "mongodb";
import { Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { parseAddress } from "../addresses.js";
import { createHostSearch } from "../hosts/search.js";
import { createEntities, type Entities } from "../storage/entities.js";

/** Interfaces. Their addresses are kept with their hosts, too. */
export interface InterfaceStore extends Entities<Interface> {
  /** Interfaces of these hosts were removed, and the hosts stay. */
  removedFrom(session: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<void>;
}

export function createInterfaceStore(db: Db): InterfaceStore {
  const search = createHostSearch(db);
  const entities = createEntities<Interface>(db, {
    collection: "interfaces",
    name: "Interface",
    networkOf: ({ network_id }) => network_id,
    keysOf: ({ host_id, subnet_id, ip_address, position }) => ({
      host_id,
      subnet_id,
      ip_key: parseAddress(ip_address).key,
      position,
    }),
    clean: (entity) => Interface.parse(entity),
  });
  return {
    ...entities,
    insert: async (session, scope, inserted, extra) => {
      await entities.insert(session, scope, inserted, extra);
      await search.added(session, scope, inserted);
    },
    replace: async (session, scope, changed, extra) => {
      await entities.replace(session, scope, changed, extra);
      if (changed.length === 0) return;
      const hostIds = changed.map(({ entity }) => entity.host_id);
      await search.changed(session, scope, hostIds);
    },
    removedFrom: search.changed,
  };
}
