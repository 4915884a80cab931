import { AppError } from "@nts/shared/errors";
import { requireRevision } from "@nts/shared/revision";
import { afterCommit } from "@nts/shared/work";
import { recorderOf } from "@nts/shared/writes/recorder";
import type { Removing } from "../commit/writer.js";
import type { Notices } from "./notices.js";
import { AT_ONCE, type DeletionDocument } from "../storage/deletion-records.js";
import type { Storage } from "../storage/storage.js";
import { IN_NETWORKS } from "../kinds/index.js";
import { networkKind } from "../kinds/network.js";

/**
 * Deletes networks with everything in them atomically. Large amounts are hidden at once and swept later.
 *
 * @throws AppError `not_found` · `precondition_failed`
 */
export async function deleteNetworks(storage: Storage, notices: Notices, removal: Removing): Promise<void> {
  const { work, scope, ids } = removal;
  const counts = await storage.totals.countsOf(scope, ids);
  const isSmall = Object.values(counts).reduce((a, b) => a + b, 0) <= AT_ONCE;
  await (isSmall ? deleteAtOnce(storage, removal) : hide(storage, removal));
  const decided = ids.map((_id) => ({ _id, organization_id: scope.organizationId }));
  await afterCommit(work, async () => {
    if (isSmall) for (const { _id, organization_id } of decided) notices.networkDeleted(organization_id, _id);
    else {
      await storage.deletions.known();
      await finishNetworks(storage, notices, decided);
    }
  });
}

async function deleteAtOnce(storage: Storage, { work, scope, ids, precondition }: Removing): Promise<void> {
  const { guards, networks, transaction } = storage;
  await transaction(work, [...ids].sort(), async (tx) => {
    const found = await networks.findMany(scope, { _id: { $in: ids } }, tx);
    if (found.length !== ids.length) throw new AppError("not_found", { entity: networks.name });
    for (const { revision } of found) requireRevision(precondition, revision);
    // Guards first, because concurrent writers in the networks conflict on them.
    await guards.removeNetworks(tx, scope, ids);
    for (const kind of [...IN_NETWORKS, "networks"] as const)
      await storage[kind].remove(tx, scope, { network_id: { $in: ids } });
    await storage.addresses.forgetNetworks(tx, scope, ids);
  });
}

async function hide(
  { deletions, networks, totals, transaction }: Storage,
  { work, scope, ids, precondition }: Removing,
): Promise<void> {
  await transaction(work, [...ids].sort(), async (tx) => {
    if ((await networks.markDeleting(tx, scope, ids)) !== ids.length)
      throw new AppError("not_found", { entity: networks.name });
    const found = await networks.findMany(scope, { _id: { $in: ids } }, tx);
    for (const { revision } of found) requireRevision(precondition, revision);
    await deletions.hideNetworks(tx, scope.organizationId, ids);
    const recorder = recorderOf(tx);
    if (recorder === undefined) return;
    for (const { entity, revision } of found)
      recorder.record({ kind: networkKind, id: entity.id, revision, before: entity, after: null });
    for (const [kind, count] of Object.entries(await totals.countsOf(scope, ids, tx))) recorder.count(kind, count);
  });
}

/**
 * Completes a committed deletion: removes the guards, so that concurrent writers conflict, removes the networks, and notifies other
 * processes. Idempotent.
 */
export async function finishNetworks(
  { deletions, guards, networks }: Pick<Storage, "deletions" | "guards" | "networks">,
  notices: Notices,
  decided: readonly Pick<DeletionDocument, "_id" | "organization_id">[],
): Promise<void> {
  const ids = decided.map((one) => one._id);
  const organizationIds = [...new Set(decided.map((one) => one.organization_id))];
  await guards.removeTargets(organizationIds, ids);
  await networks.removeDecided(organizationIds, ids);
  for (const one of decided) notices.networkDeleted(one.organization_id, one._id);
  await deletions.markAnnounced(organizationIds, ids);
}
