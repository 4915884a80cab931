import type { ClientSession, Db, Document, Filter } from "mongodb";
import { type HostInventory, HostRecord, type Interface, type Port, type Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { createEntities, type Entities, type EntityDocument, type Stored, storedIn } from "../storage/entities.js";
import type { Join } from "../storage/lists.js";
import { within } from "../storage/scope.js";
import { createHostSearch, hostSearchFields } from "./search.js";

// Everything on a host is written under the host's lock: a counter in its document that each such transaction writes
// first, so that two of them collide. The same write keeps the inventory (what is on the host), which validating
// bindings and placing services need, and moves the host's revision, which covers its children. A transaction that
// fails, or finds nothing to change, undoes all three.

/** What stands on a host: ids of ports and interfaces (the latter in no order), and how many services. */
export interface Inventory extends HostInventory {
  readonly services: number;
}

export interface LockedHost {
  readonly id: string;
  readonly network_id: string;
  readonly name: string;
  /** As it is after the change. */
  readonly inventory: Inventory;
}

/** What a transaction adds to a host, or takes from it. */
export interface InventoryChange {
  readonly add?: Partial<HostInventory>;
  readonly remove?: Partial<HostInventory>;
  /** How many services more. */
  readonly services?: number;
}

/** A host with everything on it; interfaces and services in the order of their positions. */
export interface KnownHost {
  readonly host: Stored<HostRecord>;
  readonly interfaces: readonly Stored<Interface>[];
  readonly ports: readonly Stored<Port>[];
  readonly services: readonly Stored<Service>[];
}

export interface HostStore extends Entities<HostRecord> {
  /** @param extra `interfaces` are those that the hosts are to have, inserted by `insertWithHosts` of their store */
  insert(
    session: ClientSession,
    scope: Scope,
    hosts: readonly HostRecord[],
    extra?: { readonly interfaces?: readonly Interface[]; readonly [field: string]: unknown },
  ): Promise<void>;
  /** Locks a host for this transaction. @returns null when there is no such host in the scope */
  lock(session: ClientSession, scope: Scope, id: string, change?: InventoryChange): Promise<LockedHost | null>;
  /** Moves the revisions of hosts whose children change outside of their locks. */
  touch(session: ClientSession, scope: Scope, ids: readonly string[]): Promise<void>;
  /** Deletes the host itself. @returns what stood on it, null when there is no such host in the scope */
  take(session: ClientSession, scope: Scope, id: string): Promise<LockedHost | null>;
  /** A host with its children as JSON text, all of one moment; null when it is not in the scope. */
  readWithChildren(
    scope: Scope,
    id: string,
    session?: ClientSession,
  ): Promise<{ json: string; revision: number } | null>;
  /** Hosts with their children, each host of one moment, in no order; those that are not in the scope are left out. */
  findWithChildren(scope: Scope, ids: readonly string[], session?: ClientSession): Promise<KnownHost[]>;
}

const REVISED: Document = { $inc: { revision: 1 } };
const LOCKED = { _id: 1, network_id: 1, name: 1, inventory: 1 } as const;

export function createHostStore(db: Db): HostStore {
  const entities = createEntities<HostRecord>(db, {
    collection: "hosts",
    name: "Host",
    networkOf: ({ network_id }) => network_id,
    keysOf: ({ name, hostname, tags }) => ({ name, hostname, tags }),
    clean: (entity) => HostRecord.parse(entity),
  });
  const hosts = entities.collection;
  const search = createHostSearch(db);
  return {
    ...entities,
    insert: async (session, scope, inserted, { interfaces = [], ...extra } = {}) => {
      for (const host of inserted)
        await entities.insert(session, scope, [host], { ...extra, ...hostSearchFields(host, interfaces) });
    },
    replace: async (session, scope, changed, extra) => {
      await entities.replace(session, scope, changed, extra);
      await search.renamed(
        session,
        scope,
        changed.map(({ entity }) => entity),
      );
    },
    lock: async (session, scope, id, change = {}) =>
      locked(
        await hosts.findOneAndUpdate({ ...within(scope), _id: id }, updateOf(change), {
          session,
          projection: LOCKED,
          returnDocument: "after",
        }),
      ),
    touch: async (session, scope, ids) => {
      const filter: Filter<EntityDocument> = { ...within(scope), _id: { $in: [...new Set(ids)] } };
      await hosts.updateMany(filter, REVISED, { session });
    },
    take: async (session, scope, id) =>
      locked(await hosts.findOneAndDelete({ ...within(scope), _id: id }, { session, projection: LOCKED })),
    readWithChildren: async (scope, id, session) => {
      const stages = [{ $match: { ...within(scope), _id: id } }, ...CHILDREN.stages];
      const options = session === undefined ? { readConcern: { level: "snapshot" as const } } : { session };
      const [found] = await hosts.aggregate<EntityDocument>(stages, options).toArray();
      return found === undefined ? null : { json: CHILDREN.rowOf(found), revision: found.revision };
    },
    findWithChildren: async (scope, ids, session) => {
      const stages = [{ $match: { ...within(scope), _id: { $in: ids } } }, ...WITH_REVISIONS];
      const options = session === undefined ? { readConcern: { level: "snapshot" as const } } : { session };
      const found = await hosts.aggregate<EntityDocument>(stages, options).toArray();
      return found.map((host) => {
        const childrenOf = <T>(name: string): Stored<T>[] => (host[name] as EntityDocument[]).map(storedIn<T>);
        return {
          host: storedIn<HostRecord>(host),
          interfaces: childrenOf<Interface>("interfaces"),
          ports: childrenOf<Port>("ports"),
          services: childrenOf<Service>("services"),
        };
      });
    },
  };
}

function updateOf({ add, remove, services = 0 }: InventoryChange): Document {
  return {
    $inc: { lock: 1, revision: 1, ...(services !== 0 && { "inventory.services": services }) },
    ...(add && { $push: perList(add, (ids) => ({ $each: ids })) }),
    ...(remove && { $pull: perList(remove, (ids) => ({ $in: ids })) }),
  };
}

function perList(lists: Partial<HostInventory>, operand: (ids: readonly string[]) => Document): Document {
  return Object.fromEntries(
    Object.entries(lists).map(([name, ids]) => [`inventory.${name}`, operand(ids as string[])]),
  );
}

function locked(found: EntityDocument | null): LockedHost | null {
  if (found === null) return null;
  return {
    id: found._id,
    network_id: found.network_id ?? "",
    name: String(found["name"]),
    inventory: found["inventory"] as Inventory,
  };
}

const childrenIn = (from: string, order: Document, fields: Document): Document => ({
  $lookup: {
    from,
    localField: "_id",
    foreignField: "host_id",
    pipeline: [{ $sort: order }, { $project: { _id: 0, ...fields } }],
    as: from,
  },
});

/** Stages that read hosts with their children. @param fields of the children */
function stagesWith(fields: Document): Document[] {
  return [
    childrenIn("interfaces", { position: 1, _id: 1 }, fields),
    childrenIn("ports", { number: 1, protocol: 1 }, fields),
    childrenIn("services", { position: 1, _id: 1 }, fields),
    { $project: { _id: 0, wire: 1, revision: 1, interfaces: 1, ports: 1, services: 1 } },
  ];
}

const WITH_REVISIONS = stagesWith({ wire: 1, revision: 1 });

/** Reads hosts with their children, and puts the texts of both together. */
export const CHILDREN: Join = {
  stages: stagesWith({ wire: 1 }),
  rowOf: (host) => {
    const listed = (name: string): string =>
      `[${(host[name] as { wire: string }[]).map(({ wire }) => wire).join(",")}]`;
    const children = `"interfaces":${listed("interfaces")},"ports":${listed("ports")},"services":${listed("services")}`;
    return `${host.wire.slice(0, -1)},${children}}`;
  },
};
