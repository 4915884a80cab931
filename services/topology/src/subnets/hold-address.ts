import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { parseBlock } from "../addresses.js";
import type { Storage } from "../storage/storage.js";

/**
 * Checks that an address may stand in a subnet, and keeps the subnet from being deleted or cut until the transaction
 * ends. @param prefix of the paths in errors
 *
 * @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet`
 */
export async function holdAddress(
  { guards, subnets }: Pick<Storage, "guards" | "subnets">,
  session: ClientSession,
  scope: Scope,
  {
    subnetId,
    networkId,
    address,
    prefix = "",
  }: { subnetId: string; networkId: string; address: string; prefix?: string },
): Promise<void> {
  const path = `${prefix}subnet_id`;
  const subnet = await subnets.find(scope, subnetId, session);
  if (subnet === null || !(await guards.hold(session, scope, subnetId, "subnet")))
    throw new AppError("invalid_reference", { path });
  if (subnet.entity.network_id !== networkId) throw new AppError("network_mismatch", { path });
  const { cidr } = subnet.entity;
  if (!parseBlock(cidr, path).contains(address)) throw new AppError("ip_outside_subnet", { ip_address: address, cidr });
}
