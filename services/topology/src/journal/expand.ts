import type { Document } from "mongodb";
import { STREAM_MS } from "@nts/shared/mongo/connect";
import { authorshipIn } from "../storage/authorship.js";
import type { DeletionDocument } from "../storage/deletion-records.js";
import { creationIndex, HOST_ORDER_INDEX, HOST_PORTS_INDEX, type IndexKey, TAG_INDEX } from "../storage/indexes.js";
import { TAGGED_KINDS } from "../storage/kinds.js";
import type { JournalCollections } from "./collections.js";
import type { EntityEvent, Journaled } from "./entries.rules.js";
import type { HiddenThings } from "./hidden.js";
import { BATCH, signatureOf } from "./writer.js";

// A large deletion is a small write that hides many entities. They are recorded one by one here, while their documents
// still exist.

interface Part {
  readonly collection: Journaled;
  readonly filter: Document;
  readonly hint: IndexKey;
}

/** A deletion, as read from the stream. */
export type HidingDeletion = Pick<DeletionDocument, "_id" | "kind" | "organization_id" | "deleted_at" | "ids" | "by">;

/**
 * The events of a deletion. It only counts as recorded when all are, unless it is of tags, which disappear from their
 * carriers at once.
 */
export async function* hiddenBy(
  { entities }: JournalCollections,
  deletion: HidingDeletion,
  { at, hidden }: { readonly at: Date; readonly hidden: HiddenThings },
): AsyncGenerator<readonly EntityEvent[]> {
  const { organization_id, by, kind } = deletion;
  const isOfTags = kind === "tags";
  if (isOfTags) hidden.add(deletion);
  const base = { organizationId: organization_id, at, by: by === undefined ? {} : signatureOf(authorshipIn(by)) };
  for (const { collection, filter, hint } of partsOf(deletion)) {
    let batch: EntityEvent[] = [];
    const projection = isOfTags ? { wire: 1, revision: 1, form: 1 } : { _id: 1 };
    const options = { projection, hint, batchSize: BATCH, maxTimeMS: STREAM_MS } as const;
    for await (const { _id: id, wire, revision, form } of entities(collection).find(filter, options)) {
      batch.push({ ...base, collection, id, state: isOfTags ? { wire, revision, form } : null });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  // Its document is purged soon after the response to the deletion, recorded or not.
  if (kind === "network") yield [{ ...base, collection: "networks", id: deletion._id, state: null }];
}

function partsOf({ _id, kind, organization_id, ids = [] }: HidingDeletion): readonly Part[] {
  const part = (collection: Journaled, condition: Document, hint: IndexKey): Part => ({
    collection,
    filter: { organization_id, ...condition },
    hint,
  });
  if (kind === "hosts") {
    const on = { host_id: { $in: ids } };
    return [
      part("services", on, HOST_ORDER_INDEX),
      part("ports", on, HOST_PORTS_INDEX),
      part("interfaces", on, HOST_ORDER_INDEX),
    ];
  }
  if (kind === "tags") return TAGGED_KINDS.map((kind) => part(kind, { tags: { $in: ids } }, TAG_INDEX));
  // No caller can read them any more.
  if (kind === "organization") return [];
  const order = (collection: Journaled): Part => part(collection, { network_id: _id }, creationIndex(collection, true));
  // Referencing entities before referenced ones.
  return (["services", "ports", "interfaces", "hosts", "subnets"] as const).map(order);
}
