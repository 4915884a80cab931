import type { ClientSession, Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import type { EntityDocument } from "../entities.js";
import { INTERFACE_ADDRESSES_INDEX } from "../indexes.js";
import { type Scoped, scopedCollection } from "../scoped-collection.js";
import { type Sweepable, sweepable } from "../sweepable.js";
import { type AddressSpace, keyAt, numberOf, pastReserved } from "../../values/address-space.js";

// The lowest free address of a subnet is found without looking at those that are used. A mark says that everything below it is
// used or reserved, but for addresses that were freed since, each of which has an entry. Whoever takes an address writes the
// mark, so they come one after another. Whoever frees one writes an entry when it is below the mark; moving the mark past
// addresses of others locks the whole network, since somebody might be freeing one of them at that moment. Interfaces of hosts
// that are hidden, and not swept yet, are free: they are looked for where they stand, and the sweep makes the entries.

/** Entries that are looked at together. */
const AT_ONCE = 200;
const CHECKED_MS = 60_000;

/** The mark of a subnet, under its id; or an address below it that was freed, under both. */
interface FreeAddressDocument {
  _id: string;
  organization_id: string;
  network_id: string;
  subnet_id: string;
  /** Of an address that was freed. */
  key?: string;
  /** Of the mark: the key of the lowest address that may be free; null when none is. */
  low?: string | null;
  taken?: number;
  /** When the mark was put there from the first address on. */
  checked_at?: Date;
}

/** Above all keys. */
const END = "~";

/** A subnet in which addresses are looked for. */
export interface SearchedSubnet {
  readonly id: string;
  readonly network_id: string;
  readonly space: AddressSpace;
}

/** An address of an interface that goes, or gets another one. */
export interface Released {
  readonly subnet_id: string;
  readonly network_id: string;
  readonly ip_key: string;
}

/** How many addresses are looked for, beside which; `others` are keys that the same transaction will use. */
interface Search {
  readonly count: number;
  readonly others: ReadonlySet<string>;
  readonly session?: ClientSession | undefined;
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

export function createAddressStore({ db, share }: Database): AddressStore {
  const collection = scopedCollection<FreeAddressDocument>(db, "free_addresses");
  const interfaces = scopedCollection<EntityDocument>(db, "interfaces");

  const usedIn = (scope: Scope, subnetId: string, key: Document): Scoped & Document => ({
    organization_id: scope.organizationId,
    subnet_id: subnetId,
    ip_key: key,
    ...(scope.hidden !== undefined && scope.hidden.hosts.size > 0 && { host_id: { $nin: [...scope.hidden.hosts] } }),
  });

  /** Keys that interfaces have, ascending; a key that two have comes twice. */
  async function* usedFrom(
    scope: Scope,
    subnetId: string,
    from: string,
    session?: ClientSession,
  ): AsyncGenerator<string> {
    const options = { projection: { _id: 0, ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX, session } as const;
    const cursor = interfaces.find(usedIn(scope, subnetId, { $gte: from }), options).sort({ ip_key: 1 });
    for await (const { ip_key } of cursor) yield String(ip_key);
  }

  /** Free addresses from the mark on. @returns the place that the mark may be moved to as long as only own addresses follow */
  async function fromMark(
    scope: Scope,
    { id, space }: SearchedSubnet,
    low: string,
    wanted: Search,
  ): Promise<{ found: bigint[]; mark: bigint; isUsed: boolean }> {
    const { count, others, session } = wanted;
    const found: bigint[] = [];
    let at = pastReserved(space, numberOf(low));
    let mark = at;
    let isUsed = false;
    const pass = (isOwn: boolean): void => {
      const isAtMark = mark === at;
      at = pastReserved(space, at + 1n);
      if (isOwn && isAtMark) mark = at;
    };
    const fillTo = (end: bigint): void => {
      while (found.length < count && at < end) {
        const isOther = others.has(keyAt(space, at));
        if (!isOther) found.push(at);
        pass(!isOther);
      }
    };
    if (at > space.last) return { found, mark, isUsed };
    for await (const key of usedFrom(scope, id, keyAt(space, at), session)) {
      const used = numberOf(key);
      if (used > space.last) break;
      fillTo(used);
      if (found.length === count) break;
      if (used === at) {
        isUsed ||= mark === at && found.length === 0;
        pass(false);
      }
    }
    fillTo(space.last + 1n);
    return { found, mark, isUsed };
  }

  /** Free addresses below the mark, and entries of addresses that are not free any more. */
  async function belowMark(
    scope: Scope,
    { id, space }: SearchedSubnet,
    low: string,
    wanted: Search,
  ): Promise<{ found: bigint[]; stale: string[] }> {
    const { count, others, session } = wanted;
    const { organizationId: organization_id, hidden } = scope;
    const found: bigint[] = [];
    const stale: string[] = [];
    for (let after = ""; found.length < count;) {
      const between = { $gt: after, $lt: low };
      const freed = await collection
        .find({ organization_id, subnet_id: id, key: between }, { session, projection: { key: 1 } })
        .sort({ key: 1 })
        .limit(AT_ONCE)
        .toArray();
      const gone =
        hidden === undefined || hidden.hosts.size === 0
          ? []
          : await interfaces
              .find(
                { organization_id, subnet_id: id, ip_key: between, host_id: { $in: [...hidden.hosts] } },
                { session, projection: { ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX },
              ) // prettier-ignore
              .sort({ ip_key: 1 })
              .limit(AT_ONCE)
              .toArray();
      const entries = freed.map(({ key }) => key ?? "");
      const hiddenKeys = gone.map(({ ip_key }) => String(ip_key));
      // Up to where both lists are complete.
      const [end = END] = [entries, hiddenKeys]
        .map((keys) => (keys.length < AT_ONCE ? END : (keys.at(-1) ?? END)))
        .sort();
      const keys = [...new Set([...entries, ...hiddenKeys])].sort().filter((key) => key <= end);
      if (keys.length === 0) break;
      const used = await interfaces.find(usedIn(scope, id, { $in: keys }), { session, projection: { _id: 0, ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX }).toArray(); // prettier-ignore
      const taken = new Set(used.map(({ ip_key }) => String(ip_key)));
      for (const key of keys) {
        if (found.length === count) break;
        const address = numberOf(key);
        const canBe = address >= space.first && address <= space.last && pastReserved(space, address) === address;
        if (canBe && !taken.has(key) && !others.has(key)) found.push(address);
        else if (!others.has(key)) stale.push(key);
      }
      if (end === END) break;
      after = end;
    }
    return { found, stale };
  }

  return {
    sweepable: sweepable(collection),
    take: async (tx, scope, subnet, { count, others }) => {
      const { id, space } = subnet;
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      const held = await collection.findOne(mine, { session: tx });
      if (held === null) return "move anew";
      const low = held.low ?? END;
      const below = await belowMark(scope, subnet, low, { count, others, session: tx });
      const rest = count - below.found.length;
      const above =
        rest === 0 || low === END
          ? { found: [], mark: null, isUsed: false }
          : await fromMark(scope, subnet, low, { count: rest, others, session: tx });
      if (above.isUsed) return "move";
      const found = [...below.found, ...above.found];
      if (found.length < count)
        return Date.now() - (held.checked_at?.getTime() ?? 0) < CHECKED_MS ? "full" : "move anew";
      const gone = [...below.stale, ...below.found.map((address) => keyAt(space, address))].map(
        (key) => `${id}:${key}`,
      );
      if (gone.length > 0) await collection.deleteMany({ organization_id, _id: { $in: gone } }, { session: tx });
      if (above.mark !== null) {
        const mark = above.mark > space.last ? null : keyAt(space, above.mark);
        await collection.updateOne(mine, { $set: { low: mark } }, { session: tx });
      }
      return found;
    },
    lock: async (tx, { organizationId: organization_id }, subnetIds) => {
      const marks = { _id: { $in: [...subnetIds] }, organization_id };
      await collection.updateMany(marks, { $inc: { taken: 1 } }, { session: tx });
    },
    move: async (tx, scope, { id, network_id, space }, anew) => {
      const { organizationId: organization_id } = scope;
      const mine = { _id: id, organization_id };
      const known = await collection.findOne(mine, { session: tx });
      const isAnew = anew || known === null;
      let at = pastReserved(space, space.first);
      if (!isAnew && known.low) at = pastReserved(space, numberOf(known.low));
      for await (const key of at > space.last ? [] : usedFrom(scope, id, keyAt(space, at), tx)) {
        const used = numberOf(key);
        if (used > at) break;
        if (used === at) at = pastReserved(space, at + 1n);
      }
      const low = at > space.last ? null : keyAt(space, at);
      const set = { low, network_id, subnet_id: id, ...(isAnew && { checked_at: new Date() }) };
      await collection.updateOne(mine, { $set: set }, { session: tx, upsert: true });
    },
    reset: async (tx, { organizationId: organization_id }, subnetId) => {
      await collection.deleteMany({ _id: subnetId, organization_id }, { session: tx });
    },
    release: async ({ organizationId: organization_id }, released, session) => {
      if (released.length === 0) return;
      const ids = [...new Set(released.map(({ subnet_id }) => subnet_id))];
      const marks = await collection
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
      await collection.bulkWrite(entries, { session });
    },
    forget: async ({ organizationId: organization_id }, subnetIds) => {
      await collection.deleteMany({ organization_id, subnet_id: { $in: [...subnetIds] } });
    },
    forgetNetworks: async (tx, { organizationId: organization_id }, networkIds) => {
      await collection.deleteMany({ organization_id, network_id: { $in: [...networkIds] } }, { session: tx });
    },
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
      const mark = await share(scope, () =>
        collection.findOne({ _id: subnet.id, organization_id: scope.organizationId }),
      );
      const low = mark === null ? keyAt(subnet.space, subnet.space.first) : (mark.low ?? END);
      const wanted = { count: 1, others: new Set<string>() };
      const below = await share(scope, () => belowMark(scope, subnet, low, wanted));
      if (below.found[0] !== undefined) return below.found[0];
      if (low === END) return null;
      return (await share(scope, () => fromMark(scope, subnet, low, wanted))).found[0] ?? null;
    },
  };
}
