import type { TopologyDirectory } from "../../topology/directory.js";
import type { ForgetNetworks } from "../../rights/forget-networks.js";

/** Removes deleted networks from their holders. The networks existed at some time. */
export type RemoveDeletedNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

export function createRemoveDeletedNetworks(
  forgetNetworks: ForgetNetworks,
  topology: Pick<TopologyDirectory, "networksIn">,
): RemoveDeletedNetworks {
  return async (organizationId, networkIds) => {
    if (networkIds.length === 0) return;
    const living = new Set(await topology.networksIn({ organizationId, networks: "all" }));
    const dead = networkIds.filter((id) => !living.has(id));
    if (dead.length > 0) await forgetNetworks(organizationId, dead);
  };
}
