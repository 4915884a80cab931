import type { Cause } from "@nts/shared/http/headers";
import type { TopologyDirectory } from "../topology.js";
import type { ForgetNetworks } from "./forget-networks.js";

/** What was read, and what is known of the organization's networks. */
export interface NetworksHeld {
  readonly organizationId: string;
  readonly holders: readonly { readonly network_ids: readonly string[] | null }[];
  /** Networks that existed at some time; others are asked for. */
  readonly known: readonly string[];
  /** Absent where nobody asked. */
  readonly cause?: Cause;
}

/** Takes dead networks off whoever holds them; true when there were any, so that the holders have to be read again. */
export type DeadNetworkSweep = (held: NetworksHeld) => Promise<boolean>;

/** Makes the function that looks for networks that were deleted while no notice of it came through. */
export function createDeadNetworkSweep(
  forgetNetworks: ForgetNetworks,
  topology: Pick<TopologyDirectory, "networksIn">,
): DeadNetworkSweep {
  return async ({ organizationId, holders, known, cause }) => {
    const unknown = new Set(holders.flatMap(({ network_ids }) => network_ids ?? []));
    for (const id of known) unknown.delete(id);
    if (unknown.size === 0) return false;
    // Asked after the holders were read: what they hold existed before, so what does not exist now was deleted.
    const living = await topology.networksIn({ organizationId, networks: "all" }, cause);
    const dead = [...unknown].filter((id) => !living.includes(id));
    if (dead.length > 0) await forgetNetworks(organizationId, dead);
    return dead.length > 0;
  };
}
