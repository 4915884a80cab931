import type { Entity, Stored } from "./entities.js";

/**
 * The next state of an entity under its next revision; null when nothing really changes. `updated_at` always moves
 * forward, also when two changes fall into one millisecond or the clock was set back.
 */
export function revised<T extends Entity>(current: Stored<T>, next: T, now: Date): Stored<T> | null {
  const same = textOf({ ...next, updated_at: "" }) === textOf({ ...current.entity, updated_at: "" });
  if (same) return null;
  const updatedMs = Math.max(now.getTime(), Date.parse(current.entity.updated_at) + 1);
  return {
    ...current,
    entity: { ...next, updated_at: new Date(updatedMs).toISOString() },
    revision: current.revision + 1,
  };
}

/** One text for all values that are the same as JSON: the order of members means nothing there. */
function textOf(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) => (isObject(inner) ? sorted(inner) : inner));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
