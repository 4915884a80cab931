import { PERMISSIONS, isAtLeast, type Permission } from "@nts/shared/contract/endpoint";

const WITH_ALL_NETWORKS = PERMISSIONS.filter((level) => isAtLeast(level, "Admin"));

/** A filter for holders with access to a network, by level and granted networks. */
export function reaching(networkId: string): {
  $or: [{ permissions: { $in: Permission[] } }, { network_ids: string }];
} {
  return { $or: [{ permissions: { $in: WITH_ALL_NETWORKS } }, { network_ids: networkId }] };
}
