import type { ClientSession } from "mongodb";
import { NEXT_ADDRESS, type Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import type { Storage } from "../storage/storage.js";
import type { ReservedAddresses } from "../storage/stores/addresses.js";
import { type AddressSpace, isGivable, keyAt, numberOf, spaceOf, textAt } from "../values/address-space.js";
import { parseAddress } from "../values/addresses.js";
import type { PlacedAddress } from "./references.rules.js";

// An address requested as "next" is taken in the transaction that uses it. If other requests are first, it is reserved
// before that transaction, and released if that fails.

/** Thrown by a transaction that takes no address itself; it is to be reserved. */
class NotTaken extends Error {
  override readonly name = "NotTaken";
}

/** Thrown by a transaction if another writer has taken the reserved address; the request is retried. */
class Lost extends Error {
  override readonly name = "Lost";
}

/**
 * Replaces "next" by addresses, in the transaction that needs them.
 *
 * @param attempt as in `TransactionBody`
 */
export type PlaceAddresses<T> = (tx: ClientSession, attempt?: number) => Promise<readonly T[]>;

export interface Placing<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly networkId: string;
  readonly requested: readonly T[];
}

/**
 * Runs a write with the lowest free addresses in place of "next", in list order. A dry run reserves nothing, and
 * gets the addresses that are free now.
 *
 * @throws AppError `quota_exceeded` · `subnet_full` · `invalid_reference` · `network_mismatch` · `write_conflict`
 */
export async function withNextAddresses<T extends PlacedAddress, Result>(
  storage: Storage,
  placing: Placing<T>,
  write: (place: PlaceAddresses<T>) => Promise<Result>,
): Promise<Result> {
  const { work, scope, requested } = placing;
  if (!requested.some(isNext)) return write(() => Promise.resolve(requested));
  // Before anything is reserved.
  await storage.quota.require(scope);
  try {
    return await takingInside(storage, placing, write);
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
  }
  for (;;) {
    requireNotAbandoned(work);
    const all: ReservedAddresses[] = [];
    const giveBack = async (): Promise<void> => {
      for (const reserved of all) await storage.addresses.giveBack(scope, reserved).catch(() => undefined);
    };
    work.unit?.afterUndone(giveBack);
    try {
      const placed = await reserve(storage, placing, all);
      return await write(async (tx) => {
        await use(storage, tx, scope, all);
        return placed;
      });
    } catch (error) {
      await giveBack();
      if (!(error instanceof Lost)) throw error;
    }
  }
}

/** Takes the addresses in the transaction of the write. @throws NotTaken */
async function takingInside<T extends PlacedAddress, Result>(
  storage: Storage,
  { work, scope, networkId, requested }: Placing<T>,
  write: (place: PlaceAddresses<T>) => Promise<Result>,
): Promise<Result> {
  const [id, ...others] = new Set(requested.filter(isNext).map(({ subnet_id }) => subnet_id));
  if (id === undefined || others.length > 0 || work.unit?.isDry === true) throw new NotTaken();
  let end = (): void => undefined;
  const place: PlaceAddresses<T> = async (tx, attempt = 0) => {
    const begun = attempt === 0 ? storage.addressAllocator.alone(id) : null;
    if (begun === null) throw new NotTaken();
    end = begun;
    return placedIn(requested, new Map([[id, await take(storage, tx, scope, { id, networkId, requested })]]));
  };
  try {
    return await write(place);
  } finally {
    end();
  }
}

/** The texts of the taken addresses. @throws NotTaken */
async function take(
  { addresses, subnets }: Pick<Storage, "addresses" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  { id, networkId, requested }: { id: string; networkId: string; requested: readonly PlacedAddress[] },
): Promise<string[]> {
  const stored = await subnets.find(scope, id, tx);
  // The search for a reservation says what is wrong.
  if (stored?.entity.network_id !== networkId) throw new NotTaken();
  const space = spaceOf(stored.entity);
  const request = requestFor(id, requested);
  const found = await addresses.take(tx, scope, { id, network_id: networkId, space }, { ...request, holder: null });
  if (typeof found === "string" || found.length < request.count) throw new NotTaken();
  return found.map((address) => textAt(space, address));
}

/** How many next addresses of a subnet are requested, and which others. */
function requestFor(subnetId: string, requested: readonly PlacedAddress[]): { count: number; others: Set<string> } {
  const mine = requested.filter(({ subnet_id }) => subnet_id === subnetId);
  const others = mine.flatMap((one) => (isNext(one) ? [] : [parseAddress(one.ip_address).key]));
  return { count: mine.filter(isNext).length, others: new Set(others) };
}

/** The request with given addresses of subnets. */
function placedIn<T extends PlacedAddress>(requested: readonly T[], given: ReadonlyMap<string, string[]>): T[] {
  return requested.map((one) => (isNext(one) ? { ...one, ip_address: given.get(one.subnet_id)?.shift() ?? "" } : one));
}

/**
 * The request with addresses reserved before its transaction.
 *
 * @param all collects the reservations, also on failure
 */
async function reserve<T extends PlacedAddress>(
  storage: Storage,
  { work, scope, networkId, requested }: Placing<T>,
  all: ReservedAddresses[],
): Promise<T[]> {
  const isDry = work.unit?.isDry === true;
  const given = new Map<string, string[]>();
  for (const subnet of await subnetsOf(storage, scope, networkId, requested)) {
    const wanting = { work, scope, subnet, ...requestFor(subnet.id, requested) };
    const reserved = isDry ? await peek(storage, wanting) : await storage.addressAllocator.reserve(wanting);
    if (!isDry) all.push(reserved);
    given.set(
      subnet.id,
      reserved.keys.map((key) => textAt(subnet.space, numberOf(key))),
    );
  }
  return placedIn(requested, given);
}

type Searched = Pick<Subnet, "id" | "network_id" | "cidr"> & { readonly space: AddressSpace };

/** The subnets of "next" addresses, in a global order to avoid deadlocks. */
async function subnetsOf(
  { subnets }: Pick<Storage, "subnets">,
  scope: Scope,
  networkId: string,
  requested: readonly PlacedAddress[],
): Promise<Searched[]> {
  const next = requested.filter(isNext);
  const ids = [...new Set(next.map(({ subnet_id }) => subnet_id))].sort();
  const found: Searched[] = [];
  for (const id of ids) {
    const path = `${next.find(({ subnet_id }) => subnet_id === id)?.prefix ?? ""}subnet_id`;
    const stored = await subnets.find(scope, id);
    if (stored === null) throw new AppError("invalid_reference", { path });
    if (stored.entity.network_id !== networkId) throw new AppError("network_mismatch", { path });
    found.push({ ...stored.entity, space: spaceOf(stored.entity) });
  }
  return found;
}

/** What would be reserved now. */
async function peek(
  { addresses }: Pick<Storage, "addresses">,
  { scope, subnet, count, others }: { scope: Scope; subnet: Searched; count: number; others: ReadonlySet<string> },
): Promise<ReservedAddresses> {
  const found = await addresses.lowest(scope, subnet, { count, others });
  if (found.length < count) throw new AppError("subnet_full", { subnet_id: subnet.id, cidr: subnet.cidr });
  return { holder: "", subnetId: subnet.id, keys: found.map((address) => keyAt(subnet.space, address)) };
}

/** @throws Lost */
async function use(
  { addresses, subnets }: Pick<Storage, "addresses" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  all: readonly ReservedAddresses[],
): Promise<void> {
  for (const reserved of all) {
    if (!(await addresses.use(tx, scope, reserved))) throw new Lost();
    // Its CIDR or reserved ranges may have changed since.
    const subnet = await subnets.find(scope, reserved.subnetId, tx);
    const space = subnet === null ? null : spaceOf(subnet.entity);
    if (space === null || !reserved.keys.every((key) => isGivable(space, numberOf(key)))) throw new Lost();
  }
}

function isNext({ ip_address }: PlacedAddress): boolean {
  return ip_address === NEXT_ADDRESS;
}
