import {
  CHANGE_COMMENT_LENGTH,
  createNetwork,
  createTag,
  deleteNetwork,
  deleteTag,
  REVERTED_BYTES,
  REVERTED_ENTITIES,
  revertChanges,
  updateNetwork,
  updateTag,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { authorize } from "@nts/shared/http/authorize";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Principal, Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import type { Notices } from "../deletions/notices.js";
import { caughtUp } from "../journal/barrier.js";
import { entriesIn, type JournalReader } from "../journal/read.js";
import { currentSides } from "../journal/entry-texts.js";
import { revert } from "../reverts/revert.js";
import { addsEntities, type RecordedChange, type Undo, undosOf } from "../reverts/undo.rules.js";
import { BY_ID } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";

/** A revert requires the rights of the opposite operations; for networks and tags, these are higher than its own. */
const OPPOSITES = {
  networks: { restore: createNetwork, update: updateNetwork, remove: deleteNetwork },
  tags: { restore: createTag, update: updateTag, remove: deleteTag },
} as const;

export function mountRevert(router: Router, reader: JournalReader, storage: Storage, notices: Notices): void {
  mount(router, revertChanges, async ({ principal, scope, work, body: { request_id } }) => {
    // Entries of a request are recorded one by one; half of them must not be reverted as if complete.
    await caughtUp(storage.database, scope, work);
    const undos = undosOf(await changesOf(reader, storage, principal.scope, request_id));
    requireRights(principal, undos);
    if (undos.some(addsEntities)) await storage.quota.require(scope);
    const restored = new Set(undos.filter(({ after }) => after === null).map(({ kind }) => kind));
    for (const kind of ["networks", "tags"] as const) if (restored.has(kind)) await storage.quota.require(scope, kind);
    const seen = await withRestored(storage, principal.scope, scope, undos);
    const done = await revert(storage, notices, { work: withComment(work, request_id), scope: seen, undos });
    return respond.data({ request_id, ...done });
  });
}

/**
 * The visible scope, with networks to restore: while a large network is being deleted, the scope of an unrestricted
 * caller is a list of others.
 */
async function withRestored(
  { networks }: Storage,
  rights: Scope,
  visible: Scope,
  undos: readonly Undo[],
): Promise<Scope> {
  if (rights.networks !== "all" || visible.networks === "all") return visible;
  const restored = undos.filter(({ kind, after }) => kind === "networks" && after === null).map(({ id }) => id);
  const present = await networks.select(rights, { _id: { $in: restored } }, { projection: { _id: 1 }, hint: BY_ID });
  const isPresent = new Set(present.map(({ _id }) => _id));
  return { ...visible, networks: [...visible.networks, ...restored.filter((id) => !isPresent.has(id))] };
}

/** The recorded changes of a request in the caller's networks. @throws AppError `not_found` · `too_many_changes` */
async function changesOf(
  reader: JournalReader,
  { database }: Storage,
  scope: Scope,
  request_id: string,
): Promise<RecordedChange[]> {
  const { gone, last } = await reader.ends(scope);
  const asked = { filter: { request_id }, range: { first: gone + 1, last }, direction: "asc" } as const;
  const changes: RecordedChange[] = [];
  let bytes = 0;
  for await (const batch of entriesIn(database, scope, { ...asked, limit: REVERTED_ENTITIES + 1 }))
    for (const entry of batch) {
      const sides = currentSides(entry);
      changes.push({ entry, ...sides });
      bytes += (sides.before?.length ?? 0) + (sides.after?.length ?? 0);
      if (changes.length > REVERTED_ENTITIES || bytes > REVERTED_BYTES)
        throw new AppError("too_many_changes", { limit: REVERTED_ENTITIES });
    }
  if (changes.length === 0) throw new AppError("not_found", { entity: "Request" });
  return changes;
}

function requireRights(principal: Principal, undos: readonly Undo[]): void {
  for (const { kind, before, after } of undos)
    if (kind === "networks" || kind === "tags")
      authorize(OPPOSITES[kind][after === null ? "restore" : before === null ? "remove" : "update"], principal);
}

/** The work of a request whose changes are recorded as a revert. */
function withComment(work: Work, requestId: string): Work {
  const { author } = work;
  if (author === undefined) return work;
  const said = author.comment === null ? "" : `: ${author.comment}`;
  const comment = [...`takes back ${requestId}${said}`].slice(0, CHANGE_COMMENT_LENGTH).join("");
  // Inherited, so that later changes of the work are visible.
  return Object.assign(Object.create(work) as Work, { author: { ...author, comment } });
}
