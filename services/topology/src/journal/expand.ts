import { type Document, Timestamp } from "mongodb";
import { isSnapshotGone } from "@nts/shared/mongo/faults";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import { DEADLINES } from "@nts/shared/timing";
import { authorshipIn } from "../storage/authorship.js";
import type { DeletionDocument } from "../storage/deletion-records.js";
import type { EntityDocument } from "../storage/entities.js";
import { creationIndex, type IndexKey, ON_HOST_INDEXES, TAG_INDEX } from "../storage/indexes.js";
import { type Collection, IN_NETWORKS, isPart, ON_HOSTS, TAGGED } from "../kinds/index.js";
import type { JournalCollections } from "./collections.js";
import type { EntityEvent, Journaled } from "./entries.rules.js";
import type { HiddenThings } from "./hidden.js";
import { BATCH, signatureOf } from "./writer.js";

// A large deletion is a small write that hides many entities. They are recorded one by one here, while their documents
// still exist, as they were when it was committed: later writes have events of their own.

interface Part {
  readonly collection: Journaled;
  readonly filter: Document;
  readonly hint: IndexKey;
}

/** A deletion, as read from the stream. */
export type HidingDeletion = Pick<DeletionDocument, "_id" | "kind" | "organization_id" | "deleted_at" | "ids" | "by">;

type Batches = Pick<JournalCollections, "batches">;

export interface Hiding {
  readonly at: Date;
  /** The same in database time. */
  readonly committed: { readonly high: number; readonly low: number };
  readonly hidden: HiddenThings;
}

/**
 * The events of a deletion. It only counts as recorded when all are, unless it is of tags, which disappear from their
 * carriers at once.
 */
export async function* hiddenBy(
  { batches }: Batches,
  deletion: HidingDeletion,
  { at, committed, hidden }: Hiding,
): AsyncGenerator<readonly EntityEvent[]> {
  const { organization_id, by, kind } = deletion;
  const isOfTags = kind === "tags";
  if (isOfTags) hidden.add(deletion);
  const base = { organizationId: organization_id, at, by: by === undefined ? {} : signatureOf(authorshipIn(by)) };
  const time = new Timestamp({ t: committed.high, i: committed.low });
  for (const part of partsOf(deletion)) {
    const { collection } = part;
    const projection = isOfTags ? { wire: 1, revision: 1, form: 1 } : { _id: 1 };
    for await (const documents of documentsOf(batches, { ...part, projection }, time))
      yield documents.map(({ _id: id, wire, revision, form }) => {
        const state = isOfTags ? { wire, revision, form } : null;
        return { ...base, collection, id, state };
      });
  }
  // Its document is purged soon after the response to the deletion, recorded or not.
  if (kind === "network") yield [{ ...base, collection: "networks", id: deletion._id, state: null }];
}

/** Documents as of a time; all of them as of now if the database no longer has that: what is recorded twice is ignored. */
async function* documentsOf(
  batches: Batches["batches"],
  part: Part & { readonly projection: Document },
  time: Timestamp,
): AsyncGenerator<EntityDocument[]> {
  const find = { ...part, firstRows: BATCH, mostRows: BATCH, maxTimeMS: DEADLINES.streamMs };
  const read = async function* (moment?: Moment): AsyncGenerator<EntityDocument[]> {
    for await (const batch of batches(find, moment)) yield documentsIn(batch) as EntityDocument[];
  };
  try {
    yield* read({ time });
  } catch (error) {
    if (!isSnapshotGone(error)) throw error;
    yield* read();
  }
}

function isJournaled<Name extends Collection>(name: Name): name is Name & Journaled {
  return !isPart(name);
}

function partsOf({ _id, kind, organization_id, ids = [] }: HidingDeletion): readonly Part[] {
  const part = (collection: Journaled, condition: Document, hint: IndexKey): Part => ({
    collection,
    filter: { organization_id, ...condition },
    hint,
  });
  if (kind === "hosts") {
    const on = { host_id: { $in: ids } };
    return ON_HOSTS.filter(isJournaled).map((one) => part(one, on, ON_HOST_INDEXES[one]));
  }
  if (kind === "tags") return TAGGED.map((kind) => part(kind, { tags: { $in: ids } }, TAG_INDEX));
  // No caller can read them any more.
  if (kind === "organization") return [];
  return IN_NETWORKS.filter(isJournaled).map((one) => part(one, { network_id: _id }, creationIndex(true)));
}
