import type { ClientSession } from "mongodb";
import { NEXT_ADDRESS } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import { spaceOf, textAt } from "../values/address-space.js";
import { parseAddress } from "../values/addresses.js";
import type { SearchedSubnet } from "../storage/stores/free-addresses.js";
import type { Storage } from "../storage/storage.js";
import { type PlacedAddress, subnetClaims } from "./addresses-on.js";
import { requireReferences } from "./claims.js";

// An address that is asked for as "next" is chosen in the transaction that uses it.

/** Why a subnet is full: its mark was moved to find out, which the refusal undoes. */
class MarkMoved {
  constructor(readonly subnetId: string) {}
}

/** Moves of the mark after which nothing is left to be found: to where others stopped, and from the first address on. */
const MOVES = 2;

/** What the transactions that take addresses of these subnets have in common: those of one process run one after another. */
export function nextAddressKeys(addresses: readonly PlacedAddress[]): string[] {
  return addresses.flatMap((one) => (one.ip_address === NEXT_ADDRESS ? [`addresses:${one.subnet_id}`] : []));
}

/** Collides at once with whoever else takes an address of the subnets, before anything else is done in vain. */
export async function lockMarks(
  { addresses }: Pick<Storage, "addresses">,
  tx: ClientSession,
  scope: Scope,
  asked: readonly PlacedAddress[],
): Promise<void> {
  const subnetIds = new Set(asked.filter(isNext).map(({ subnet_id }) => subnet_id));
  if (subnetIds.size > 0) await addresses.lock(tx, scope, [...subnetIds]);
}

/** Runs what may find a subnet full, and keeps what was found out then: the next refusal costs nothing. */
export async function keepingMarks<T>(
  storage: Storage,
  { work, scope }: { readonly work: Work; readonly scope: Scope },
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { unit, ...plain } = work;
    const cause = error instanceof AppError ? error.cause : undefined;
    if (cause instanceof MarkMoved && unit?.isDry !== true)
      await moveMark(storage, { work: plain, scope }, cause.subnetId);
    throw error;
  }
}

async function moveMark(
  storage: Storage,
  { work, scope }: { readonly work: Work; readonly scope: Scope },
  subnetId: string,
): Promise<void> {
  const { guards, subnets, transaction } = storage;
  await transaction(work, [`addresses:${subnetId}`], async (tx) => {
    // Written, so that it collides with whoever changes or deletes the subnet.
    await requireReferences(guards, tx, scope, subnetClaims([{ subnet_id: subnetId, ip_address: NEXT_ADDRESS }]));
    const { entity } = await subnets.get(scope, subnetId, tx);
    await move(storage, tx, scope, { subnet: { ...entity, space: spaceOf(entity) }, isAnew: true });
  });
}

/** Who frees an address counts it in the network: nobody does while the mark passes addresses that are used. */
async function move(
  { addresses, guards }: Pick<Storage, "addresses" | "guards">,
  tx: ClientSession,
  scope: Scope,
  { subnet, isAnew }: { readonly subnet: SearchedSubnet; readonly isAnew: boolean },
): Promise<void> {
  await guards.lockAll(tx, scope, subnet.network_id);
  await addresses.move(tx, scope, subnet, isAnew);
}

/**
 * The same with an address wherever the next one was asked for: the lowest that is free, in the order of the list.
 *
 * @throws AppError `subnet_full` · `invalid_reference` · `network_mismatch`
 */
export async function withAddresses<T extends PlacedAddress>(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { networkId, asked }: { networkId: string; asked: readonly T[] },
): Promise<T[]> {
  const { addresses, subnets } = storage;
  const given = new Map<string, string[]>();
  for (const subnetId of new Set(asked.flatMap((one) => (isNext(one) ? [one.subnet_id] : [])))) {
    const inIt = asked.filter(({ subnet_id }) => subnet_id === subnetId);
    const path = `${inIt.find(isNext)?.prefix ?? ""}subnet_id`;
    const found = await subnets.find(scope, subnetId, tx);
    if (found === null) throw new AppError("invalid_reference", { path });
    const { entity } = found;
    if (entity.network_id !== networkId) throw new AppError("network_mismatch", { path });
    const space = spaceOf(entity);
    const others = new Set(inIt.flatMap((one) => (isNext(one) ? [] : [parseAddress(one.ip_address).key])));
    const wanted = { count: inIt.filter(isNext).length, others };
    const subnet = { id: subnetId, network_id: networkId, space };
    let taken = await addresses.take(tx, scope, subnet, wanted);
    let moves = 0;
    for (; (taken === "move" || taken === "move anew") && moves < MOVES; moves++) {
      await move(storage, tx, scope, { subnet, isAnew: taken === "move anew" });
      taken = await addresses.take(tx, scope, subnet, wanted);
    }
    if (typeof taken === "string")
      throw new AppError(
        "subnet_full",
        { subnet_id: subnetId, cidr: entity.cidr },
        moves > 0 && new MarkMoved(subnetId),
      );
    given.set(
      subnetId,
      taken.map((address) => textAt(space, address)),
    );
  }
  return asked.map((one) => (isNext(one) ? { ...one, ip_address: given.get(one.subnet_id)?.shift() ?? "" } : one));
}

function isNext({ ip_address }: PlacedAddress): boolean {
  return ip_address === NEXT_ADDRESS;
}
