/** Members of responses that imports change, and that are not part of the journal or the past. */
const SEEN: ReadonlySet<string> = new Set(["seen", "missed_since"]);

/** A value without them, at any depth. */
export function withoutSightings<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (SEEN.has(name) ? undefined : inner))) as T;
}
