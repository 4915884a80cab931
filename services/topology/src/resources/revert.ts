import {
  CHANGE_COMMENT_LENGTH,
  createNetwork,
  createTag,
  deleteNetwork,
  deleteTag,
  REVERTED_BYTES,
  REVERTED_ENTITIES,
  getRevertJob,
  revertChanges,
  type Reverted,
  updateNetwork,
  updateTag,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import { authorize, requireAllNetworks } from "@nts/shared/http/authorize";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import { type Work, withoutResponse } from "@nts/shared/work";
import type { Notices } from "../deletions/notices.js";
import { caughtUp } from "../journal/barrier.js";
import { entriesIn, type JournalReader } from "../journal/read.js";
import { isSighting } from "../journal/entries.rules.js";
import { currentSides } from "../journal/entry-texts.js";
import type { Waiting } from "../journal/waiting.js";
import type { RevertJobRunner } from "../reverts/jobs.js";
import {
  checkLarge,
  type LargeRevert,
  partsOf,
  recordLarge,
  requireRevertible,
  revertLarge,
} from "../reverts/large.js";
import { revert } from "../reverts/revert.js";
import { MOST_SPANS, spansOf } from "../reverts/spans.js";
import { addsEntities, type RecordedChange, type Undo, undosOf } from "../reverts/undo.rules.js";
import { BY_ID } from "../storage/indexes.js";
import type { JobMaker } from "../storage/open-jobs.js";
import { LIMITED } from "../storage/quota.js";
import type { Storage } from "../storage/storage.js";
import { mountRevertJobs } from "./revert-jobs.js";

/** A revert requires the rights of the opposite operations; for networks and tags, these are higher than its own. */
const OPPOSITES = {
  networks: { restore: createNetwork, update: updateNetwork, remove: deleteNetwork },
  tags: { restore: createTag, update: updateTag, remove: deleteTag },
} as const;

export interface RevertLimits {
  /** Entities written in one transaction. */
  readonly atOnce: number;
  /** Entities of a revert that a response waits for: checking more takes longer than its headers may. */
  readonly waitedFor: number;
}

export const REVERT_LIMITS: RevertLimits = { atOnce: REVERTED_ENTITIES, waitedFor: 50_000 };

interface RevertParts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly limits: RevertLimits;
  readonly jobs: RevertJobRunner;
  readonly waiting: Waiting;
}

export function mountRevert(router: Router, reader: JournalReader, parts: RevertParts): void {
  const { storage, notices, jobs } = parts;
  const { atOnce, waitedFor } = parts.limits;
  mount(router, revertChanges, async (call) => {
    const { principal, scope, work, body } = call;
    const { request_id } = body;
    // Entries of a request are recorded one by one; half of them must not be reverted as if complete.
    await caughtUp(storage.database, scope, work);
    const changes = await changesOf(reader, storage, principal.scope, { request_id, atOnce });
    const mayBeJob = work.unit === undefined || work.unit.isDry;
    if (changes === "too many") return call.prefersJob && mayBeJob ? startJob(call) : revertLargely(call);
    const undos = undosOf(changes);
    requireRights(principal, undos);
    if (undos.some(addsEntities)) await storage.quota.require(scope);
    const restored = new Set(undos.filter(({ after }) => after === null).map(({ kind }) => kind));
    for (const kind of LIMITED) if (restored.has(kind)) await storage.quota.require(scope, kind);
    const seen = await withRestored(storage, principal.scope, scope, undos);
    const done = await revert(storage, notices, { work: withComment(work, request_id), scope: seen, undos });
    return respond.data({ request_id, ...done });
  });

  mountRevertJobs(router, storage, parts.waiting);

  /** Counts what a request has changed. @throws AppError `too_many_changes` and of quotas */
  async function largeOf(
    { work, scope, principal, body: { request_id } }: RevertCall,
    most: number,
  ): Promise<LargeRevert> {
    const spans = await spansOf(storage, reader, principal.scope, { request_id, most });
    requireRevertible(spans, atOnce);
    if (spans.some(({ isGone }) => isGone)) await storage.quota.require(scope);
    return { storage, notices, work: withComment(withoutUnit(work), request_id), scope, spans, parts: partsOf(spans) };
  }

  /** A revert in several transactions. The response begins when everything has been checked. */
  async function revertLargely(call: RevertCall): Promise<HandlerResponse<Reverted>> {
    const { work, body } = call;
    const { request_id } = body;
    const { unit } = work;
    const large = await largeOf(call, waitedFor);
    const expected = await checkLarge(large);
    if (unit === undefined) return respond.jsonPieces(piecesOf(request_id, revertLarge(large)));
    // The response is part of the request's only transaction.
    const done = unit.isDry ? expected : await resultOf(revertLarge(large));
    await storage.transaction(work, [], (tx) => {
      recordLarge(large, tx);
      return Promise.resolve();
    });
    return respond.data({ request_id, ...done });
  }

  async function startJob(call: RevertCall): Promise<HandlerResponse<never>> {
    const { scope, principal, cause, body, log } = call;
    let large: LargeRevert | null = null;
    const counted = async (): Promise<LargeRevert> =>
      (large ??= await largeOf({ ...call, work: withoutResponse(call.work) }, MOST_SPANS));
    const job = await jobs.start({
      organizationId: scope.organizationId,
      maker: makerOf(principal),
      requestId: cause.requestId,
      reverts: body.request_id,
      isDry: call.work.unit?.isDry === true,
      log,
      steps: {
        count: async () => (await counted()).spans.length,
        check: async () => checkLarge(await counted()),
        revert: async function* () {
          return yield* revertLarge(await counted());
        },
      },
    });
    return respond.accepted(job, getRevertJob.path.replace("{id}", job.id));
  }
}

type RevertCall = Pick<UserCall<typeof revertChanges>, "work" | "scope" | "principal" | "body" | "cause" | "log">;

/** A key of one's own with restricted networks is told from others. */
function makerOf({ kind, userId, credentialId }: UserPrincipal): JobMaker {
  return { user_id: userId, key_id: kind === "key" ? credentialId : null };
}

type Reverting = ReturnType<typeof revertLarge>;

async function* piecesOf(request_id: string, reverting: Reverting): AsyncGenerator<string> {
  yield `{"request_id":${JSON.stringify(request_id)}`;
  for (;;) {
    const next = await reverting.next();
    // White space, so that a long revert is no stalled response.
    if (next.done !== true) yield " ";
    else {
      yield `,${JSON.stringify(next.value).slice(1)}`;
      return;
    }
  }
}

async function resultOf(reverting: Reverting): Promise<Omit<Reverted, "request_id">> {
  for (;;) {
    const next = await reverting.next();
    if (next.done === true) return next.value;
  }
}

function withoutUnit(work: Work): Work {
  return Object.assign(Object.create(work) as Work, { unit: undefined });
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

/** The recorded changes of a request in the caller's networks, unless they are too many for one transaction. @throws AppError `not_found` */
async function changesOf(
  reader: JournalReader,
  { database }: Storage,
  scope: Scope,
  { request_id, atOnce }: { readonly request_id: string; readonly atOnce: number },
): Promise<RecordedChange[] | "too many"> {
  const { gone, last } = await reader.ends(scope);
  const range = { first: gone + 1, last };
  const query = { filter: { request_id }, range, direction: "asc", limit: atOnce + 1 } as const;
  // Counted first, by the index: what is too many would take long to read.
  let count = 0;
  for await (const batch of entriesIn(database, scope, { ...query, projection: { _id: 0, n: 1 } }))
    count += batch.length;
  if (count === 0) throw new AppError("not_found", { entity: "Request" });
  if (count > atOnce) return "too many";
  const changes: RecordedChange[] = [];
  let bytes = 0;
  for await (const batch of entriesIn(database, scope, query))
    for (const entry of batch) {
      // What a source saw cannot be taken back.
      if (isSighting(entry.action)) continue;
      const sides = currentSides(entry);
      changes.push({ entry, ...sides });
      bytes += (sides.before?.length ?? 0) + (sides.after?.length ?? 0);
      if (bytes > REVERTED_BYTES) return "too many";
    }
  return changes;
}

function requireRights(principal: UserPrincipal, undos: readonly Undo[]): void {
  for (const { kind, before, after } of undos) {
    if (kind === "networks" || kind === "tags")
      authorize(OPPOSITES[kind][after === null ? "restore" : before === null ? "remove" : "update"], principal);
    // Of the whole organization.
    else if (typeof (before ?? after)?.network_id !== "string") requireAllNetworks(principal);
  }
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
