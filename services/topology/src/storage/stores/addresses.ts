import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import type { EntityDocument } from "../entities.js";
import { BY_ID, INTERFACE_ADDRESSES_INDEX } from "../indexes.js";
import { scopedCollection, type ScopedUpdate } from "../scoped-collection.js";
import { type Sweepable, sweepable } from "../sweepable.js";
import { keyAt, numberOf, pastReserved } from "../../values/address-space.js";
import {
  type AddressCollections,
  END,
  findAbove,
  findBelow,
  type FreeAddressDocument,
  type Search,
  type SearchedSubnet,
  usedFrom,
  usedIn,
} from "./free-addresses.js";

// Finds the lowest free address without scanning used ones: all below a subnet's mark is used or reserved, except what
// has an entry. Searches write the mark, so they are serialized; moving it locks the network.

const CHECKED_MS = 60_000;
/** Longer than any request. */
const HELD_MS = 10_000;

/** The address of an interface that is deleted or changed. */
export interface Released {
  readonly subnet_id: string;
  readonly network_id: string;
  readonly ip_key: string;
}

/** Addresses reserved by a process for a request. */
export interface ReservedAddresses {
  readonly holder: string;
  readonly subnetId: string;
  readonly keys: readonly string[];
}

/**
 * The result of a search: addresses, fewer if there are no more; `move` or `move anew` if the mark must be moved first.
 */
export type FoundAddresses = readonly bigint[] | "move" | "move anew";

type SearchRequest = Omit<Search, "session">;

export interface AddressStore {
  readonly sweepable: Sweepable;
  /**
   * Takes the lowest free addresses of a subnet. Conflicts with concurrent searches in it.
   *
   * @param request with the process that reserves them for other transactions; null if this one uses them
   */
  take(
    tx: ClientSession,
    scope: Scope,
    subnet: SearchedSubnet,
    request: SearchRequest & { holder: string | null },
  ): Promise<FoundAddresses>;
  /** Consumes reservations. @returns false if an address is no longer free or reserved */
  use(tx: ClientSession, scope: Scope, reserved: ReservedAddresses): Promise<boolean>;
  /** Releases addresses. */
  giveBack(scope: Scope, reserved: ReservedAddresses): Promise<void>;
  /** Whether an address of the subnet, besides some, is reserved or was since a moment, and may be released. */
  isAnyReserved(
    tx: ClientSession,
    scope: Scope,
    subnet: { readonly id: string; readonly besides: readonly string[]; readonly since: Date },
  ): Promise<boolean>;
  /**
   * Moves the mark towards the lowest possibly free address; the network is locked.
   *
   * @param steps from the first address or the mark, and how many used ones to pass
   * @returns false if there is more to pass
   */
  move(
    tx: ClientSession,
    scope: Scope,
    subnet: SearchedSubnet,
    steps: { from: "first" | "mark"; step: number },
  ): Promise<boolean>;
  /** Records that the mark was moved from the first address to the lowest possibly free one. */
  checked(scope: Scope, subnetId: string): Promise<void>;
  /** Restarts at the first address on the next search: the assignable addresses have changed. */
  reset(tx: ClientSession, scope: Scope, subnetId: string): Promise<void>;
  /** Records freed addresses. Without a transaction: their hosts have been hidden for long. */
  release(scope: Pick<Scope, "organizationId">, released: readonly Released[], tx?: ClientSession): Promise<void>;
  /** Deletes everything of deleted subnets. */
  forget(scope: Pick<Scope, "organizationId">, subnetIds: readonly string[]): Promise<void>;
  /** Deletes everything of deleted networks. */
  forgetNetworks(tx: ClientSession, scope: Scope, networkIds: readonly string[]): Promise<void>;
  /** Number of used addresses in a range. */
  countUsed(scope: Scope, subnetId: string, span: { readonly from: string; readonly to: string }): Promise<number>;
  /** The lowest free addresses at the moment; fewer if there are no more. */
  lowest(scope: Scope, subnet: SearchedSubnet, request: SearchRequest): Promise<bigint[]>;
}

export function createAddressStore(database: Database): AddressStore {
  const freed = scopedCollection<FreeAddressDocument>(database.db, "free_addresses");
  const interfaces = scopedCollection<EntityDocument>(database.db, "interfaces");
  const collections = { freed, interfaces };
  return {
    sweepable: sweepable(freed),
    ...createMarks(collections),
    ...createHolds(collections),
    ...createEntries(collections),
    ...createCounts(database, collections),
  };
}

/** The marks of subnets. */
function createMarks(collections: AddressCollections): Pick<AddressStore, "take" | "move" | "checked" | "reset"> {
  const { freed } = collections;
  return {
    take: async (tx, scope, subnet, { count, others, holder }) => {
      const { id, space } = subnet;
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      // Conflicts with a concurrent search in the subnet before doing work.
      const mark = await freed.findOneAndUpdate(mine, { $inc: { taken: 1 } }, { session: tx, hint: BY_ID });
      if (mark === null) return "move anew";
      const low = mark.low ?? END;
      const below = await findBelow(collections, scope, subnet, { low, count, others, session: tx });
      const rest = count - below.found.length;
      const above =
        rest === 0 || low === END
          ? { found: [], mark: null, isUsed: false }
          : await findAbove(collections, scope, subnet, { low, count: rest, others, session: tx });
      if (above.isUsed) return "move";
      const found = [...below.found, ...above.found];
      // Only if nothing else is left: passing used addresses locks the network for its writers.
      if (found.length === 0 && Date.now() - (mark.checked_at?.getTime() ?? 0) >= CHECKED_MS) return "move anew";
      const used = holder === null ? below.found.map((address) => keyAt(space, address)) : [];
      const ended = [...below.stale, ...used].map((key) => entryId(id, key));
      if (ended.length > 0) await freed.deleteMany({ organization_id, _id: { $in: ended } }, { session: tx });
      const entries = holder === null ? [] : reservedEntries(organization_id, subnet, { found, holder });
      if (entries.length > 0) await freed.bulkWrite(entries, { session: tx });
      if (above.mark !== null) {
        const next = above.mark > space.last ? null : keyAt(space, above.mark);
        await freed.updateOne(mine, { $set: { low: next } }, { session: tx });
      }
      return found;
    },
    move: async (tx, scope, { id, network_id, space }, { from, step }) => {
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      const known = from === "first" ? null : await freed.findOne(mine, { session: tx });
      let at = pastReserved(space, known?.low ? numberOf(known.low) : space.first);
      let passed = 0;
      const range = { from: keyAt(space, at), limit: step, session: tx };
      for await (const key of at > space.last ? [] : usedFrom(collections, scope, id, range)) {
        const used = numberOf(key);
        if (used > at) break;
        passed += 1;
        if (used === at) at = pastReserved(space, at + 1n);
      }
      const low = at > space.last ? null : keyAt(space, at);
      await freed.updateOne(mine, { $set: { low, network_id, subnet_id: id } }, { session: tx, upsert: true });
      return passed < step;
    },
    checked: async ({ organizationId: organization_id }, subnetId) => {
      await freed.updateOne({ _id: subnetId, organization_id }, { $set: { checked_at: new Date() } });
    },
    reset: async (tx, { organizationId: organization_id }, subnetId) => {
      await freed.deleteMany({ _id: subnetId, organization_id }, { session: tx });
    },
  };
}

/** Reservations. */
function createHolds({
  freed,
  interfaces,
}: AddressCollections): Pick<AddressStore, "use" | "giveBack" | "isAnyReserved"> {
  const reservedIn = ({ organizationId: organization_id }: Scope, { holder, subnetId, keys }: ReservedAddresses) => ({
    _id: { $in: keys.map((key) => entryId(subnetId, key)) },
    organization_id,
    held_by: holder,
  });
  return {
    use: async (tx, scope, reserved) => {
      const { deletedCount } = await freed.deleteMany(reservedIn(scope, reserved), { session: tx, hint: BY_ID });
      if (deletedCount < reserved.keys.length) return false;
      const options = { session: tx, projection: { _id: 0, ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX };
      return (
        (await interfaces.findOne(usedIn(scope, reserved.subnetId, { $in: [...reserved.keys] }), options)) === null
      );
    },
    giveBack: async (scope, reserved) => {
      if (reserved.keys.length === 0) return;
      await freed.updateMany(reservedIn(scope, reserved), { $unset: { held_by: 1, held_until: 1 } }, { hint: BY_ID });
    },
    isAnyReserved: async (session, { organizationId: organization_id }, { id: subnet_id, besides, since }) => {
      const reserved = { organization_id, subnet_id, key: { $nin: [...besides] }, held_until: { $gt: since } };
      return (await freed.findOne(reserved, { session, projection: { _id: 1 } })) !== null;
    },
  };
}

function reservedEntries(
  organization_id: string,
  { id: subnet_id, network_id, space }: SearchedSubnet,
  { found, holder: held_by }: { found: readonly bigint[]; holder: string },
): ScopedUpdate<FreeAddressDocument>[] {
  const held_until = new Date(Date.now() + HELD_MS);
  return found.map((address) => {
    const key = keyAt(space, address);
    const update = { $set: { network_id, subnet_id, key, held_by, held_until } };
    return { updateOne: { filter: { _id: entryId(subnet_id, key), organization_id }, update, upsert: true } };
  });
}

function entryId(subnetId: string, key: string): string {
  return `${subnetId}:${key}`;
}

/** Entries of freed addresses. */
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
          filter: { _id: entryId(subnet_id, key), organization_id },
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

/** Reads of a subnet that reserve nothing. */
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
    lowest: async (scope, subnet, { count, others }) => {
      const mine = { _id: subnet.id, organization_id: scope.organizationId };
      const mark = await share(scope, () => freed.findOne(mine));
      const low = mark === null ? keyAt(subnet.space, subnet.space.first) : (mark.low ?? END);
      const { found } = await share(scope, () => findBelow(collections, scope, subnet, { low, count, others }));
      const request = { low, count: count - found.length, others };
      if (request.count === 0 || low === END) return found;
      return [...found, ...(await share(scope, () => findAbove(collections, scope, subnet, request))).found];
    },
  };
}
