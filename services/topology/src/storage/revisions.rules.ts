import type { Entity, Stored } from "./entities.js";

/**
 * The next revision of an entity; null if nothing changes. `updated_at` always increases, even within a millisecond or
 * after a clock adjustment.
 */
export function revised<T extends Entity>(current: Stored<T>, next: T, now: Date): Stored<T> | null {
  const same = isSame({ ...next, updated_at: "" }, { ...current.entity, updated_at: "" });
  if (same) return null;
  const updatedMs = Math.max(now.getTime(), Date.parse(current.entity.updated_at) + 1);
  return {
    ...current,
    entity: { ...next, updated_at: new Date(updatedMs).toISOString() },
    revision: current.revision + 1,
  };
}

/** Whether JSON values are equal, whatever the order of members. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, n) => isSame(value, other[n]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = namesIn(one);
  if (names.length !== namesIn(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members that JSON has. */
function namesIn(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}
