import type { ObjectId } from "mongodb";
import { putUnder } from "@nts/shared/groups";
import type { JournalCollections } from "./collections.js";
import { createBacklog } from "./backlog.js";
import { createEventReader, isBarrier, timeOf } from "./events.js";
import type { EntityEvent } from "./entries.rules.js";
import { hiddenBy, type HidingDeletion } from "./expand.js";
import type { HiddenThings } from "./hidden.js";
import type { KnownStates } from "./known.js";
import { createLines } from "./lines.js";
import type { Faults } from "./set-aside.js";
import type { ChangeEvent } from "./stream.js";
import type { JournalWriter } from "./writer.js";

// Creates entries from events. A large deletion, and many changes of one organization, take a while: further events of
// the organization wait for them, others do not.

/** Events of an organization in one take; if there are more, they wait. */
const MOST_AT_ONCE = 100;

/** Dependencies of creating entries. */
export interface RecorderParts {
  readonly collections: JournalCollections;
  readonly hidden: HiddenThings;
  readonly known: KnownStates;
  readonly writer: JournalWriter;
  readonly faults?: Faults | undefined;
  /** See {@link createLines}. */
  readonly mostHeld?: number | undefined;
}

export interface EventRecorder {
  /** Records events, except those that must wait. @returns the number of new entries */
  take(events: readonly ChangeEvent[]): Promise<number>;
  /** Proceeds with waiting ones, in small steps. @returns the number of new entries */
  goOn(): Promise<number>;
  /** Whether nothing waits. */
  isDone(): boolean;
  /** Which take has the oldest waiting event, counted from 1; null if nothing waits. */
  waitingSince(): number | null;
  close(): Promise<void>;
}

export function createEventRecorder(parts: RecorderParts): EventRecorder {
  const { collections, hidden, known, writer, faults, mostHeld } = parts;
  const reader = createEventReader(collections, known, faults);
  const lines = createLines(writer, createBacklog(collections), mostHeld);
  const entitiesOf = createEntitiesOf(parts);
  /** Organizations with deletions in progress. */
  const unrecorded = new Map<string, string>();

  async function takeTogether(events: readonly ChangeEvent[]): Promise<number> {
    const entityEvents = await reader.read(events);
    const now: EntityEvent[] = [];
    const adding: Promise<void>[] = [];
    for (const [organizationId, those] of byOrganization(entityEvents))
      if (lines.has(organizationId) || those.length > MOST_AT_ONCE) adding.push(lines.addEvents(organizationId, those));
      else now.push(...those);
    const [entries] = await Promise.all([writer.write(now), ...adding]);
    await passBarriers(events.filter(isBarrier));
    return entries;
  }

  /** Acknowledges a barrier. */
  async function passBarriers(barriers: readonly ChangeEvent[]): Promise<void> {
    const pass = (passed: readonly ChangeEvent[]): Promise<void> => acknowledge(collections, passed);
    for (const one of barriers)
      if (lines.has(ownerOf(one))) lines.add(ownerOf(one), { batches: null, onRecorded: () => pass([one]) });
    await pass(barriers.filter((one) => !lines.has(ownerOf(one))));
  }

  function takeDeletion(event: ChangeEvent): void {
    const id = event.documentKey._id;
    if (event.operationType === "delete") return takeSwept(id);
    const deletion = { ...event.fullDocument, _id: id } as HidingDeletion;
    unrecorded.set(id, deletion.organization_id);
    lines.add(deletion.organization_id, {
      batches: entitiesOf(deletion, event),
      onRecorded: async () => {
        hidden.add(deletion);
        unrecorded.delete(id);
        await collections.deletions.updateOne({ _id: id }, { $set: { journaled: true } });
      },
    });
  }

  function takeSwept(id: string): void {
    const organizationId = unrecorded.get(id);
    const forget = (): void => {
      hidden.remove(id);
    };
    if (organizationId === undefined) forget();
    else lines.add(organizationId, { batches: null, onRecorded: forget });
  }

  return {
    take: async (events) => {
      lines.nextTake();
      let entries = 0;
      for (const { together, deletion } of parted(events))
        if (deletion === null) entries += await takeTogether(together);
        else takeDeletion(deletion);
      return entries;
    },
    goOn: lines.goOn,
    isDone: lines.isEmpty,
    waitingSince: lines.oldestTake,
    close: lines.close,
  };
}

/** Reads what a deletion hides; a deletion with which this fails is set aside. */
function createEntitiesOf({ collections, hidden, faults }: RecorderParts) {
  return async function* (
    deletion: HidingDeletion,
    event: ChangeEvent,
  ): AsyncGenerator<readonly EntityEvent[], void, void> {
    try {
      yield* hiddenBy(collections, deletion, { at: timeOf(event), committed: event.clusterTime, hidden });
    } catch (error) {
      if (faults?.isolates() !== true) throw error;
      const { _id: entity_id, organization_id } = deletion;
      await faults.setAside({ kind: "deletions", entity_id, organization_id, event: deletion }, error);
    }
  };
}

function byOrganization(events: readonly EntityEvent[]): ReadonlyMap<string, EntityEvent[]> {
  const groups = new Map<string, EntityEvent[]>();
  for (const event of events) putUnder(groups, event.organizationId, event);
  return groups;
}

function ownerOf({ fullDocument }: ChangeEvent): string {
  return String(fullDocument?.["organization_id"]);
}

async function acknowledge({ notes }: JournalCollections, barriers: readonly ChangeEvent[]): Promise<void> {
  const ids = barriers.map(({ documentKey }) => documentKey._id as unknown as ObjectId);
  if (ids.length > 0) await notes.updateMany({ _id: { $in: ids } }, { $set: { passed: true } });
}

interface Part {
  readonly together: readonly ChangeEvent[];
  readonly deletion: ChangeEvent | null;
}

/** Groups entity events, with hidden deletions on their own. */
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
