import { setTimeout as delay } from "node:timers/promises";
import type { Document, ObjectId } from "mongodb";
import type { Log } from "@nts/shared/log";
import type { JournalCollections } from "./collections.js";
import { createEventReader, isBarrier, timeOf, transactionOf } from "./events.js";
import { type HidingDeletion, tellHidden } from "./expand.js";
import { createHiddenThings, type HiddenThings } from "./hidden.js";
import { createKnownStates } from "./known.js";
import { reconcile } from "./reconcile.js";
import { type ChangeEvent, type ChangeStream, isLost, MOST_EVENTS, openStream } from "./stream.js";
import { createJournalWriter, type JournalWriter, PAUSE_MS, type Told } from "./writer.js";

/** Milliseconds between two looks, in which changes gather: one command for several of them costs hardly more than for one. */
const GATHER_MS = 25;
/** Milliseconds after which the place in the stream is saved again. What comes twice then is known. */
const SAVE_MS = 1_000;

export interface FollowParts {
  readonly collections: JournalCollections;
  readonly told: Told;
  readonly log: Log;
  /** @param entries that were made @param lagMs since the last one of them was committed */
  readonly count: (entries: number, lagMs: number) => void;
}

/** What making entries takes. */
interface Making {
  readonly collections: JournalCollections;
  readonly hidden: HiddenThings;
  readonly writer: JournalWriter;
}

/**
 * Makes the entries of what happens, from where the last one stopped, until the signal.
 *
 * @throws when another process appends, or the database is away; then all that this one knows is void
 */
export async function follow({ collections, told, log, count }: FollowParts, signal: AbortSignal): Promise<void> {
  const hidden = createHiddenThings();
  const writer = createJournalWriter(collections, createKnownStates(collections), { hidden, told });
  const making = { collections, hidden, writer };
  const tell = createTelling(making);
  const stream = await open(making, log, signal);
  const place = createSafePlace(stream.begun);
  let saved = { token: stream.begun, atMs: performance.now() };
  try {
    while (!signal.aborted) {
      const { events, token } = await stream.next();
      const entries = await tell(events);
      await passBarriers(collections, events);
      const last = events.at(-1);
      if (last !== undefined) count(entries, Date.now() - timeOf(last).getTime());
      const safe = place.after(events, token);
      if (performance.now() > saved.atMs + SAVE_MS && safe !== saved.token) {
        await save(collections, safe);
        saved = { token: safe, atMs: performance.now() };
      }
      if (events.length > 0) await delay(events.length < MOST_EVENTS ? GATHER_MS : PAUSE_MS);
    }
  } finally {
    await stream.close();
  }
}

/** Lets go on who waits for everything before a barrier. */
async function passBarriers({ notes }: JournalCollections, events: readonly ChangeEvent[]): Promise<void> {
  const passed = events.filter(isBarrier).map(({ documentKey }) => documentKey._id as unknown as ObjectId);
  if (passed.length > 0) await notes.updateMany({ _id: { $in: passed } }, { $set: { passed: true } });
}

async function save({ tails }: JournalCollections, token: Document): Promise<void> {
  await tails.updateOne({ _id: "topology" }, { $set: { token } }, { upsert: true });
}

/** The stream from the saved place on; where there is none, from now on, after all was compared. */
async function open(making: Making, log: Log, signal: AbortSignal): Promise<ChangeStream> {
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
    log.warn({ err: error }, "the database has forgotten what came after the last entry of the journal");
  }
  // Opened first, so that whatever is changed while all is compared comes again.
  const stream = await openStream(db, null);
  const entries = await reconcile(making, signal);
  if (!signal.aborted) await save(collections, stream.begun);
  log.info({ entries }, "the journal was compared with what is stored");
  return stream;
}

/** Makes what tells of events. @returns how many entries they made */
function createTelling({ collections, hidden, writer }: Making): (events: readonly ChangeEvent[]) => Promise<number> {
  const reader = createEventReader(collections);

  async function tellDeletion(deletion: HidingDeletion, event: ChangeEvent): Promise<void> {
    // Of tags it is known at once: they are off what carries them, and that is told.
    if (deletion.kind === "tags") hidden.add(deletion);
    await tellHidden(collections, writer, deletion, timeOf(event));
    hidden.add(deletion);
    await collections.deletions.updateOne({ _id: deletion._id }, { $set: { journaled: true } });
  }

  return async (events) => {
    let entries = 0;
    for (const { together, deletion } of parted(events))
      if (deletion === null) entries += await writer.write(await reader.read(together));
      else if (deletion.operationType === "delete") hidden.remove(deletion.documentKey._id);
      else await tellDeletion({ ...deletion.fullDocument, _id: deletion.documentKey._id } as HidingDeletion, deletion);
    return entries;
  };
}

/** The last place between two transactions: one within would part what a transaction deletes from its note. */
function createSafePlace(begun: Document): { after(events: readonly ChangeEvent[], token: Document): Document } {
  let [safe, previous, transaction] = [begun, begun, ""];
  return {
    after: (events, token) => {
      for (const event of events) {
        const next = transactionOf(event);
        if (next !== transaction) safe = previous;
        if (next === "") safe = event._id;
        [previous, transaction] = [event._id, next];
      }
      if (events.length === 0) [safe, previous, transaction] = [token, token, ""];
      return safe;
    },
  };
}

interface Part {
  readonly together: readonly ChangeEvent[];
  readonly deletion: ChangeEvent | null;
}

/** Events of entities together, and those of hidden deletions each for itself. */
function* parted(events: readonly ChangeEvent[]): Generator<Part> {
  let together: ChangeEvent[] = [];
  for (const event of events) {
    if (event.ns.coll !== "deletions") {
      together.push(event);
      continue;
    }
    yield { together, deletion: null };
    yield { together: [], deletion: event };
    together = [];
  }
  if (together.length > 0) yield { together, deletion: null };
}
