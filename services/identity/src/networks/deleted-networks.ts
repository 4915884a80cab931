import type { TopologyDirectory } from "../topology.js";
import type { ForgetNetworks } from "./forget-networks.js";

/** Removes deleted networks from their holders. The networks existed at some time. */
export type DropDeadNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

export function createDropDeadNetworks(
  forgetNetworks: ForgetNetworks,
  topology: Pick<TopologyDirectory, "networksIn">,
): DropDeadNetworks {
  return async (organizationId, networkIds) => {
    if (networkIds.length === 0) return;
    const living = new Set(await topology.networksIn({ organizationId, networks: "all" }));
    const dead = networkIds.filter((id) => !living.has(id));
    if (dead.length > 0) await forgetNetworks(organizationId, dead);
  };
}
