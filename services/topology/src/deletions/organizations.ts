import { BACKGROUND } from "@nts/shared/work";
import type { Storage } from "../storage/storage.js";
import { createWebhookStates } from "../storage/webhook-states.js";

/** Hides everything of an organization and stops its webhooks; a sweep deletes its documents. Idempotent. */
export async function deleteOrganization(
  { database, deletions, transaction }: Pick<Storage, "database" | "deletions" | "transaction">,
  organizationId: string,
): Promise<void> {
  const states = createWebhookStates(database.db);
  await transaction(BACKGROUND, [organizationId], async (tx) => {
    await deletions.hideOrganization(tx, organizationId);
    await states.removeAllOf(tx, organizationId);
  });
  await deletions.known();
}
