import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { TAG_INDEX } from "../storage/indexes.js";
import type { Entities, Entity } from "../storage/entities.js";
import { TAGGED } from "../kinds/index.js";
import type { Storage } from "../storage/storage.js";
import { recorderOf } from "@nts/shared/writes/recorder";
import type { DeletedTags } from "../storage/hidden-tags.rules.js";

/** A scope of the whole organization in which these tags are deleted. */
export function scopeWithout(organizationId: string, tags: DeletedTags): Scope {
  return { organizationId, networks: "all", hidden: { hosts: new Set(), tags } };
}

/** Counts entities with any of the tags. @param most where counting stops */
export async function countTagged(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { tagIds, most }: { tagIds: readonly string[]; most: number },
): Promise<number> {
  let count = 0;
  for (const kind of TAGGED) {
    if (count === most) break;
    const atMost = { most: most - count, hint: TAG_INDEX };
    count += await storage[kind].countIn(tx, scope, { tags: { $in: tagIds } }, atMost);
  }
  return count;
}

/** Removes tags from all stored entities of a kind. */
export async function takeOff(
  storage: Storage,
  tx: ClientSession,
  { scope, without }: { scope: Scope; without: Scope },
  kind: (typeof TAGGED)[number],
): Promise<void> {
  const entities = storage[kind] as unknown as Entities<Entity>;
  const tagged = { tags: { $in: [...(without.hidden?.tags.keys() ?? [])] } };
  const changed = await entities.findMany(without, tagged, tx);
  await entities.replace(tx, scope, changed);
  recorderOf(tx)?.along(kind, changed.length);
}

/** Adds the number of tagged entities to the plan of a deletion. */
export async function reportTagged(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  tagIds: readonly string[],
): Promise<void> {
  const recorder = recorderOf(tx);
  if (recorder === undefined) return;
  for (const kind of TAGGED)
    recorder.count(kind, await storage[kind].countIn(tx, scope, { tags: { $in: [...tagIds] } }, { hint: TAG_INDEX }));
}
