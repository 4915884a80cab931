import { composed, distinctTags } from "./contract/folding.rules.js";

// JSON Merge Patch. The result has no prototype, because a member may have any name.

type Members = Readonly<Record<string, unknown>>;

/**
 * Applies a patch to an entity. Null stays null at the top level, where it clears a member; in nested objects it
 * removes the member. `tags` may be changed by `{add, remove}`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function merged(current: object, patch: object): Members {
  const members = new Map<string, unknown>(Object.entries(current));
  for (const [name, value] of Object.entries(patch) as [string, unknown][]) {
    const before = members.get(name);
    members.set(name, name === "tags" && isObject(value) ? changedTags(before, value) : mergedValue(before, value));
  }
  return Object.fromEntries(members);
}

function mergedValue(current: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(current) ? Object.entries(current) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) members.delete(name);
    else members.set(name, mergedValue(members.get(name), value));
  return Object.fromEntries(members);
}

function changedTags(current: unknown, { add = [], remove = [] }: { add?: unknown; remove?: unknown }): unknown[] {
  const removed = new Set((remove as string[]).map(composed));
  const kept = ((current ?? []) as string[]).filter((tag) => !removed.has(composed(tag)));
  return distinctTags([...kept, ...(add as string[])]);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
