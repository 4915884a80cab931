/** Members of answers that imports move, and that neither the journal nor the past know of. */
const SEEN: ReadonlySet<string> = new Set(["seen", "missed_since"]);

/** A value without them, wherever they stand. */
export function withoutSightings<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (SEEN.has(name) ? undefined : inner))) as T;
}
