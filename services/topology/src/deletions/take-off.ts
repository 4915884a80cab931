import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID, TAG_INDEX } from "../storage/indexes.js";
import { type Entities, type Entity, STORED } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { recorderOf } from "@nts/shared/writes/recorder";
import type { DeletedTags } from "../storage/hidden-tags.rules.js";

/** Kinds of entities that can carry tags. */
export const TAGGED = ["networks", "subnets", "hosts", "services"] as const;
export type TaggedKind = (typeof TAGGED)[number];

/** A scope of the whole organization in which these tags are deleted. */
export function scopeWithout(organizationId: string, tags: DeletedTags): Scope {
  return { organizationId, networks: "all", hidden: { hosts: new Set(), tags } };
}

/** How many entities carry some of the tags. @param most where counting ends */
export async function countTagged(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { tagIds, most }: { tagIds: readonly string[]; most: number },
): Promise<number> {
  let count = 0;
  for (const kind of TAGGED) {
    const { collection, within } = storage[kind];
    const options = { session: tx, limit: most - count, hint: TAG_INDEX };
    if (count < most) count += await collection.countDocuments({ ...within(scope), tags: { $in: tagIds } }, options);
  }
  return count;
}

/** Stores all entities of a kind as they are answered in a scope without some tags that they carry. */
export async function takeOff(
  storage: Storage,
  tx: ClientSession,
  { scope, without }: { scope: Scope; without: Scope },
  kind: TaggedKind,
): Promise<void> {
  const entities = storage[kind] as unknown as Entities<Entity>;
  const tagged = { tags: { $in: [...(without.hidden?.tags.keys() ?? [])] } };
  const changed = await entities.findMany(without, tagged, tx);
  await entities.replace(tx, scope, changed);
  recorderOf(tx)?.along(kind, changed.length);
}

/** Tells the plan of a deletion of tags how much carries them. */
export async function tellTagged(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  tagIds: readonly string[],
): Promise<void> {
  const recorder = recorderOf(tx);
  if (recorder === undefined) return;
  for (const kind of TAGGED) {
    const { collection, within } = storage[kind];
    const options = { session: tx, hint: TAG_INDEX };
    recorder.count(kind, await collection.countDocuments({ ...within(scope), tags: { $in: [...tagIds] } }, options));
  }
}

/**
 * The same for some entities that nobody waits for, without a transaction: each is written on the condition of its revision.
 *
 * @returns how many carried such a tag; those that somebody else has written at the same time may carry it still
 */
export async function takeOffInPassing(
  storage: Storage,
  scope: Scope,
  { kind, ids }: { kind: TaggedKind; ids: readonly string[] },
): Promise<number> {
  const { collection, documentOf, storedIn } = storage[kind] as unknown as Entities<Entity>;
  const organization_id = scope.organizationId;
  const tagged = { organization_id, _id: { $in: [...ids] }, tags: { $in: [...(scope.hidden?.tags.keys() ?? [])] } };
  const found = await collection.find(tagged, { projection: { ...STORED, _id: 1 }, hint: BY_ID }).toArray();
  const updates = found.map((document) => {
    const { _id, ...fields } = documentOf(organization_id, storedIn(document, scope));
    return { updateOne: { filter: { organization_id, _id, revision: document.revision }, update: { $set: fields } } };
  });
  if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
  return found.length;
}
