import { setTimeout as delay } from "node:timers/promises";
import type { Document } from "mongodb";
import type { Log } from "@nts/shared/log";
import { onceItWorks } from "@nts/shared/once";
import { restMs } from "@nts/shared/repeat";
import type { JournalCollections } from "./collections.js";
import { timeOf } from "./events.js";
import { createHiddenThings } from "./hidden.js";
import { createKnownStates } from "./known.js";
import { reconcile, recordMissed } from "./reconcile.js";
import { createRetries } from "./retries.js";
import { createSafePlace } from "./safe-place.js";
import { createFaults, type Faults } from "./set-aside.js";
import { type ChangeBatch, type ChangeStream, isLost, MOST_EVENTS, openStream, timeBefore } from "./stream.js";
import { createEventRecorder, type RecorderParts } from "./event-recorder.js";
import { createJournalWriter, PAUSE_MS, type OnRecorded } from "./writer.js";

/** Milliseconds between reads, to batch changes: a command costs nearly the same for several. */
const GATHER_MS = 25;
/** Milliseconds since the commit of what was read last, after which what is behind it goes first: others wait for it. */
const BEHIND_MS = 500;
/** Then, the backlog proceeds after this many full batches. */
const OTHERS_FIRST = 8;
/** Fraction of time spent on the backlog; the rest leaves the database to others. */
const DUTY = 0.8;
/** Milliseconds that a read waits for the next event; without any, the position is saved as often. */
const AWAIT_MS = 2_000;
/** Milliseconds between saves of the stream position. Repeated events are recognized. */
const SAVE_MS = 1_000;

export interface FollowParts {
  readonly collections: JournalCollections;
  readonly onRecorded: OnRecorded;
  /** Lets requests go first for a while; by default not. */
  readonly idle?: (() => Promise<void>) | undefined;
  readonly log: Log;
  /** By default those of this run. */
  readonly faults?: Faults | undefined;
  /** @param entries number of new entries @param lagMs since the commit of the last one */
  readonly count: (entries: number, lagMs: number) => void;
}

/**
 * Records events from where the last process stopped, until aborted.
 *
 * @throws if another process appends, or the database is unavailable; all cached state is then invalid
 */
export async function follow(
  { collections, onRecorded, idle, log, count, faults = createFaults(collections, log) }: FollowParts,
  signal: AbortSignal,
): Promise<void> {
  const hidden = createHiddenThings();
  const known = createKnownStates(collections);
  const writer = createJournalWriter(collections, known, { hidden, onRecorded, faults });
  const making = { collections, hidden, known, writer, faults };
  const recorder = createEventRecorder(making);
  const stream = await open(making, log, signal);
  const place = createSafePlace(stream.start);
  const retries = createRetries({ ...making, onRecorded, log });
  const save = createSaving(collections, stream.start);
  const recordMissedOnce = onceItWorks(() => recordEarlierMisses(making, signal));
  let read = stream.start;
  /** The next events, if they are being read. */
  const ahead: { coming: Promise<ChangeBatch> | null } = { coming: null };
  /** Consecutive full batches. */
  let full = 0;
  let lagMs = 0;

  /** @returns the number of events */
  async function take(): Promise<number> {
    const { events, token } = await (ahead.coming ?? stream.next(AWAIT_MS, signal));
    ahead.coming = null;
    const entries = await recorder.take(events);
    const last = events.at(-1);
    lagMs = last === undefined ? 0 : Date.now() - timeOf(last).getTime();
    if (last !== undefined) count(entries, lagMs);
    place.pass(events, token);
    read = token;
    return events.length;
  }

  /** Has the database read the next events meanwhile. */
  function readAhead(): void {
    ahead.coming = stream.next(1, signal);
    // A fault is that of the next take.
    ahead.coming.catch(() => undefined);
  }

  /** Proceeds with the backlog until it is time for the next events. */
  async function goOn(): Promise<void> {
    const until = performance.now() + GATHER_MS;
    do {
      await idle?.();
      const startedAt = performance.now();
      await recorder.goOn();
      await delay(restMs(startedAt, DUTY));
    } while (!recorder.isDone() && performance.now() < until);
  }

  try {
    while (!signal.aborted) {
      const taken = await take();
      full = taken === MOST_EVENTS ? full + 1 : 0;
      const isDone = recorder.isDone();
      if (!isDone) readAhead();
      if (!isDone && (lagMs < BEHIND_MS || full % OTHERS_FIRST === 0)) await goOn();
      if (isDone && full === 0) {
        faults.caughtUp();
        await recordMissedOnce();
        await retries.now(signal);
      }
      await save(place.safe(recorder.waitingSince()), read);
      if (full > 0) await delay(PAUSE_MS);
      else if (isDone && taken > 0) await delay(GATHER_MS);
    }
  } catch (error) {
    if (!signal.aborted) throw error; // waiting ends
  } finally {
    await recorder.close();
    await ahead.coming?.catch(() => undefined);
    await stream.close();
  }
}

async function savePlace({ tails }: JournalCollections, token: Document, read: Document): Promise<void> {
  const place = { token, told: timeBefore(token), read: timeBefore(read) };
  await tails.updateOne({ _id: "topology" }, { $set: place }, { upsert: true });
}

/** Journals of builds without entries of sightings do not tell what is missed. */
async function recordEarlierMisses(making: RecorderParts, signal: AbortSignal): Promise<void> {
  const { tails } = making.collections;
  if ((await tails.findOne({ _id: "topology" }))?.sightings === true) return;
  await recordMissed(making, signal);
  if (!signal.aborted) await tails.updateOne({ _id: "topology" }, { $set: { sightings: true } });
}

/** Saves new positions now and then. */
function createSaving(collections: JournalCollections, start: Document) {
  let saved = { token: start, read: start, atMs: performance.now() };
  return async (token: Document, read: Document): Promise<void> => {
    if (performance.now() <= saved.atMs + SAVE_MS) return;
    const isOld = token === saved.token && read === saved.read;
    saved = { token, read, atMs: performance.now() };
    if (!isOld) await savePlace(collections, token, read);
  };
}

/** The stream from the saved position; without one, from now, after comparing everything. */
async function open(making: RecorderParts, log: Log, signal: AbortSignal): Promise<ChangeStream> {
  const { collections, hidden } = making;
  const { db, deletions, tails } = collections;
  const tail = await tails.findOne({ _id: "topology" });
  try {
    if (tail !== null) {
      const stream = await openStream(db, tail.token);
      for (const deletion of await deletions.find({ journaled: true }).toArray()) hidden.add(deletion);
      return stream;
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    log.warn({ err: error }, "the database no longer has the changes after the last journal entry");
  }
  // Opened first, so that changes during the comparison are seen again.
  const stream = await openStream(db, null);
  const entries = await reconcile(making, signal);
  if (!signal.aborted) await savePlace(collections, stream.start, stream.start);
  log.info({ entries }, "the journal was reconciled with the stored entities");
  return stream;
}
