import type { ClientSession, Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { type AddressSpace, isGivable, keyAt, numberOf, pastReserved } from "../../values/address-space.js";
import type { EntityDocument } from "../entities.js";
import { INTERFACE_ADDRESSES_INDEX } from "../indexes.js";
import type { Scoped, ScopedCollection } from "../scoped-collection.js";

// Searches free addresses of a subnet; see addresses.ts.

/** Entries read together. */
const AT_ONCE = 200;

/** Greater than all keys. */
export const END = "~";

/** The mark of a subnet, with its id; or a possibly free address below it, with both. */
export interface FreeAddressDocument {
  _id: string;
  organization_id: string;
  network_id: string;
  subnet_id: string;
  /** Of an address. */
  key?: string;
  /** The process that has reserved the address, and until when. */
  held_by?: string;
  held_until?: Date;
  /** Of the mark: key of the lowest possibly free address; null if there is none. */
  low?: string | null;
  taken?: number;
  /** When the mark was set from the first address. */
  checked_at?: Date;
}

/** A subnet to search. */
export interface SearchedSubnet {
  readonly id: string;
  readonly network_id: string;
  readonly space: AddressSpace;
}

/** How many addresses to find; `others` are keys that the same requests will use. */
export interface Search {
  readonly count: number;
  readonly others: ReadonlySet<string>;
  readonly session?: ClientSession | undefined;
}

export interface AddressCollections {
  readonly freed: ScopedCollection<FreeAddressDocument>;
  readonly interfaces: ScopedCollection<EntityDocument>;
}

/** Interfaces of a subnet with keys, except those of hidden hosts. */
export function usedIn(scope: Scope, subnetId: string, key: Document): Scoped & Document {
  const gone = [...(scope.hidden?.hosts ?? [])];
  return {
    organization_id: scope.organizationId,
    subnet_id: subnetId,
    ip_key: key,
    ...(gone.length > 0 && { host_id: { $nin: gone } }),
  };
}

/** Used keys, ascending; duplicates are repeated. */
export async function* usedFrom(
  { interfaces }: AddressCollections,
  scope: Scope,
  subnetId: string,
  { from, limit, session }: { from: string; limit?: number; session?: ClientSession | undefined },
): AsyncGenerator<string> {
  const batches = limit === undefined ? {} : { limit, batchSize: limit };
  const options = { projection: { _id: 0, ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX, session, ...batches } as const;
  const cursor = interfaces.find(usedIn(scope, subnetId, { $gte: from }), options).sort({ ip_key: 1 });
  for await (const { ip_key } of cursor) yield String(ip_key);
}

/** The result of a search from the mark; the mark may move to `mark` if only found addresses follow. */
interface FoundAbove {
  readonly found: bigint[];
  mark: bigint;
  isUsed: boolean;
}

/** Free addresses from the mark on. */
export async function findAbove(
  collections: AddressCollections,
  scope: Scope,
  { id, space }: SearchedSubnet,
  { low, count, others, session }: Search & { readonly low: string },
): Promise<FoundAbove> {
  let at = pastReserved(space, numberOf(low));
  const above: FoundAbove = { found: [], mark: at, isUsed: false };
  const { found } = above;
  const pass = (isFound: boolean): void => {
    const isAtMark = above.mark === at;
    at = pastReserved(space, at + 1n);
    if (isFound && isAtMark) above.mark = at;
  };
  const fillTo = (end: bigint): void => {
    while (found.length < count && at < end) {
      const isOther = others.has(keyAt(space, at));
      if (!isOther) found.push(at);
      pass(!isOther);
    }
  };
  if (at > space.last) return above;
  for await (const key of usedFrom(collections, scope, id, { from: keyAt(space, at), session })) {
    const used = numberOf(key);
    if (used > space.last) break;
    fillTo(used);
    if (found.length === count) break;
    if (used === at) {
      above.isUsed ||= above.mark === at && found.length === 0;
      pass(false);
    }
  }
  fillTo(space.last + 1n);
  return above;
}

/** Free addresses below the mark, and stale entries. */
export async function findBelow(
  collections: AddressCollections,
  scope: Scope,
  { id, space }: SearchedSubnet,
  { low, count, others, session }: Search & { readonly low: string },
): Promise<{ found: bigint[]; stale: string[] }> {
  const found: bigint[] = [];
  const stale: string[] = [];
  const projection = { _id: 0, ip_key: 1 } as const;
  const options = { session, projection, hint: INTERFACE_ADDRESSES_INDEX };
  for (let after = ""; found.length < count;) {
    const { keys, end } = await freedBetween(collections, scope, id, { after, low, session });
    const used =
      keys.length === 0 ? [] : await collections.interfaces.find(usedIn(scope, id, { $in: keys }), options).toArray();
    const taken = new Set(used.map(({ ip_key }) => String(ip_key)));
    for (const key of keys.filter((one) => !others.has(one))) {
      if (found.length === count) break;
      if (!taken.has(key) && isGivable(space, numberOf(key))) found.push(numberOf(key));
      else stale.push(key);
    }
    if (end === END) break;
    after = end;
  }
  return { found, stale };
}

/** Unreserved keys with an entry, or of hidden hosts; ascending, up to the `end` that both lists cover. */
async function freedBetween(
  { freed, interfaces }: AddressCollections,
  { organizationId: organization_id, hidden }: Scope,
  subnet_id: string,
  { after, low, session }: { after: string; low: string; session?: ClientSession | undefined },
): Promise<{ keys: string[]; end: string }> {
  const between = { $gt: after, $lt: low };
  const entries = await freed
    .find({ organization_id, subnet_id, key: between }, { session, projection: { key: 1, held_until: 1 } })
    .sort({ key: 1 })
    .limit(AT_ONCE)
    .toArray();
  const onGone = { organization_id, subnet_id, ip_key: between, host_id: { $in: [...(hidden?.hosts ?? [])] } };
  const options = { session, projection: { ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX };
  const gone =
    onGone.host_id.$in.length === 0
      ? []
      : await interfaces.find(onGone, options).sort({ ip_key: 1 }).limit(AT_ONCE).toArray();
  const lists = [entries.map(({ key }) => key ?? ""), gone.map(({ ip_key }) => String(ip_key))];
  const [end = END] = lists.map((keys) => (keys.length < AT_ONCE ? END : (keys.at(-1) ?? END))).sort();
  const reserved = new Set(entries.filter(isReserved).map(({ key }) => key));
  return { keys: [...new Set(lists.flat())].sort().filter((key) => key <= end && !reserved.has(key)), end };
}

function isReserved({ held_until }: Pick<FreeAddressDocument, "held_until">): boolean {
  return held_until !== undefined && held_until.getTime() > Date.now();
}
