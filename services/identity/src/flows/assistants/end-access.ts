import type { Work } from "@nts/shared/work";
import type { KeyDocument } from "../../model/key.rules.js";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { WebhookPausing } from "../../rights/webhook-pausing.js";
import type { KeyStore } from "../../storage/api-keys.js";
import { trailOf } from "../../storage/audit-trail.js";
import { endedKey, type EndedMakers } from "../../storage/ended-webhook-makers.js";
import { untilSaved } from "../../storage/until-saved.js";

/** Ends the access of an assistant, under the bound of revocation. It may have ended already. */
export type EndAccess = (work: Work, key: KeyDocument) => Promise<void>;

export interface EndAccessOptions {
  readonly keys: Pick<KeyStore, "findIn" | "remove">;
  readonly changeRights: ChangeRights;
  readonly endedMakers: Pick<EndedMakers, "insert">;
  readonly webhooks: Pick<WebhookPausing, "pause">;
}

export function createEndAccess({ keys, changeRights, endedMakers, webhooks }: EndAccessOptions): EndAccess {
  return async (work, { _id, organization_id, user_id }) => {
    const maker = endedKey({ _id, organization_id, user_id }, "key_revoked");
    const owner = { organizationId: organization_id, userId: user_id };
    const ended = await untilSaved(work, async () => {
      // It may change meanwhile, when the assistant renews its access.
      const current = await keys.findIn(organization_id, _id);
      if (current === null) return "gone";
      return changeRights(work, [_id], async (tx) => {
        trailOf(tx).actAs({ user_id, key_id: _id, email: null });
        await endedMakers.insert(maker, tx);
        return keys.remove(owner, current, tx, "revoked");
      });
    });
    if (ended === "removed") await webhooks.pause(work, maker);
  };
}
