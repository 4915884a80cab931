import type { Entity, Stored } from "./entities.js";

/**
 * The next state of an entity under its next revision; null when nothing really changes. `updated_at` always moves
 * forward, also when two changes fall into one millisecond or the clock was set back.
 */
export function revised<T extends Entity>(current: Stored<T>, next: T, now: Date): Stored<T> | null {
  const same =
    JSON.stringify(sorted({ ...next, updated_at: "" })) ===
    JSON.stringify(sorted({ ...current.entity, updated_at: "" }));
  if (same) return null;
  const updatedMs = Math.max(now.getTime(), Date.parse(current.entity.updated_at) + 1);
  return { entity: { ...next, updated_at: new Date(updatedMs).toISOString() }, revision: current.revision + 1 };
}

/** Members in one order, so that two values can be compared as text. */
function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
