import type { ClientSession, Filter } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { TAG_INDEX } from "../indexes.js";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import type { DeletedTags } from "./hidden.js";

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
  session: ClientSession,
  scope: Scope,
  { tagIds, most }: { tagIds: readonly string[]; most: number },
): Promise<number> {
  let count = 0;
  for (const kind of TAGGED) {
    const { collection, within } = storage[kind];
    const options = { session, limit: most - count, hint: TAG_INDEX };
    if (count < most) count += await collection.countDocuments({ ...within(scope), tags: { $in: tagIds } }, options);
  }
  return count;
}

/**
 * Stores entities as they are answered: without the tags that are deleted in the scope.
 *
 * @param filter entities of the kind, beside that they carry such a tag
 * @returns how many there were
 */
export async function takeOff(
  storage: Storage,
  session: ClientSession,
  scope: Scope,
  { kind, filter = {} }: { kind: TaggedKind; filter?: Filter<EntityDocument> },
): Promise<number> {
  const entities = storage[kind] as unknown as Entities<Entity>;
  const tagged = { tags: { $in: [...(scope.hidden?.tags.keys() ?? [])] } };
  const without = await entities.findMany(scope, { ...filter, ...tagged }, session);
  await entities.replace(session, scope, without);
  return without.length;
}
