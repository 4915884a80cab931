import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession, Db } from "mongodb";
import { putUnder } from "@nts/shared/groups";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { repeatUntilStopped, restMs } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import { forgetAddresses } from "../../storage/key-addresses.js";
import { noteChange } from "../../storage/audit-notes.js";
import { type Forms, openDocuments } from "../../storage/documents.js";
import type { OrganizationDocument } from "../../model/organization.js";
import { type KeyDocument, NOBODY } from "../../model/key.rules.js";
import { MOST_AT_ONCE } from "../../storage/removed-keys.js";
import { forgetUsage } from "../../storage/key-usage.js";

// Deletes the documents of keys that only lost their user when they were removed.

/** Milliseconds between polls for work. */
const EVERY_MS = 10_000;
/** The fraction of time in which removed keys are deleted. */
const DUTY = 0.5;

function noteRemoval({ removal, ...key }: KeyDocument, tx: ClientSession): void {
  if (removal === undefined) return;
  const { user_id, organization_id, ...circumstances } = removal;
  noteChange(tx, "key", { before: { ...key, user_id, organization_id }, ...circumstances });
}

/** Deletes removed keys until there are none. */
export type KeyPurge = (signal: AbortSignal) => Promise<void>;

export function createKeyPurge(db: Db, transaction: RunTransaction, forms?: Forms): KeyPurge {
  const { collection: keys, understood } = openDocuments(db, "api_keys", forms);
  const organizations = db.collection<OrganizationDocument>("organizations");

  async function purge(organizationId: string, removed: readonly KeyDocument[]): Promise<void> {
    const ids = removed.map(({ _id }) => _id);
    await transaction(BACKGROUND, [`audit:${organizationId}`], async (tx) => {
      const { deletedCount } = await keys.deleteMany({ _id: { $in: ids } }, { session: tx });
      if (deletedCount !== ids.length) throw new Discard(null);
      // The log of a deleted organization is deleted, too.
      const options = { session: tx, projection: { _id: 1 } };
      if ((await organizations.findOne({ _id: organizationId }, options)) !== null)
        for (const key of removed) noteRemoval(key, tx);
      await forgetAddresses(db, removed, tx);
      await forgetUsage(db, ids, tx);
    });
  }

  return async (signal) => {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const some = keys.find<KeyDocument>({ organization_id: NOBODY }, { limit: MOST_AT_ONCE });
      const byOrganization = new Map<string, KeyDocument[]>();
      for (const key of await some.toArray())
        putUnder(byOrganization, key.removal?.organization_id ?? NOBODY, understood(key));
      if (byOrganization.size === 0) return;
      for (const [organizationId, removed] of byOrganization) await purge(organizationId, removed);
      await delay(restMs(startedAt, DUTY), null, { signal, ref: false }).catch(() => null);
    }
  };
}

/** Deletes removed keys until stopped; only one process per database at a time. */
export function startKeyPurge(db: Db, log: Log, purge: KeyPurge): { stop(): Promise<void> } {
  const keys = db.collection<KeyDocument>("api_keys");
  const purgeWhatIsThere = async (signal: AbortSignal): Promise<void> => {
    const one = await keys.findOne({ organization_id: NOBODY }, { projection: { _id: 1 } });
    if (one !== null) await withFreeLock(db, "removed_keys", () => purge(signal));
  };
  return repeatUntilStopped(purgeWhatIsThere, {
    everyMs: EVERY_MS,
    onFault: (error) => {
      log.warn({ err: error }, "the deletion of removed keys was interrupted; resuming");
    },
  });
}
