import type { ClientSession } from "mongodb";
import { HostRecord, type Interface, type Port, type Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { composed } from "@nts/shared/contract/folding.rules";
import { hostLabel } from "../../values/host-names.rules.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";
import { createReader } from "../entity-reader.js";
import type { Database } from "../database.js";
import { createHostSearch, hostSearchFields } from "./host-search.js";
import { createHostsWithChildren, type HostsWithChildren } from "./hosts-with-children.js";
import { createHostLocks, type HostLocks } from "./host-locks.js";
import { createHostNames, type HostNames } from "./host-names.js";

export type { KnownHost } from "./hosts-with-children.js";

export interface HostStore extends Entities<HostRecord>, HostsWithChildren, HostLocks, HostNames {
  /** @param extra `interfaces` of the hosts, inserted by their store's `insertWithHosts` */
  insert(
    tx: ClientSession,
    scope: Scope,
    hosts: readonly HostRecord[],
    extra?: { readonly interfaces?: readonly Interface[]; readonly [field: string]: unknown },
  ): Promise<void>;
}

export const HOST_KIND: EntityKind<HostRecord> = {
  collection: "hosts",
  name: "Host",
  sighted: true,
  tagged: true,
  networkOf: ({ network_id }) => network_id,
  keysOf: ({ name, hostname, tags }) => ({ name, hostname, host_label: hostLabel(hostname), tags: tags.map(composed) }),
  clean: (entity) => HostRecord.parse(entity),
};

/** Of hosts and children. */
export interface HostKinds {
  readonly hosts: EntityKind<HostRecord>;
  readonly interfaces: EntityKind<Interface>;
  readonly ports: EntityKind<Port>;
  readonly services: EntityKind<Service>;
}

export function createHostStore(database: Database, kinds: HostKinds): HostStore {
  const entities = createEntities<HostRecord>(database, kinds.hosts);
  const readers = {
    hosts: entities,
    interfaces: createReader(kinds.interfaces),
    ports: createReader(kinds.ports),
    services: createReader(kinds.services),
  };
  const search = createHostSearch(database.db);

  return {
    ...entities,
    ...createHostsWithChildren(database, readers),
    ...createHostLocks(entities.collection),
    ...createHostNames(database, entities),
    insert: async (tx, scope, inserted, { interfaces = [], ...extra } = {}) => {
      for (const host of inserted)
        await entities.insert(tx, scope, [host], { ...extra, ...hostSearchFields(host, interfaces) });
    },
    replace: async (tx, scope, changed, extra) => {
      await entities.replace(tx, scope, changed, extra);
      await search.renamed(
        tx,
        scope,
        changed.map(({ entity }) => entity),
      );
    },
  };
}
