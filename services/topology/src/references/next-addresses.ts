import type { ClientSession } from "mongodb";
import { NEXT_ADDRESS, type Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireWanted, type Work } from "@nts/shared/work";
import type { Storage } from "../storage/storage.js";
import type { HeldAddresses } from "../storage/stores/addresses.js";
import { type AddressSpace, isGivable, keyAt, numberOf, spaceOf, textAt } from "../values/address-space.js";
import { parseAddress } from "../values/addresses.js";
import type { PlacedAddress } from "./addresses-on.js";

// An address that is asked for as "next" is held before the transaction that uses it begins, and given back when that is undone.

/** Thrown by {@link Placed.use}: another writer has taken the reserved address, and the request is tried again. */
class Lost extends Error {
  override readonly name = "Lost";
}

/** What was asked for, with an address wherever the next one was. */
export interface Placed<T> {
  readonly placed: readonly T[];
  /** Uses the addresses in the transaction that needs them. */
  use(tx: ClientSession): Promise<void>;
}

export interface Placing<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly networkId: string;
  readonly asked: readonly T[];
}

/**
 * Runs a write with the lowest free addresses wherever the next one is asked for, in the order of the list. A dry run holds
 * nothing, and is told what is free at the moment.
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
    requireWanted(work);
    const all: HeldAddresses[] = [];
    const giveBack = async (): Promise<void> => {
      for (const held of all) await storage.addresses.giveBack(scope, held).catch(() => undefined);
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

/** @param all gets what is held for the request, also when it fails */
async function place<T extends PlacedAddress>(
  storage: Storage,
  { work, scope, networkId, asked }: Placing<T>,
  all: HeldAddresses[],
): Promise<T[]> {
  const isDry = work.unit?.isDry === true;
  const given = new Map<string, string[]>();
  for (const subnet of await subnetsOf(storage, scope, networkId, asked)) {
    const mine = asked.filter(({ subnet_id }) => subnet_id === subnet.id);
    const others = new Set(mine.flatMap((one) => (isNext(one) ? [] : [parseAddress(one.ip_address).key])));
    const wanting = { work, scope, subnet, count: mine.filter(isNext).length, others };
    const held = isDry ? await peek(storage, wanting) : await storage.desk.hold(wanting);
    if (!isDry) all.push(held);
    given.set(subnet.id, held.keys.map((key) => textAt(subnet.space, numberOf(key)))); // prettier-ignore
  }
  return asked.map((one) => (isNext(one) ? { ...one, ip_address: given.get(one.subnet_id)?.shift() ?? "" } : one));
}

type Searched = Pick<Subnet, "id" | "network_id" | "cidr"> & { readonly space: AddressSpace };

/** The subnets that next addresses are asked of; in one order for all, so that no two requests wait for each other. */
async function subnetsOf(
  { subnets }: Pick<Storage, "subnets">,
  scope: Scope,
  networkId: string,
  asked: readonly PlacedAddress[],
): Promise<Searched[]> {
  const wanted = asked.filter(isNext);
  const ids = [...new Set(wanted.map(({ subnet_id }) => subnet_id))].sort();
  const found: Searched[] = [];
  for (const id of ids) {
    const path = `${wanted.find(({ subnet_id }) => subnet_id === id)?.prefix ?? ""}subnet_id`;
    const stored = await subnets.find(scope, id);
    if (stored === null) throw new AppError("invalid_reference", { path });
    if (stored.entity.network_id !== networkId) throw new AppError("network_mismatch", { path });
    found.push({ ...stored.entity, space: spaceOf(stored.entity) });
  }
  return found;
}

/** What would be held at the moment. */
async function peek(
  { addresses }: Pick<Storage, "addresses">,
  { scope, subnet, count, others }: { scope: Scope; subnet: Searched; count: number; others: ReadonlySet<string> },
): Promise<HeldAddresses> {
  const found = await addresses.lowest(scope, subnet, { count, others });
  if (found.length < count) throw new AppError("subnet_full", { subnet_id: subnet.id, cidr: subnet.cidr });
  return { holder: "", subnetId: subnet.id, keys: found.map((address) => keyAt(subnet.space, address)) };
}

/** @throws Lost */
async function use(
  { addresses, subnets }: Pick<Storage, "addresses" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  all: readonly HeldAddresses[],
): Promise<void> {
  for (const held of all) {
    if (!(await addresses.use(tx, scope, held))) throw new Lost();
    // Its block or its reserved ranges may have changed since.
    const subnet = await subnets.find(scope, held.subnetId, tx);
    const space = subnet === null ? null : spaceOf(subnet.entity);
    if (space === null || !held.keys.every((key) => isGivable(space, numberOf(key)))) throw new Lost();
  }
}

function isNext({ ip_address }: PlacedAddress): boolean {
  return ip_address === NEXT_ADDRESS;
}
