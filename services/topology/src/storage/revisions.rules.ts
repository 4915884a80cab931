import type { Entity, Stored } from "./entities.js";

/**
 * The next revision of an entity; null if nothing changes. `updated_at` always increases, even within a millisecond or
 * after a clock adjustment.
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

/** A canonical form of JSON, independent of member order. */
function textOf(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) => (isObject(inner) ? sorted(inner) : inner));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
