import type { Hidden } from "@nts/shared/http/tenancy";
import type { Entity, Stored } from "./entities.js";
import { revised } from "./revisions.rules.js";

/** Deleted tags, with the times of their deletion. */
export type DeletedTags = Hidden["tags"];

/** The deleted ones among an entity's tags, in order of deletion. */
export function deletedAmong(tags: readonly string[], deleted: DeletedTags): string[] {
  const timeOf = (tag: string): number => deleted.get(tag)?.getTime() ?? 0;
  return tags.filter((tag) => deleted.has(tag)).sort((a, b) => timeOf(a) - timeOf(b) || (a < b ? -1 : 1));
}

/**
 * An entity without deleted tags, each removed as a change of its own at its deletion time: what is returned before the
 * sweep, and stored by it.
 */
export function withoutDeleted<T extends Entity & { readonly tags: readonly string[] }>(
  stored: Stored<T>,
  deleted: DeletedTags,
): Stored<T> {
  let now = stored;
  for (const gone of deletedAmong(stored.entity.tags, deleted)) {
    const tags = now.entity.tags.filter((tag) => tag !== gone);
    now = revised(now, { ...now.entity, tags }, deleted.get(gone) as Date) ?? now;
  }
  return now;
}
