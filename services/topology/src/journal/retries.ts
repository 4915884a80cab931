import type { Log } from "@nts/shared/log";
import { SERVER_VERSION } from "@nts/shared/version";
import { BY_ID, JOURNAL_OF_ENTITY } from "../storage/indexes.js";
import { type EntityEvent, JOURNALED, type Journaled } from "./entries.rules.js";
import { reconcile, type ReconcileParts, stateOf } from "./reconcile.js";
import { type Faults, isOfEvent, type SetAsideDocument } from "./set-aside.js";
import { createJournalWriter, type OnRecorded } from "./writer.js";
import type { KnownStates } from "./known.js";

// What was set aside is tried again when an operator asks for it, and once by each other version: the stored state of the
// entity is compared with the journal, and the difference recorded as reconciled.

export interface RetryParts extends Omit<ReconcileParts, "writer"> {
  readonly known: KnownStates;
  readonly faults: Faults;
  readonly onRecorded: OnRecorded;
  readonly log: Log;
}

/** Milliseconds between looks for what is due. */
const EVERY_MS = 5_000;

export interface Retries {
  /** Tries what is due, now and then. */
  now(signal: AbortSignal): Promise<void>;
}

export function createRetries(parts: RetryParts): Retries {
  const { collections, hidden, known, faults, onRecorded, log } = parts;
  const { setAside, entities } = collections;
  // The one that is tried must fail if it cannot be recorded. Others that are found by comparing are set aside.
  const strict = createJournalWriter(collections, known, { hidden, onRecorded });
  const isolating = { ...faults, isolates: () => true };
  const sparing = createJournalWriter(collections, known, { hidden, onRecorded, faults: isolating });

  async function record(one: SetAsideDocument, signal: AbortSignal): Promise<void> {
    // The entities of a deletion are not known one by one.
    if (one.kind === "deletions") return void (await reconcile({ collections, hidden, writer: sparing }, signal));
    // A note of an author belongs to a deletion that is recorded without it.
    if (one.kind in JOURNALED) await strict.write(await difference(one));
  }

  async function difference({ kind, entity_id: id, organization_id }: SetAsideDocument): Promise<EntityEvent[]> {
    const collection = kind as Journaled;
    const at = new Date();
    const stored = await entities(collection).findOne({ _id: id }, { hint: BY_ID });
    const current = stored === null ? null : stateOf(collection, stored, at);
    if (current !== null && hidden.seen(current) !== null) return [current];
    const organizationId = organization_id ?? (await organizationOf(id));
    if (organizationId === null) return [];
    return [{ collection, id, organizationId, at, by: {}, state: null, isReconciled: true }];
  }

  async function organizationOf(entity_id: string): Promise<string | null> {
    const entry = await collections.journal.findOne({ entity_id }, { hint: JOURNAL_OF_ENTITY });
    return entry?.organization_id ?? null;
  }

  async function tryAgain(one: SetAsideDocument, signal: AbortSignal): Promise<void> {
    const { _id, organization_id, kind, entity_id } = one;
    try {
      await record(one, signal);
      if (signal.aborted) return;
      await setAside.deleteOne({ _id });
      log.info({ organization_id, kind, entity_id }, "a change that was set aside is recorded in the journal");
    } catch (error) {
      if (!isOfEvent(error)) throw error;
      known.forget();
      await setAside.updateOne(
        { _id },
        { $set: { version: SERVER_VERSION, tried_at: new Date() }, $unset: { retry: true } },
      );
      log.error(
        { err: error, organization_id, kind, entity_id },
        "a change that was set aside could not be recorded again",
      );
    }
  }

  let triedMs = -Infinity;
  return {
    now: async (signal) => {
      if (performance.now() <= triedMs + EVERY_MS) return;
      const due = { $or: [{ retry: true }, { version: { $ne: SERVER_VERSION } }] };
      for await (const one of setAside.find(due)) {
        if (signal.aborted) return;
        await tryAgain(one, signal);
      }
      triedMs = performance.now();
    },
  };
}
