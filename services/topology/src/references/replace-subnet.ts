import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { parseBlock } from "../values/addresses.js";

/** A subnet before and after. */
export interface SubnetChange {
  readonly current: Stored<Subnet>;
  readonly next: Stored<Subnet>;
}

/** Stores a changed subnet. @throws AppError `ip_outside_subnet` if an address would no longer fit */
export async function replaceSubnet(
  { addresses, guards, interfaces, subnets }: Pick<Storage, "addresses" | "guards" | "interfaces" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  { current, next }: SubnetChange,
): Promise<void> {
  const { id, cidr, reserved } = next.entity;
  const isSameBlock = cidr === current.entity.cidr;
  if (!isSameBlock || JSON.stringify(reserved) !== JSON.stringify(current.entity.reserved)) {
    await guards.lockAll(tx, scope, id);
    await addresses.reset(tx, scope, id);
  }
  if (!isSameBlock) {
    const block = parseBlock(cidr, "cidr");
    // Concurrently added addresses were checked against the old CIDR; their writer conflicts with the lock.
    for (const { entity } of await interfaces.findMany(scope, { subnet_id: id }, tx))
      if (!block.contains(entity.ip_address))
        throw new AppError("ip_outside_subnet", { ip_address: entity.ip_address, cidr });
  }
  await subnets.replace(tx, scope, [next]);
}
