import { isWellFormedApiKey } from "@nts/shared/api-key";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { revokeLeakedKeys } from "@nts/shared/contract/keys";
import { hashCredential } from "@nts/shared/credential";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { callerOf } from "@nts/shared/work";
import type { ClientSession } from "mongodb";
import type { ChangeRights } from "../rights/change-rights.js";
import { untilSaved } from "../storage/until-saved.js";
import { endedKey, type EndedMakers } from "../storage/ended-webhook-makers.js";
import type { WebhookPausing } from "../rights/webhook-pausing.js";
import type { KeyDocument } from "../model/key.rules.js";
import type { KeyStore } from "../storage/api-keys.js";
import type { CollectorStore } from "../storage/collectors.js";
import type { ShareStore } from "../storage/shares.js";

export interface LeakedKeyRoutes {
  readonly keys: Pick<KeyStore, "findBySecrets" | "remove" | "update">;
  readonly sharedViews: Pick<ShareStore, "findBySecrets" | "remove">;
  readonly collectors: Pick<CollectorStore, "findByKeys" | "change">;
  readonly changeRights: ChangeRights;
  readonly endedMakers: Pick<EndedMakers, "insert">;
  readonly webhooks: Pick<WebhookPausing, "pause">;
}

// Reports are anonymous: together they may use a few connections, so that others keep theirs.
const AT_A_TIME = 4;
const MOST_WAITING = 200;
const LONGEST_WAIT_MS = 2_000;

/** The operation to report a leaked key, which revokes it. Without a match it costs one read of up to ten hashes. */
export function mountLeakedKeys(router: Router, routes: LeakedKeyRoutes): void {
  const { keys, sharedViews, collectors, changeRights, endedMakers, webhooks } = routes;
  const inTurn = createFairQueue({ atATime: AT_A_TIME, mostWaiting: MOST_WAITING, longestWaitMs: LONGEST_WAIT_MS }).run;

  mountAny(router, revokeLeakedKeys, async ({ body, work }) => {
    // Malformed keys are not looked up.
    const hashes = [...new Set(body.keys.map((key) => key.trim()).filter(isWellFormedApiKey))].map(hashCredential);
    const ended = await untilSaved(work, async () => {
      const found = await inTurn(() => keys.findBySecrets(hashes), callerOf(work));
      if (found.length === 0) return [];
      const ids = found.map(({ _id }) => _id);
      return changeRights(work, ids, (tx) => endAll(found, hashes, tx));
    });
    for (const key of ended) await webhooks.pause(work, endedKey(key, "key_leaked"));
    for (const share of await inTurn(() => sharedViews.findBySecrets(hashes), callerOf(work)))
      await changeRights(work, [share._id], async (tx) => {
        const removed = await sharedViews.remove(share.organization_id, [share._id], tx, "revoked");
        return removed.length === 0 ? "conflict" : removed;
      });
    for (const collector of await inTurn(() => collectors.findByKeys(hashes), callerOf(work)))
      await changeRights(work, [collector._id], (tx) =>
        collectors.change(collector, { key: null }, { tx, action: "revoked" }),
      );
    return respond.data(null);
  });

  async function endAll(found: readonly KeyDocument[], hashes: readonly string[], tx: ClientSession) {
    for (const key of found) {
      const owner = { organizationId: key.organization_id, userId: key.user_id };
      const ended = hashes.includes(key.hash)
        ? await keys.remove(owner, key, tx, "revoked")
        : await keys.update(owner, key, { previous: null }, tx);
      if (ended === "conflict") return "conflict";
      // Whoever had the secret may have made webhooks with it.
      await endedMakers.insert(endedKey(key, "key_leaked"), tx);
    }
    return found;
  }
}
