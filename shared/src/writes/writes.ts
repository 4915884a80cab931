import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession, Db } from "mongodb";
import { DEFAULT_MAX_IDEMPOTENCY_KEYS, IDEMPOTENCY_REPLAYED, type Plan } from "../contract/writes.js";
import { AppError } from "../errors.js";
import { respond, type HandlerResponse } from "../http/respond.js";
import { INTERNAL } from "../http/headers.js";
import { STATUSES } from "../http/statuses.js";
import type { Handling, Remembering, RequestedWrite, Writes } from "../http/write-request.js";
import { createAbandonedSweep } from "../mongo/abandoned.js";
import { Discard, type RunTransaction } from "../mongo/transaction.js";
import { requireNotAbandoned, type Work } from "../work.js";
import { createDryRuns } from "./dry-runs.js";
import { createRecorder, type Recorder, recordIn } from "./recorder.js";
import {
  type RememberedResponse,
  createRememberedResponses,
  type Made,
  type RememberedResponses,
  Taken,
} from "./remembered.js";
import { Again, createUnit, type Unit } from "./unit.js";

// Dry runs, explained writes and idempotent writes. Each runs its handler in a unit of work and decides at the end
// whether to commit.

/** Milliseconds to wait for a key held by another request, whose process may have died. */
const LONGEST_WAIT_MS = 1_500;
const EVERY_MS = 100;

export interface WritesOptions {
  /** Maximum idempotency keys per user and day. */
  readonly mostKeys?: number | undefined;
  /** Waits until deletions are visible everywhere: a retry may arrive before the response to the first request. */
  readonly deleted?: () => Promise<void>;
}

export function createWrites(db: Db, transaction: RunTransaction, options: WritesOptions = {}): Writes {
  const { mostKeys = DEFAULT_MAX_IDEMPOTENCY_KEYS, deleted = () => Promise.resolve() } = options;
  const dependencies = { responses: createRememberedResponses(db, mostKeys), transaction, deleted };
  const remember = createRemembering(dependencies, createAbandonedSweep(db.client));
  /** Ids of requests in progress in this process. */
  const running = new Set<string>();
  const dryRuns = createDryRuns();
  return {
    run: async (requested, handling) => {
      const { isDry, remembering } = requested;
      if (isDry) return dryRuns.run(handling.organizationId, () => once(requested, handling, dependencies));
      if (remembering === null) return once(requested, handling, dependencies);
      const place = `${remembering.organizationId} ${remembering.place}`;
      if (running.has(place)) throw new AppError("idempotency_in_progress");
      running.add(place);
      try {
        return await remember({ ...requested, remembering }, handling);
      } finally {
        running.delete(place);
      }
    },
  };
}

type Remembered = RequestedWrite & { readonly remembering: Remembering };

/** Performs a write with a key, or replays its response. */
function createRemembering(dependencies: Dependencies, endAbandoned: () => Promise<void>) {
  const { responses } = dependencies;

  async function replayed({ remembering }: Remembered, handling: Handling): Promise<HandlerResponse<unknown> | null> {
    const found = await handling.work.use(() => responses.find(remembering));
    if (found === null) return null;
    if (isOutOfSight(found, handling)) {
      // Rejected like the request itself; whatever it does is rolled back. What this caller may do is another request
      // than the one there, and the fingerprint is not compared, so that guessing that one reveals nothing.
      await once({ isDry: true, plan: null, expected: null, remembering: null }, handling, dependencies);
      throw new AppError("idempotency_mismatch");
    }
    if (found.fingerprint !== remembering.fingerprint) throw new AppError("idempotency_mismatch");
    if (remembering.isDeletion) await dependencies.deleted();
    return replayOf(found, handling);
  }

  async function firstOrRepeated(requested: Remembered, handling: Handling): Promise<Done> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    const { remembering } = requested;
    let apart: Remembering | null = null;
    for (;;) {
      try {
        return {
          given: await once({ ...requested, remembering: apart ?? remembering }, handling, dependencies),
          isNew: true,
        };
      } catch (error) {
        if (!(error instanceof Taken)) return { given: await unlessEnded(error, requested, handling), isNew: false };
      }
      if (performance.now() > untilMs) throw new AppError("idempotency_in_progress");
      await endAbandoned();
      await delay(EVERY_MS);
      const known = await replayed(requested, handling);
      if (known !== null) return { given: known, isNew: false };
      apart ??= await handling.work.use(() => responses.apart(remembering));
    }
  }

  /** A retry may fail because the first request took effect and ended meanwhile. @throws the failure otherwise */
  async function unlessEnded(
    error: unknown,
    requested: Remembered,
    handling: Handling,
  ): Promise<HandlerResponse<unknown>> {
    const isRefusal = error instanceof AppError && STATUSES[error.code] < 500;
    const ended = isRefusal ? await replayed(requested, handling) : null;
    if (ended === null) throw error;
    return ended;
  }

  return async (requested: Remembered, handling: Handling): Promise<HandlerResponse<unknown>> => {
    const known = await replayed(requested, handling);
    if (known !== null) return known;
    const { remembering } = requested;
    await handling.work.use(() => responses.count(remembering));
    let isNew = false;
    try {
      const done = await firstOrRepeated(requested, handling);
      isNew = done.isNew;
      return done.given;
    } finally {
      if (!isNew) await responses.discount(remembering).catch(() => undefined);
    }
  };
}

interface Done {
  readonly given: HandlerResponse<unknown>;
  /** False if another request with the key has done it. */
  readonly isNew: boolean;
}

interface Dependencies {
  readonly responses: RememberedResponses;
  readonly transaction: RunTransaction;
  readonly deleted: () => Promise<void>;
}

/** Runs the handler until its transaction has ended. */
async function once(
  requested: RequestedWrite,
  handling: Handling,
  dependencies: Dependencies,
): Promise<HandlerResponse<unknown>> {
  for (;;) {
    requireNotAbandoned(handling.work);
    try {
      return await attempt(requested, handling, dependencies);
    } catch (error) {
      if (!(error instanceof Again)) throw error;
    }
  }
}

async function attempt(
  requested: RequestedWrite,
  { work, handle, textOf }: Handling,
  dependencies: Dependencies,
): Promise<HandlerResponse<unknown>> {
  const { isDry, plan, expected, remembering } = requested;
  const { responses, transaction } = dependencies;
  const newRecorder = (): Recorder | null =>
    plan === null && expected === null ? null : createRecorder(plan?.named ?? new Set());
  let recorder = newRecorder();
  const begin = async (session: ClientSession): Promise<void> => {
    recorder = newRecorder();
    if (recorder !== null) recordIn(session, recorder);
    if (remembering !== null) await responses.take(session, remembering);
  };
  const unit = createUnit({ isDry, begin });
  try {
    const given = await handle(workIn(work, unit));
    // Goes on elsewhere.
    if (given.kind === "accepted") return given;
    const revision = isDry || given.revision === undefined ? undefined : String(given.revision);
    const { impact } = unit;
    const meta =
      plan === null || recorder === null
        ? undefined
        : metaOf(requested, { ...recorder.plan(plan.effect), ...(impact && { impact }) });
    const made: Made = {
      json: await textOf(given),
      ...(meta && { meta }),
      ...(revision !== undefined && { revision }),
    };
    if (recorder !== null && expected !== null && recorder.etag() !== expected)
      throw new AppError("precondition_failed");
    await settle(unit, async (session) => {
      if (isDry) throw new Discard(null);
      if (remembering !== null) await responses.keep(session, remembering, made);
    });
    if (!isDry) await unit.finish();
    return responseOf(made);
  } finally {
    await unit.abandon();
  }

  async function settle(pending: Unit, last: (session: ClientSession) => Promise<void>): Promise<void> {
    if (pending.isPending()) await pending.end(last);
    else if (remembering !== null)
      // It changed nothing, and neither does a retry, whatever others do meanwhile.
      await transaction(work, [], async (session) => {
        await responses.take(session, remembering);
        await last(session);
      });
  }
}

/** The work with its unit. Not a copy, because a deadline may move. */
function workIn(work: Work, unit: Unit): Work {
  return {
    get deadline() {
      return work.deadline;
    },
    isAbandoned: work.isAbandoned,
    use: work.use,
    openStream: work.openStream,
    ...(work.organizationId !== undefined && { organizationId: work.organizationId }),
    ...(work.author && { author: work.author }),
    ...(work.origin && { origin: work.origin }),
    unit,
  };
}

/** The start of `meta`; the gateway adds the rest. */
function metaOf({ isDry }: RequestedWrite, plan: Plan): string {
  return `,"meta":{${isDry ? `"dry_run":true,` : ""}"plan":${JSON.stringify(plan)}`;
}

function responseOf({ json, meta, revision }: Made, headers: Record<string, string> = {}): HandlerResponse<unknown> {
  const all = meta === undefined ? headers : { ...headers, [INTERNAL.meta]: "open" };
  return respond.json(json + (meta ?? ""), { headers: all, ...(revision !== undefined && { revision }) });
}

async function replayOf(found: RememberedResponse, { reread }: Handling): Promise<HandlerResponse<unknown>> {
  const headers = { [IDEMPOTENCY_REPLAYED]: "true" };
  if (found.is_secret === true) throw new AppError("secret_shown_once");
  if (found.json !== undefined) return responseOf({ ...found, json: found.json }, headers);
  const { headers: own, ...given } = await reread(found.entity_id ?? "");
  return { ...given, headers: { ...own, ...headers } };
}

/** The response concerns a network that this caller may not access: rejected like the request itself. */
function isOutOfSight({ network_id }: RememberedResponse, { sees }: Handling): boolean {
  return typeof network_id === "string" && !sees(network_id);
}
