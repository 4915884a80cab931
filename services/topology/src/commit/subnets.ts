import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { STORED } from "../storage/entity-reader.js";
import { INTERFACE_ADDRESSES_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { parseBlock } from "../values/addresses.js";
import type { Change } from "./changes.rules.js";

/** Stores a changed subnet. @throws AppError `ip_outside_subnet` if an address would no longer fit */
export async function replaceSubnet(
  { addresses, guards, interfaces, subnets }: Pick<Storage, "addresses" | "guards" | "interfaces" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  { before, after }: Change<Subnet>,
): Promise<void> {
  const { id, cidr, reserved } = after.entity;
  const isSameBlock = cidr === before.entity.cidr;
  if (!isSameBlock || JSON.stringify(reserved) !== JSON.stringify(before.entity.reserved)) {
    await guards.lockAll(tx, scope, id);
    await addresses.reset(tx, scope, id);
  }
  if (!isSameBlock) {
    // Concurrently added addresses were checked against the old CIDR; their writer conflicts with the lock.
    const ip_address = await addressOutside(interfaces, tx, scope, { id, cidr });
    if (ip_address !== null) throw new AppError("ip_outside_subnet", { ip_address, cidr });
  }
  await subnets.replace(tx, scope, [after]);
}

/** The lowest address below a block, otherwise the lowest one above. */
async function addressOutside(
  interfaces: Storage["interfaces"],
  tx: ClientSession,
  scope: Scope,
  { id: subnet_id, cidr }: Pick<Subnet, "id" | "cidr">,
): Promise<string | null> {
  const { first, last } = parseBlock(cidr, "cidr");
  const options = { projection: STORED, sort: { ip_key: 1 }, limit: 1, hint: INTERFACE_ADDRESSES_INDEX } as const;
  // A query for each side, which reads one entry of the index.
  for (const ip_key of [{ $lt: first }, { $gt: last }]) {
    const [found] = await interfaces.selectIn(tx, scope, { subnet_id, ip_key }, options);
    if (found !== undefined) return interfaces.storedIn(found, scope).entity.ip_address;
  }
  return null;
}
