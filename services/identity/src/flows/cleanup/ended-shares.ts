import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { CollectorStore } from "../../storage/collectors.js";
import type { ShareStore } from "../../storage/shares.js";
import type { TopologyDirectory } from "../../topology/directory.js";

/** Ends the collectors of deleted networks. Topology refuses their reports already. */
export type EndCollectors = (organizationId: string) => Promise<void>;

export function createEndCollectors(
  collectors: Pick<CollectorStore, "all" | "remove">,
  changeRights: ChangeRights,
  topology: Pick<TopologyDirectory, "networksIn">,
): EndCollectors {
  return async (organizationId) => {
    const all = await collectors.all(organizationId);
    if (all.length === 0) return;
    const networks = new Set(await topology.networksIn({ organizationId, networks: "all" }));
    for (const collector of all.filter(({ network_id }) => !networks.has(network_id)))
      await changeRights(BACKGROUND, [collector._id], (tx) => collectors.remove(collector, tx));
  };
}

/** Ends the shares of an organization of which the view or the network was deleted. Topology refuses them already. */
export type EndShares = (organizationId: string) => Promise<void>;

export function createEndShares(
  shares: Pick<ShareStore, "shownIn" | "remove">,
  changeRights: ChangeRights,
  topology: Pick<TopologyDirectory, "networksIn" | "viewsAmong">,
): EndShares {
  return async (organizationId) => {
    const shown = await shares.shownIn(organizationId);
    if (shown.length === 0) return;
    const found = await topology.viewsAmong(
      shown.map(({ view_id }) => view_id),
      organizationId,
    );
    const views = new Set(found.map(({ id }) => id));
    const networks = new Set(await topology.networksIn({ organizationId, networks: "all" }));
    const ended = shown.filter((one) => !views.has(one.view_id) || !networks.has(one.network_id)).map(({ _id }) => _id);
    if (ended.length === 0) return;
    await changeRights(BACKGROUND, ended, async (tx) => {
      const removed = await shares.remove(organizationId, ended, tx);
      return removed.length === 0 ? "conflict" : removed;
    });
  };
}
