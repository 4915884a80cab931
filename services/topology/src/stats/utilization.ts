import type { Subnet } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Storage } from "../storage/storage.js";
import { keyAt, sizesOf, type Span, spaceOf, within } from "../values/address-space.js";

/** Numbers of addresses of a subnet. */
export type Amounts = Readonly<Record<"size" | "used" | "reserved" | "free", bigint>>;

/** Counts the addresses of a subnet, and those of each reserved range. */
export async function amountsOf(
  { addresses }: Pick<Storage, "addresses">,
  scope: Scope,
  subnet: Pick<Subnet, "id" | "cidr" | "reserved">,
): Promise<Amounts> {
  const space = spaceOf(subnet);
  const sizes = sizesOf(space);
  const usedIn = async ({ first, last }: Span): Promise<bigint> =>
    BigInt(await addresses.countUsed(scope, subnet.id, { from: keyAt(space, first), to: keyAt(space, last) }));
  const used = await usedIn(space);
  let reserved = sizes.reserved;
  for (const span of space.reserved) reserved -= await usedIn(within(span, space));
  return { size: sizes.size, used, reserved, free: sizes.size - used - reserved };
}

/** The members of JSON with these amounts. Built by hand: JSON integers have any size, JavaScript's do not. */
export function membersOf(amounts: Amounts): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `"${name}":${amount}`)
    .join(",");
}
