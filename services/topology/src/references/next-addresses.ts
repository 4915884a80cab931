import type { ClientSession } from "mongodb";
import { NEXT_ADDRESS, type Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import type { Storage } from "../storage/storage.js";
import type { ReservedAddresses } from "../storage/stores/addresses.js";
import { type AddressSpace, isGivable, keyAt, numberOf, spaceOf, textAt } from "../values/address-space.js";
import { parseAddress } from "../values/addresses.js";
import type { PlacedAddress } from "./addresses-on.js";

// An address requested as "next" is reserved before the transaction that uses it, and released if that fails.

/** Thrown by {@link Placed.use} if another writer has taken the reserved address; the request is retried. */
class Lost extends Error {
  override readonly name = "Lost";
}

/** The request with "next" replaced by addresses. */
export interface Placed<T> {
  readonly placed: readonly T[];
  /** Consumes the addresses in the transaction that needs them. */
  use(tx: ClientSession): Promise<void>;
}

export interface Placing<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly networkId: string;
  readonly asked: readonly T[];
}

/**
 * Runs a write with the lowest free addresses in place of "next", in list order. A dry run reserves nothing, and
 * gets the addresses that are free now.
 *
 * @throws AppError `subnet_full` · `invalid_reference` · `network_mismatch` · `write_conflict`
 */
export async function withNextAddresses<T extends PlacedAddress, Result>(
  storage: Storage,
  { work, scope, networkId, asked }: Placing<T>,
  write: (placed: Placed<T>) => Promise<Result>,
): Promise<Result> {
  if (!asked.some(isNext)) return write({ placed: asked, use: () => Promise.resolve() });
  for (;;) {
    requireNotAbandoned(work);
    const all: ReservedAddresses[] = [];
    const giveBack = async (): Promise<void> => {
      for (const reserved of all) await storage.addresses.giveBack(scope, reserved).catch(() => undefined);
    };
    work.unit?.afterUndone(giveBack);
    try {
      const placed = await place(storage, { work, scope, networkId, asked }, all);
      return await write({ placed, use: (tx) => use(storage, tx, scope, all) });
    } catch (error) {
      await giveBack();
      if (!(error instanceof Lost)) throw error;
    }
  }
}

/** @param all collects the reservations, also on failure */
async function place<T extends PlacedAddress>(
  storage: Storage,
  { work, scope, networkId, asked }: Placing<T>,
  all: ReservedAddresses[],
): Promise<T[]> {
  const isDry = work.unit?.isDry === true;
  const given = new Map<string, string[]>();
  for (const subnet of await subnetsOf(storage, scope, networkId, asked)) {
    const mine = asked.filter(({ subnet_id }) => subnet_id === subnet.id);
    const others = new Set(mine.flatMap((one) => (isNext(one) ? [] : [parseAddress(one.ip_address).key])));
    const wanting = { work, scope, subnet, count: mine.filter(isNext).length, others };
    const reserved = isDry ? await peek(storage, wanting) : await storage.addressAllocator.reserve(wanting);
    if (!isDry) all.push(reserved);
    given.set(subnet.id, reserved.keys.map((key) => textAt(subnet.space, numberOf(key)))); // prettier-ignore
  }
  return asked.map((one) => (isNext(one) ? { ...one, ip_address: given.get(one.subnet_id)?.shift() ?? "" } : one));
}

type Searched = Pick<Subnet, "id" | "network_id" | "cidr"> & { readonly space: AddressSpace };

/** The subnets of "next" addresses, in a global order to avoid deadlocks. */
async function subnetsOf(
  { subnets }: Pick<Storage, "subnets">,
  scope: Scope,
  networkId: string,
  asked: readonly PlacedAddress[],
): Promise<Searched[]> {
  const requested = asked.filter(isNext);
  const ids = [...new Set(requested.map(({ subnet_id }) => subnet_id))].sort();
  const found: Searched[] = [];
  for (const id of ids) {
    const path = `${requested.find(({ subnet_id }) => subnet_id === id)?.prefix ?? ""}subnet_id`;
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
