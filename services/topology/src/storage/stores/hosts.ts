import type { ClientSession, Document } from "mongodb";
import { type HostInventory, HostRecord, type Interface, type Port, type Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID } from "../indexes.js";
import { composed } from "../../values/search.rules.js";
import { createEntities, type Entities, type EntityDocument, type EntityKind } from "../entities.js";
import { createReader } from "../entity-reader.js";
import type { Database } from "../database.js";
import { within } from "../scope.js";
import { requireRoom } from "./host-capacity.rules.js";
import { createHostSearch, hostSearchFields } from "./host-search.js";
import { createHostsWithChildren, type HostsWithChildren } from "./hosts-with-children.js";

export type { KnownHost } from "./hosts-with-children.js";

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

/** How much stands on a host that is to be deleted. */
export interface TakenHost extends Readonly<Record<keyof Inventory, number>> {
  readonly id: string;
  readonly network_id: string;
}

/** What a transaction adds to a host, or takes from it. */
export interface InventoryChange {
  readonly add?: Partial<HostInventory>;
  readonly remove?: Partial<HostInventory>;
  /** How many services more. */
  readonly services?: number;
}

export interface HostStore extends Entities<HostRecord>, HostsWithChildren {
  /** @param extra `interfaces` are those that the hosts are to have, inserted by `insertWithHosts` of their store */
  insert(
    tx: ClientSession,
    scope: Scope,
    hosts: readonly HostRecord[],
    extra?: { readonly interfaces?: readonly Interface[]; readonly [field: string]: unknown },
  ): Promise<void>;
  /**
   * Locks a host for this transaction.
   *
   * @returns null when there is no such host in the scope
   * @throws AppError `validation_failed` when it would have more on it than a host can have
   */
  lock(tx: ClientSession, scope: Scope, id: string, change?: InventoryChange): Promise<LockedHost | null>;
  /** Locks several hosts, in three commands. @returns those that are in the scope, by id */
  lockAll(
    tx: ClientSession,
    scope: Scope,
    changes: ReadonlyMap<string, InventoryChange>,
  ): Promise<ReadonlyMap<string, LockedHost>>;
  /** Locks hosts that are to be deleted. @returns those that are in the scope */
  take(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<TakenHost[]>;
}

/** The inventories of a thousand full hosts are 80 MB: they are counted where they are. */
const TAKEN = {
  ...{ _id: 0, id: "$_id", network_id: 1, services: "$inventory.services" },
  interfaces: { $size: "$inventory.interfaces" },
  ports: { $size: "$inventory.ports" },
} as const;
const LOCKED = { _id: 1, network_id: 1, name: 1, inventory: 1 } as const;

export const HOST_KIND: EntityKind<HostRecord> = {
  collection: "hosts",
  name: "Host",
  tagged: true,
  networkOf: ({ network_id }) => network_id,
  keysOf: ({ name, hostname, tags }) => ({ name, hostname, tags: tags.map(composed) }),
  clean: (entity) => HostRecord.parse(entity),
};

/** Of hosts, and of what is on them. */
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
  const hosts = entities.collection;
  const search = createHostSearch(database.db);

  /** Locks hosts by one short command: the longer it takes, the likelier somebody else commits a change to one of them. */
  async function own(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<void> {
    await hosts.updateMany({ ...within(scope), _id: { $in: [...ids] } }, { $inc: { lock: 1 } } as object, {
      session: tx,
    });
  }

  return {
    ...entities,
    ...createHostsWithChildren(database, readers),
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
    lock: async (tx, scope, id, change = {}) => {
      const options = { session: tx, projection: LOCKED, returnDocument: "after", hint: BY_ID } as const;
      const found = await hosts.findOneAndUpdate({ ...within(scope), _id: id }, updateOf(change), options);
      if (found === null) return null;
      const host = lockedIn(found);
      requireRoomFor(change, host);
      return host;
    },
    lockAll: async (tx, scope, changes) => {
      const ids = [...changes.keys()];
      await own(tx, scope, ids);
      const updates = [...changes].map(([_id, change]) => ({
        updateOne: { filter: { ...within(scope), _id }, update: updateOf(change), hint: BY_ID },
      }));
      if (updates.length > 0) await hosts.bulkWrite(updates, { session: tx });
      const found = await hosts
        .find({ ...within(scope), _id: { $in: ids } }, { session: tx, projection: LOCKED })
        .toArray();
      const locked = new Map(found.map((one) => [one._id, lockedIn(one)]));
      for (const [id, change] of changes) requireRoomFor(change, locked.get(id));
      return locked;
    },
    take: async (tx, scope, ids) => {
      const filter = { ...within(scope), _id: { $in: [...ids] } };
      await own(tx, scope, ids);
      return hosts.find<TakenHost>(filter, { session: tx, projection: TAKEN }).toArray();
    },
  };
}

function requireRoomFor({ add, services = 0 }: InventoryChange, host: LockedHost | undefined): void {
  if (host === undefined) return;
  const { inventory } = host;
  requireRoom({
    interfaces: add?.interfaces?.length ? inventory.interfaces.length : null,
    ports: add?.ports?.length ? inventory.ports.length : null,
    services: services > 0 ? inventory.services : null,
  });
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

function lockedIn(found: EntityDocument): LockedHost {
  return {
    id: found._id,
    network_id: found.network_id ?? "",
    name: String(found["name"]),
    inventory: found["inventory"] as Inventory,
  };
}
