import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireRevision } from "@nts/shared/revision";
import type { Notices } from "./notices.js";
import type { Removing } from "../commit/writer.js";
import { AT_ONCE } from "../storage/deletion-records.js";
import { TAGGED } from "../kinds/index.js";
import type { Storage } from "../storage/storage.js";
import { afterCommit } from "@nts/shared/work";
import { countTagged, reportTagged, scopeWithout, takeOff } from "./take-off.js";

/**
 * Deletes tags atomically, and removes them from all entities. If there are many, the tags are hidden at once and removed from
 * stored entities later.
 *
 * @throws AppError `not_found` · `precondition_failed`
 */
export async function deleteTags(storage: Storage, notices: Notices, removal: Removing): Promise<void> {
  const { deletions, guards, tags, transaction } = storage;
  const { work, ids, precondition } = removal;
  const { organizationId } = removal.scope;
  const scope: Scope = { ...removal.scope, networks: "all" };
  const hidden = await transaction(work, ids, async (tx) => {
    const found = await tags.findMany(scope, { _id: { $in: ids } }, tx);
    if (found.length !== ids.length) throw new AppError("not_found", { entity: tags.name });
    for (const { revision } of found) requireRevision(precondition, revision);
    // Conflicts with concurrent writers that assign one of them.
    await guards.remove(tx, scope, ids);
    await tags.remove(tx, scope, { _id: { $in: ids } });
    const isLarge = (await countTagged(storage, tx, scope, { tagIds: ids, most: AT_ONCE + 1 })) > AT_ONCE;
    if (isLarge) {
      await reportTagged(storage, tx, scope, ids);
      return deletions.hide(tx, organizationId, "tags", ids);
    }
    const now = new Date();
    const without = scopeWithout(organizationId, new Map(ids.map((id) => [id, now])));
    for (const kind of TAGGED) await takeOff(storage, tx, { scope, without }, kind);
    return null;
  });
  await afterCommit(work, async () => {
    if (hidden !== null) await deletions.known();
    for (const id of ids) notices.tagDeleted(organizationId, id);
    if (hidden !== null) await deletions.markAnnounced([organizationId], [hidden]);
  });
}
