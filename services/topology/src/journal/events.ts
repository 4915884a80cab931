import type { Authorship } from "../storage/authorship.js";
import { authorshipIn, BARRIER, NOTES } from "../storage/authorship.js";
import { BY_ID, JOURNAL_OF_ENTITY, LAST_ENTRIES_FIRST } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import { type EntityEvent, hasSightings, JOURNALED, type Journaled } from "./entries.rules.js";
import type { KnownStates } from "./known.js";
import type { Faults } from "./set-aside.js";
import type { ChangeEvent } from "./stream.js";
import { signatureOf } from "./writer.js";

// The author of a deletion is in the note of its transaction, whose events are adjacent. Sweeps that follow the journal
// leave none; builds without a journal omit author and organization, which is looked up.

export interface EventReader {
  /** The entity events of some database events, in order. */
  read(events: readonly ChangeEvent[]): Promise<EntityEvent[]>;
}

interface Unplaced extends Omit<EntityEvent, "organizationId"> {
  readonly organizationId: string | null;
}

interface Note {
  readonly transaction: string;
  readonly authorship: Authorship;
}

export function createEventReader(
  collections: JournalCollections,
  known: Pick<KnownStates, "goneAmong">,
  faults?: Faults,
): EventReader {
  let note: Note | null = null;

  function entityEventIn(event: ChangeEvent): Unplaced | null {
    const { ns, documentKey, operationType, fullDocument, updateDescription } = event;
    const fields = fullDocument ?? updateDescription?.updatedFields ?? {};
    const by = fields["by"] as string | undefined;
    if (isBarrier(event)) return null;
    if (ns.coll === NOTES) {
      note = { transaction: transactionOf(event), authorship: authorshipIn(by ?? "{}") };
      return null;
    }
    if (!(ns.coll in JOURNALED)) return null;
    const isGone = operationType === "delete";
    const noted = isGone && note?.transaction === transactionOf(event) ? note : null;
    const authorship = by === undefined ? (noted?.authorship ?? null) : authorshipIn(by);
    const { wire, revision, form } = fields as { wire?: string; revision?: number; form?: number };
    const missed = missedIn(event);
    if (!isGone && wire === undefined && missed === undefined) return null;
    return {
      collection: ns.coll as Journaled,
      id: documentKey._id,
      organizationId: authorship?.organizationId ?? (fullDocument?.["organization_id"] as string | undefined) ?? null,
      at: timeOf(event),
      by: authorship === null ? {} : signatureOf(authorship),
      state: isGone ? null : wire === undefined ? undefined : { wire, revision, form },
      missed,
      isNew: operationType === "insert",
      order: orderOf(event),
    };
  }

  return {
    read: async (events) => {
      const seen =
        faults?.isolates() === true
          ? await readEach(events, entityEventIn, faults)
          : events.flatMap((event) => entityEventIn(event) ?? []);
      const swept = await known.goneAmong(seen.filter(hasNoAuthor).map(({ id }) => id));
      const all = seen.filter((one) => !(hasNoAuthor(one) && swept.has(one.id)));
      const unplaced = all.filter(({ organizationId }) => organizationId === null);
      const looked = unplaced.length === 0 ? new Map<string, string>() : await organizationsOf(collections, unplaced);
      return all.flatMap((one) => {
        const organizationId = one.organizationId ?? looked.get(one.id);
        // Never recorded, and deleted.
        return organizationId === undefined ? [] : [{ ...one, organizationId }];
      });
    },
  };
}

/** Sets aside those that cannot be read. */
async function readEach(
  events: readonly ChangeEvent[],
  read: (event: ChangeEvent) => Unplaced | null,
  { setAside }: Faults,
): Promise<Unplaced[]> {
  const found: (Unplaced | null)[] = [];
  for (const event of events)
    try {
      found.push(read(event));
    } catch (error) {
      const { ns, documentKey, fullDocument } = event;
      const organization_id = (fullDocument?.["organization_id"] as string | undefined) ?? null;
      await setAside({ kind: ns.coll, entity_id: documentKey._id, organization_id, event }, error);
    }
  return found.filter((one) => one !== null);
}

/** Organizations of entities, from the journal or storage. */
async function organizationsOf(
  { journal, entities }: JournalCollections,
  unplaced: readonly Unplaced[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const ids = [...new Set(unplaced.map(({ id }) => id))];
  const stages = [
    { $match: { entity_id: { $in: ids } } },
    { $sort: LAST_ENTRIES_FIRST },
    { $group: { _id: "$entity_id", organization_id: { $first: "$organization_id" } } },
  ];
  const recorded = journal.aggregate<{ _id: string; organization_id: string }>(stages, { hint: JOURNAL_OF_ENTITY });
  for (const { _id, organization_id } of await recorded.toArray()) found.set(_id, organization_id);
  const unrecorded = unplaced.filter(({ id }) => !found.has(id));
  for (const collection of new Set(unrecorded.map(({ collection: kind }) => kind))) {
    const those = unrecorded.filter(({ collection: kind }) => kind === collection).map(({ id }) => id);
    const options = { hint: BY_ID, projection: { organization_id: 1 } } as const;
    for await (const { _id, organization_id } of entities(collection).find({ _id: { $in: those } }, options))
      found.set(_id, organization_id);
  }
  return found;
}

/** Since when it is missed; null if it is not, undefined if the event does not tell. */
function missedIn({ ns, operationType, fullDocument, updateDescription }: ChangeEvent): number | null | undefined {
  if (!hasSightings(ns.coll) || operationType === "delete") return undefined;
  if (fullDocument !== undefined) return (fullDocument["missed"] as number | undefined) ?? null;
  if (updateDescription?.removedFields?.includes("missed") === true) return null;
  return updateDescription?.updatedFields["missed"] as number | undefined;
}

/** A deletion without a note. */
function hasNoAuthor({ state, organizationId }: Unplaced): boolean {
  return state === null && organizationId === null;
}

/** A barrier to acknowledge. */
export function isBarrier({ ns, fullDocument }: ChangeEvent): boolean {
  return ns.coll === NOTES && fullDocument?.["kind"] === BARRIER;
}

/** More than the number of events in a second. */
const EVENTS_PER_SECOND = 2 ** 20;

function orderOf({ clusterTime: { high, low } }: ChangeEvent): number {
  return high * EVENTS_PER_SECOND + low;
}

/** Commit time. */
export function timeOf({ wallTime, clusterTime }: Pick<ChangeEvent, "wallTime" | "clusterTime">): Date {
  return wallTime ?? new Date(clusterTime.high * 1_000);
}

/** Identifies the transaction of an event; empty outside of one. */
export function transactionOf({ lsid, txnNumber }: ChangeEvent): string {
  return lsid === undefined || txnNumber === undefined ? "" : `${lsid.id.toString("hex")} ${String(txnNumber)}`;
}
