import type { ClientSession, Document } from "mongodb";
import type { HostInventory } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { EntityDocument } from "../entities.js";
import { BY_ID } from "../indexes.js";
import { within } from "../scope.js";
import type { ScopedCollection } from "../scoped-collection.js";
import { requireRoom } from "./host-capacity.rules.js";
import { createReservedHosts, type MaybeReserved, type ReservedHosts } from "./reserved-hosts.js";

// All writes to a host's children first increment a counter in its document (the lock), so that they conflict. The same
// write updates the inventory needed for validation, and the host's revision, which covers its children.

/** The children of a host: ids of ports and interfaces (the latter unordered), and number of services. */
export interface Inventory extends HostInventory {
  readonly services: number;
}

export interface LockedHost {
  readonly id: string;
  readonly network_id: string;
  readonly name: string;
  /** After the change. */
  readonly inventory: Inventory;
}

/** Number of children of a host to be deleted. */
export interface TakenHost extends Readonly<Record<keyof Inventory, number>> {
  readonly id: string;
  readonly network_id: string;
}

type FoundHost = Omit<TakenHost, "id"> & MaybeReserved;

/** Changes to the children of a host. */
export interface InventoryChange {
  readonly add?: Partial<HostInventory>;
  readonly remove?: Partial<HostInventory>;
  /** Change of the number of services. */
  readonly services?: number;
}

export interface HostLocks {
  /**
   * Locks a host for this transaction.
   *
   * @returns null if it is not in the scope
   * @throws AppError `validation_failed` if it would exceed its capacity
   */
  lock(tx: ClientSession, scope: Scope, id: string, change?: InventoryChange): Promise<LockedHost | null>;
  /** Locks several hosts with three commands, or two if nothing is added or removed. @returns those in the scope, by id */
  lockAll(
    tx: ClientSession,
    scope: Scope,
    changes: ReadonlyMap<string, InventoryChange>,
  ): Promise<ReadonlyMap<string, LockedHost>>;
  /** Locks hosts to be deleted. @returns those in the scope */
  take(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<TakenHost[]>;
  /** Hosts reserved by a transaction before it locks them. */
  readonly reserved: ReservedHosts;
}

/** The inventories of a thousand full hosts are 80 MB, so they are counted in the database. */
const TAKEN = {
  ...{ network_id: 1, reserved: 1, services: "$inventory.services" },
  interfaces: { $size: "$inventory.interfaces" },
  ports: { $size: "$inventory.ports" },
} as const;
const ONLY_LOCKED: Document = { $inc: { lock: 1 } };
const LOCKED = { _id: 1, network_id: 1, name: 1, inventory: 1, reserved: 1 } as const;

export function createHostLocks(hosts: ScopedCollection<EntityDocument>): HostLocks {
  const reserved = createReservedHosts(hosts);

  /** Locks hosts with a short command: a longer one would conflict more often. */
  async function own(tx: ClientSession, scope: Scope, ids: readonly string[], update = ONLY_LOCKED): Promise<void> {
    await hosts.updateMany({ ...within(scope), _id: { $in: [...ids] } }, update, { session: tx, hint: BY_ID });
  }

  /** The inventories of locked hosts; of a single one with the locking command. */
  async function ownedAndRead(tx: ClientSession, scope: Scope, ids: readonly string[]): Promise<FoundHost[]> {
    const options = { session: tx, projection: TAKEN };
    const [only, ...more] = ids;
    if (only !== undefined && more.length === 0) {
      const filter = { ...within(scope), _id: only };
      const found = await hosts.findOneAndUpdate(filter, ONLY_LOCKED, { ...options, hint: BY_ID });
      return found === null ? [] : [found as unknown as FoundHost];
    }
    await own(tx, scope, ids);
    return hosts.find<FoundHost>({ ...within(scope), _id: { $in: [...ids] } }, options).toArray();
  }

  return {
    reserved,
    lock: async (tx, scope, id, change = {}) => {
      const options = { session: tx, projection: LOCKED, returnDocument: "after", hint: BY_ID } as const;
      const filter = { ...within(scope), _id: id };
      const { remove, ...others } = change;
      // One update cannot add to a list and remove from it.
      if (isTwice(change)) await hosts.updateOne(filter, removalOf(remove), { session: tx, hint: BY_ID });
      const found = await hosts.findOneAndUpdate(filter, updateOf(isTwice(change) ? others : change), options);
      if (found === null) return null;
      await reserved.requireFree(tx, scope, [found]);
      const host = lockedIn(found);
      requireRoomFor(change, host);
      return host;
    },
    lockAll: async (tx, scope, changes) => {
      const ids = [...changes.keys()];
      const areSame = [...changes.values()].every((change) => Object.keys(change).length === 0);
      await own(tx, scope, ids, areSame ? updateOf({}) : ONLY_LOCKED);
      const updates = (areSame ? [] : [...changes]).flatMap(([_id, change]) => {
        const { remove, ...others } = change;
        const all = isTwice(change) ? [removalOf(remove), updateOf(others)] : [updateOf(change)];
        return all.map((update) => ({ updateOne: { filter: { ...within(scope), _id }, update, hint: BY_ID } }));
      });
      if (updates.length > 0) await hosts.bulkWrite(updates, { session: tx });
      const found = await hosts
        .find({ ...within(scope), _id: { $in: ids } }, { session: tx, projection: LOCKED })
        .toArray();
      await reserved.requireFree(tx, scope, found);
      const locked = new Map(found.map((one) => [one._id, lockedIn(one)]));
      for (const [id, change] of changes) requireRoomFor(change, locked.get(id));
      return locked;
    },
    take: async (tx, scope, ids) => {
      const found = await ownedAndRead(tx, scope, ids);
      await reserved.requireFree(tx, scope, found);
      return found.map(({ _id: id, network_id, interfaces, ports, services }) => ({
        id,
        network_id,
        interfaces,
        ports,
        services,
      }));
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
    ...(remove && removalOf(remove)),
  };
}

function removalOf(remove: Partial<HostInventory> = {}): Document {
  return { $pull: perList(remove, (ids) => ({ $in: ids })) };
}

/** Whether it adds to a list and removes from one. */
function isTwice({ add, remove }: InventoryChange): boolean {
  return add !== undefined && remove !== undefined;
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
