import type { MadeWebhooks, Webhook } from "@nts/shared/contract";
import { MAKER_ENDS, type MakerEnd } from "@nts/shared/contract/internal";
import type { Scope } from "@nts/shared/http/tenancy";
import { BACKGROUND } from "@nts/shared/work";
import { revised } from "../storage/revisions.rules.js";
import type { Storage } from "../storage/storage.js";
import type { WebhookStates } from "../storage/webhook-states.js";
import { notedOf } from "./audited.js";

// A webhook outlives the access of who made it, and would go on reading for them.

/** A user, or one of the user's API keys. */
export interface Maker {
  readonly user_id: string;
  /** Null for any credential of the user. */
  readonly key_id: string | null;
}

type Made = NonNullable<MadeWebhooks>["webhooks"];

/** Lists the webhooks of a maker in an organization; with a reason, pauses them first. Idempotent. */
export async function endWebhooks(
  { webhooks, auditNotes, transaction }: Pick<Storage, "webhooks" | "auditNotes" | "transaction">,
  states: Pick<WebhookStates, "change">,
  organizationId: string,
  { reason, ...maker }: Maker & { readonly reason: MakerEnd | null },
): Promise<Made> {
  const scope: Scope = { organizationId, networks: "all" };
  return transaction(BACKGROUND, [`webhooks:${organizationId}`], async (tx) => {
    const made: Webhook[] = [];
    for (const stored of await webhooks.findMany(scope, {}, tx)) {
      const { entity } = stored;
      if (!isMadeBy(entity, maker)) continue;
      const now = new Date();
      const paused = reason === null ? null : { at: now.toISOString(), reason: MAKER_ENDS[reason] };
      const next = paused && entity.is_enabled ? revised(stored, { ...entity, is_enabled: false, paused }, now) : null;
      made.push(next?.entity ?? entity);
      if (next === null) continue;
      await webhooks.replace(tx, scope, [next]);
      await states.change(tx, { _id: entity.id, organization_id: organizationId }, { is_active: false });
      await auditNotes.add(tx, notedOf(next.entity, "paused", { before: entity, after: next.entity }), null);
    }
    return made.map(({ id, url, paused }) => ({ id, host: new URL(url).host, is_paused: paused !== null }));
  });
}

function isMadeBy({ created_by }: Webhook, { user_id, key_id }: Maker): boolean {
  return created_by.user_id === user_id && (key_id === null || created_by.key_id === key_id);
}
