import { setTimeout as delay } from "node:timers/promises";
import { chunksOf } from "@nts/shared/groups";
import { restMs } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import type { Database } from "../storage/database.js";
import type { Forms } from "../storage/documents.js";
import type { ChangeRights } from "./change-rights.js";
import { foundInParts } from "../storage/found-in-parts.js";
import { type Holders, openHolders } from "../storage/network-holders.js";

// Changes of rights of all organizations are serialized, so each transaction here is short, and others go between.

const HOLDERS_AT_A_TIME = 25;
const NETWORKS_AT_A_TIME = 50;
/** The fraction of time in which changes of rights wait for this. */
const DUTY = 0.5;

/**
 * Removes deleted networks from the grants and restrictions of an organization. An emptied restriction stays a
 * restriction. Few holders are changed at a time; when it fails, a repetition continues.
 */
export type ForgetNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

export function createForgetNetworks(
  { db, share }: Database,
  changeRights: ChangeRights,
  forms?: Forms,
): ForgetNetworks {
  const everywhere = openHolders(db, forms);

  async function forgetIn(holders: Holders, organizationId: string, networkIds: readonly string[]): Promise<void> {
    const matching = holders.naming(organizationId, { $in: [...networkIds] });
    const those = { organizationId, all: holders.of(organizationId), matching };
    for await (const found of foundInParts(share, holders.collection, those))
      for (const some of chunksOf(found, HOLDERS_AT_A_TIME)) {
        const startedAt = performance.now();
        const ids = some.map(({ _id }) => _id);
        await changeRights(BACKGROUND, ids, async (tx) => {
          const filter = { ...matching, _id: { $in: ids } };
          const changed = await holders.forget(filter, { organizationId, networkIds, now: new Date() }, tx);
          return changed === 0 ? "conflict" : changed;
        });
        await delay(restMs(startedAt, DUTY), null, { ref: false });
      }
  }

  return async (organizationId, networkIds) => {
    for (const some of chunksOf(networkIds, NETWORKS_AT_A_TIME))
      for (const holders of everywhere) await forgetIn(holders, organizationId, some);
  };
}
