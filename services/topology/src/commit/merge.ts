import type { ClientSession } from "mongodb";
import { AppError, validationFailed } from "@nts/shared/errors";
import { REVERTED_BYTES, REVERTED_ENTITIES } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import type { Scope } from "@nts/shared/http/tenancy";
import { mergeOf } from "../hosts/merge.rules.js";
import type { Storage } from "../storage/storage.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { sizeOf } from "./changes.rules.js";
import { requireHostRevision } from "./host-revision.js";
import { transactionOnHosts } from "./on-hosts.js";
import { store, type Storing } from "./store.js";
import type { Updating } from "./writer.js";

/**
 * Merges another host into one: its children move, and it is deleted.
 *
 * @param respond made in the transaction that has written it
 * @throws AppError `not_found` · `invalid_reference` and `network_mismatch` at `host_id` · `precondition_failed` ·
 * `validation_failed` if the host would have too many children · `too_many_changes`
 */
export async function commitMerge<R>(
  storage: Storage,
  { work, scope, id, otherId, precondition }: Updating & { readonly otherId: string },
  respond: (tx: ClientSession) => Promise<R>,
): Promise<R> {
  const hostIds = [...new Set([id, otherId])].sort();
  return transactionOnHosts(storage, { work, scope, hostIds }, async (tx) => {
    const { hosts } = storage;
    const before = await hosts.get(scope, id, tx);
    await requireHostRevision(storage, tx, scope, { host: before, precondition });
    if (otherId === id) throw validationFailed({ path: "host_id", message: "must be another host" });
    const other = await hosts.find(scope, otherId, tx);
    if (other === null) throw new AppError("invalid_reference", { path: "host_id" });
    if (other.entity.network_id !== before.entity.network_id)
      throw new AppError("network_mismatch", { path: "host_id" });
    const known = await lockedWithChildren(storage, tx, scope, hostIds);
    const { changes, lostMacs, replacedBy } = mergeOf(known(id), known(otherId), { now: new Date(), newId });
    const lost = [...lostMacs, ...(await hosts.lostMacsOf(tx, scope, otherId))];
    await storeAtOnce(storage, tx, scope, { changes, replacedBy });
    for (const mac of lost) await hosts.macLost(tx, scope, id, mac);
    return respond(tx);
  });
}

/** Locks hosts, and reads them with their children. @returns a host by its id. @throws AppError `not_found` */
export async function lockedWithChildren(
  { hosts }: Storage,
  tx: ClientSession,
  scope: Scope,
  hostIds: readonly string[],
): Promise<(id: string) => KnownHost> {
  await hosts.lockAll(tx, scope, new Map(hostIds.map((id) => [id, {}])));
  const found = new Map((await hosts.findWithChildren(scope, hostIds, tx)).map((one) => [one.host.entity.id, one]));
  return (id) => {
    const known = found.get(id);
    if (known === undefined) throw new AppError("not_found", { entity: hosts.name });
    return known;
  };
}

/**
 * Stores changes of many children in their turn, unless they are more than one revert can undo.
 *
 * @throws AppError `too_many_changes`
 */
export async function storeAtOnce(storage: Storage, tx: ClientSession, scope: Scope, storing: Storing): Promise<void> {
  const { entities, bytes } = sizeOf(storing.changes);
  if (entities > REVERTED_ENTITIES || bytes > REVERTED_BYTES)
    throw new AppError("too_many_changes", { limit: REVERTED_ENTITIES });
  await storage.database.turn(tx, scope, entities);
  await store(storage, tx, scope, storing);
}
