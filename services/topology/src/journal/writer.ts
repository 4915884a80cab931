import { chunksOf } from "@nts/shared/groups";
import type { Authorship } from "../storage/authorship.js";
import type { JournalCollections } from "./collections.js";
import { draftsOf, type EntityEvent, type JournalDocument, type Signature } from "./entries.rules.js";
import { namedByEnds } from "./end-names.js";
import type { HiddenThings } from "./hidden.js";
import type { KnownStates } from "./known.js";
import type { Faults } from "./set-aside.js";

/** Maximum entries and bytes per command: more would block the process for too long. */
export const BATCH = 200;
const BATCH_BYTES = 4 * 1_048_576;
/** Events of an organization that are recorded at its turn, which it waits for longer than it takes to record some of them. */
export const AT_A_TURN = 2 * BATCH;
/** Milliseconds between batches, to leave process and database to others. */
export const PAUSE_MS = 5;

/** Notified of new entries. */
export type OnRecorded = (organizationId: string, networkIds: ReadonlySet<string | null>) => void;

export interface WriterOptions {
  readonly hidden: HiddenThings;
  readonly onRecorded: OnRecorded;
  readonly faults?: Faults | undefined;
}

/** Appends to the journal. */
export interface JournalWriter {
  /** Records events in order. @returns the number of new entries */
  write(events: readonly EntityEvent[]): Promise<number>;
}

export function createJournalWriter(
  { journal }: JournalCollections,
  known: KnownStates,
  { hidden, onRecorded, faults }: WriterOptions,
): JournalWriter {
  async function append(documents: readonly JournalDocument[]): Promise<void> {
    // Ordered: if a concurrent writer has taken the first number, nothing of ours is inserted.
    for (const batch of inBatches(documents)) await journal.insertMany([...batch], { ordered: true });
    const networks = new Map<string, Set<string | null>>();
    for (const { organization_id, network_id } of documents)
      networks.set(organization_id, (networks.get(organization_id) ?? new Set()).add(network_id));
    for (const [organizationId, networkIds] of networks) onRecorded(organizationId, networkIds);
  }

  async function writeSome(events: readonly EntityEvent[]): Promise<number> {
    const organizations = new Set(events.map(({ organizationId }) => organizationId));
    await known.load(
      events.map(({ id }) => id),
      [...organizations],
    );
    const documents: JournalDocument[] = [];
    for (const event of events)
      for (const draft of draftsOf(known.get(event.id), event)) documents.push(known.place(draft));
    await append(await namedByEnds({ journal }, documents));
    return documents.length;
  }

  async function writeAll(events: readonly EntityEvent[]): Promise<number> {
    const seen = events.flatMap((one) => hidden.seen(one) ?? []);
    let entries = 0;
    for (const some of chunksOf(seen, BATCH)) entries += await writeSome(some);
    return entries;
  }

  /** Sets aside those that cannot be written. */
  async function writeEach(events: readonly EntityEvent[], { setAside }: Faults): Promise<number> {
    let entries = 0;
    for (const event of events)
      try {
        entries += await writeAll([event]);
      } catch (error) {
        const { collection: kind, id: entity_id, organizationId: organization_id } = event;
        await setAside({ kind, entity_id, organization_id, event }, error);
        known.forget();
      }
    return entries;
  }

  return { write: (events) => (faults?.isolates() === true ? writeEach(events, faults) : writeAll(events)) };
}

function* inBatches(documents: readonly JournalDocument[]): Generator<readonly JournalDocument[]> {
  let batch: JournalDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    batch.push(document);
    bytes += document.wire.length + (document.old?.length ?? 0) + (document.was?.length ?? 0);
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** An author as recorded in entries. */
export function signatureOf({ author }: Pick<Authorship, "author">): Signature {
  if (author === null) return {};
  const { userId, keyId, email, requestId, comment } = author;
  return {
    user_id: userId,
    ...(keyId !== null && { key_id: keyId }),
    ...(email !== null && { email }),
    request_id: requestId,
    ...(comment !== null && { comment }),
  };
}
