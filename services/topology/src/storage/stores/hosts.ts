import type { ClientSession } from "mongodb";
import type { HostRecord, Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { createEntities, type Entities } from "../entities.js";
import { createReader } from "../entity-reader.js";
import type { StoredKinds } from "../../kinds/index.js";
import type { Database } from "../database.js";
import { createHostSearch, hostSearchFields } from "./host-search.js";
import { createHostsWithChildren, type HostsWithChildren } from "./hosts-with-children.js";
import { createHostLocks, type HostLocks } from "./host-locks.js";
import { createHostMarks, type HostMarks } from "./host-marks.js";
import { createHostNames, type HostNames } from "./host-names.js";

export type { KnownHost } from "./hosts-with-children.js";

export interface HostStore extends Entities<HostRecord>, HostsWithChildren, HostLocks, HostNames, HostMarks {
  /** @param extra `interfaces` of the hosts, inserted by their store's `insertWithHosts` */
  insert(
    tx: ClientSession,
    scope: Scope,
    hosts: readonly HostRecord[],
    extra?: HostExtra | ((host: HostRecord) => HostExtra),
  ): Promise<void>;
}

interface HostExtra {
  readonly interfaces?: readonly Interface[];
  readonly [field: string]: unknown;
}

export function createHostStore(database: Database, kinds: StoredKinds): HostStore {
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
    ...createHostMarks(entities),
    insert: (tx, scope, inserted, extra = {}) =>
      entities.insert(tx, scope, inserted, (host) => {
        const { interfaces = [], ...fields } = typeof extra === "function" ? extra(host) : extra;
        return { ...fields, ...hostSearchFields(host, interfaces) };
      }),
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
