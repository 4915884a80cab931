import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Storage } from "../storage/storage.js";
import { requireReferences, networkClaim, tagClaims } from "./claims.js";

/**
 * Inserts subnets of one network with their guards. @throws AppError `invalid_reference` if the network or a tag does
 * not exist
 */
export async function insertSubnets(
  { guards, subnets }: Pick<Storage, "guards" | "subnets">,
  tx: ClientSession,
  scope: Scope,
  { networkId, inserted }: { networkId: string; inserted: readonly Subnet[] },
): Promise<void> {
  if (inserted.length === 0) return;
  const tags = inserted.flatMap((subnet) => tagClaims(subnet.tags));
  await requireReferences(guards, tx, scope, [networkClaim(networkId, { subnets: inserted.length }), ...tags]);
  await subnets.insert(tx, scope, inserted);
  const owned = { kind: "subnet", organization_id: scope.organizationId, network_id: networkId } as const;
  await guards.create(tx, inserted.map(({ id }) => ({ target: id, ...owned }))); // prettier-ignore
}
