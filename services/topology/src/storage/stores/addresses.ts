import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import type { EntityDocument } from "../entities.js";
import { INTERFACE_ADDRESSES_INDEX } from "../indexes.js";
import { scopedCollection } from "../scoped-collection.js";
import { type Sweepable, sweepable } from "../sweepable.js";
import { keyAt, numberOf, pastReserved } from "../../values/address-space.js";
import {
  type AddressCollections,
  END,
  findAbove,
  findBelow,
  type FreeAddressDocument,
  type SearchedSubnet,
  usedFrom,
  usedIn,
} from "./free-addresses.js";

// The lowest free address of a subnet is found without looking at those that are used. A mark says that everything below it is
// used or reserved, but for addresses that were freed since, each of which has an entry. Whoever takes an address writes the
// mark, so they come one after another. Whoever frees one writes an entry when it is below the mark; moving the mark past
// addresses of others locks the whole network, since somebody might be freeing one of them at that moment. Interfaces of hosts
// that are hidden, and not swept yet, are free: they are looked for where they stand, and the sweep makes the entries.

const CHECKED_MS = 60_000;

/** An address of an interface that goes, or gets another one. */
export interface Released {
  readonly subnet_id: string;
  readonly network_id: string;
  readonly ip_key: string;
}

/** What became of a search: the addresses; `move` or `move anew` when the mark has to be moved first; `full`. */
export type Taken = readonly bigint[] | "move" | "move anew" | "full";

export interface AddressStore {
  readonly sweepable: Sweepable;
  /** Takes the lowest free addresses of a subnet whose mark is locked; `others` are keys that the same transaction will use. */
  take(
    tx: ClientSession,
    scope: Scope,
    subnet: SearchedSubnet,
    wanted: { count: number; others: ReadonlySet<string> },
  ): Promise<Taken>;
  /** Locks the marks of subnets. */
  lock(tx: ClientSession, scope: Scope, subnetIds: readonly string[]): Promise<void>;
  /** Moves the mark to the lowest address that may be free; the network is locked. @param anew from the first address on */
  move(tx: ClientSession, scope: Scope, subnet: SearchedSubnet, anew: boolean): Promise<void>;
  /** Makes the next search begin at the first address: what can be given has changed. */
  reset(tx: ClientSession, scope: Scope, subnetId: string): Promise<void>;
  /** Notes addresses that become free. Without a transaction: they are of hosts that have been hidden for long. */
  release(scope: Pick<Scope, "organizationId">, released: readonly Released[], tx?: ClientSession): Promise<void>;
  /** Forgets all of subnets that are deleted. */
  forget(scope: Pick<Scope, "organizationId">, subnetIds: readonly string[]): Promise<void>;
  /** Forgets all of networks that are deleted. */
  forgetNetworks(tx: ClientSession, scope: Scope, networkIds: readonly string[]): Promise<void>;
  /** How many addresses of a span interfaces have. */
  countUsed(scope: Scope, subnetId: string, span: { readonly from: string; readonly to: string }): Promise<number>;
  /** The lowest free address, as it is at the moment; null when there is none. */
  lowest(scope: Scope, subnet: SearchedSubnet): Promise<bigint | null>;
}

export function createAddressStore(database: Database): AddressStore {
  const freed = scopedCollection<FreeAddressDocument>(database.db, "free_addresses");
  const interfaces = scopedCollection<EntityDocument>(database.db, "interfaces");
  const collections = { freed, interfaces };
  return {
    sweepable: sweepable(freed),
    ...createMarks(collections),
    ...createEntries(collections),
    ...createCounts(database, collections),
  };
}

/** The marks of subnets, and what is taken by them. */
function createMarks(collections: AddressCollections): Pick<AddressStore, "take" | "lock" | "move" | "reset"> {
  const { freed } = collections;
  return {
    take: async (tx, scope, subnet, { count, others }) => {
      const { id, space } = subnet;
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      const held = await freed.findOne(mine, { session: tx });
      if (held === null) return "move anew";
      const low = held.low ?? END;
      const below = await findBelow(collections, scope, subnet, { low, count, others, session: tx });
      const rest = count - below.found.length;
      const above =
        rest === 0 || low === END
          ? { found: [], mark: null, isUsed: false }
          : await findAbove(collections, scope, subnet, { low, count: rest, others, session: tx });
      if (above.isUsed) return "move";
      const found = [...below.found, ...above.found];
      if (found.length < count)
        return Date.now() - (held.checked_at?.getTime() ?? 0) < CHECKED_MS ? "full" : "move anew";
      const gone = [...below.stale, ...below.found.map((address) => keyAt(space, address))].map(
        (key) => `${id}:${key}`,
      );
      if (gone.length > 0) await freed.deleteMany({ organization_id, _id: { $in: gone } }, { session: tx });
      if (above.mark !== null) {
        const mark = above.mark > space.last ? null : keyAt(space, above.mark);
        await freed.updateOne(mine, { $set: { low: mark } }, { session: tx });
      }
      return found;
    },
    lock: async (tx, { organizationId: organization_id }, subnetIds) => {
      const marks = { _id: { $in: [...subnetIds] }, organization_id };
      await freed.updateMany(marks, { $inc: { taken: 1 } }, { session: tx });
    },
    move: async (tx, scope, { id, network_id, space }, anew) => {
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      const known = await freed.findOne(mine, { session: tx });
      const isAnew = anew || known === null;
      let at = pastReserved(space, space.first);
      if (!isAnew && known.low) at = pastReserved(space, numberOf(known.low));
      for await (const key of at > space.last
        ? []
        : usedFrom(collections, scope, id, { from: keyAt(space, at), session: tx })) {
        const used = numberOf(key);
        if (used > at) break;
        if (used === at) at = pastReserved(space, at + 1n);
      }
      const low = at > space.last ? null : keyAt(space, at);
      const set = { low, network_id, subnet_id: id, ...(isAnew && { checked_at: new Date() }) };
      await freed.updateOne(mine, { $set: set }, { session: tx, upsert: true });
    },
    reset: async (tx, { organizationId: organization_id }, subnetId) => {
      await freed.deleteMany({ _id: subnetId, organization_id }, { session: tx });
    },
  };
}

/** The entries of addresses that were freed. */
function createEntries({ freed }: AddressCollections): Pick<AddressStore, "release" | "forget" | "forgetNetworks"> {
  return {
    release: async ({ organizationId: organization_id }, released, session) => {
      if (released.length === 0) return;
      const ids = [...new Set(released.map(({ subnet_id }) => subnet_id))];
      const marks = await freed
        .find({ organization_id, _id: { $in: ids } }, { session, projection: { low: 1 } })
        .toArray();
      const lows = new Map(marks.map(({ _id, low }) => [_id, low ?? END]));
      const below = released.filter(({ subnet_id, ip_key }) => ip_key < (lows.get(subnet_id) ?? ""));
      if (below.length === 0) return;
      const entries = below.map(({ subnet_id, network_id, ip_key: key }) => ({
        updateOne: {
          filter: { _id: `${subnet_id}:${key}`, organization_id },
          update: { $set: { network_id, subnet_id, key } },
          upsert: true,
        },
      }));
      await freed.bulkWrite(entries, { session });
    },
    forget: async ({ organizationId: organization_id }, subnetIds) => {
      await freed.deleteMany({ organization_id, subnet_id: { $in: [...subnetIds] } });
    },
    forgetNetworks: async (tx, { organizationId: organization_id }, networkIds) => {
      await freed.deleteMany({ organization_id, network_id: { $in: [...networkIds] } }, { session: tx });
    },
  };
}

/** What is told of a subnet without taking anything. */
function createCounts(
  { share }: Database,
  collections: AddressCollections,
): Pick<AddressStore, "countUsed" | "lowest"> {
  const { freed, interfaces } = collections;
  return {
    countUsed: async (scope, subnetId, { from, to }) => {
      const counting: Parameters<typeof interfaces.aggregate>[0] = [
        { $match: usedIn(scope, subnetId, { $gte: from, $lte: to }) },
        { $group: { _id: "$ip_key" } },
        { $count: "used" },
      ];
      const [counted] = await share(scope, () =>
        interfaces.aggregate<{ used: number }>(counting, { hint: INTERFACE_ADDRESSES_INDEX }).toArray(),
      );
      return counted?.used ?? 0;
    },
    lowest: async (scope, subnet) => {
      const mark = await share(scope, () => freed.findOne({ _id: subnet.id, organization_id: scope.organizationId }));
      const low = mark === null ? keyAt(subnet.space, subnet.space.first) : (mark.low ?? END);
      const wanted = { low, count: 1, others: new Set<string>() };
      const below = await share(scope, () => findBelow(collections, scope, subnet, wanted));
      if (below.found[0] !== undefined) return below.found[0];
      if (low === END) return null;
      return (await share(scope, () => findAbove(collections, scope, subnet, wanted))).found[0] ?? null;
    },
  };
}
