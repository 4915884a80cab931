import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Storage } from "../storage/storage.js";
import { parseBlock } from "../values/addresses.js";
import type { PlacedAddress } from "./references.rules.js";

/**
 * Checks that addresses fit their claimed subnets.
 *
 * @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet`
 */
export async function checkAddresses(
  { subnets }: Pick<Storage, "subnets">,
  tx: ClientSession,
  scope: Scope,
  addresses: readonly (PlacedAddress & { readonly network_id: string })[],
): Promise<void> {
  if (addresses.length === 0) return;
  const ids = [...new Set(addresses.map(({ subnet_id }) => subnet_id))];
  const found = await subnets.findMany(scope, { _id: { $in: ids } }, tx);
  const byId = new Map(found.map(({ entity }) => [entity.id, { ...entity, block: parseBlock(entity.cidr, "cidr") }]));
  for (const { network_id, subnet_id, ip_address, prefix = "" } of addresses) {
    const path = `${prefix}subnet_id`;
    const subnet = byId.get(subnet_id);
    if (subnet === undefined) throw new AppError("invalid_reference", { path });
    if (subnet.network_id !== network_id) throw new AppError("network_mismatch", { path });
    if (!subnet.block.contains(ip_address)) throw new AppError("ip_outside_subnet", { ip_address, cidr: subnet.cidr });
  }
}
