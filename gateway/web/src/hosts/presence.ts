import type { Change } from "@nts/shared/contract";

// When imports have found a host, and when they have missed it, as far as the journal tells.

/** What was known in a part of the time. `unknown`: it did not exist, or no import had looked for it. */
export interface Span {
  readonly state: "seen" | "missed" | "unknown";
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

type Entry = Pick<Change, "action" | "after" | "before" | "at">;

interface Sighted {
  readonly seen?: { readonly first_at: string } | null | undefined;
  readonly missed_since?: string | null | undefined;
}

/**
 * The spans of a time, in order and without gaps.
 *
 * @param entries of the host's sightings, in any order
 */
export function presenceOf(host: Sighted, entries: readonly Entry[], { from, to }: Pick<Span, "from" | "to">): Span[] {
  const { seen = null, missed_since: missed = null } = host;
  const since = seen === null ? Infinity : Date.parse(seen.first_at);
  const gaps = entries.flatMap(({ action, before, at }): [number, number][] => {
    const start = before?.["missed_since"];
    return action === "returned" && typeof start === "string" ? [[Date.parse(start), Date.parse(at)]] : [];
  });
  if (missed !== null) gaps.push([Date.parse(missed), to]);
  const spans: Span[] = [];
  let at = from;
  const until = (end: number, state: Span["state"]): void => {
    const stop = Math.min(Math.max(end, at), to);
    if (stop > at) spans.push({ state, from: at, to: stop });
    at = stop;
  };
  until(since, "unknown");
  for (const [start, end] of gaps.toSorted(([a], [b]) => a - b)) {
    until(start, "seen");
    until(end, "missed");
  }
  until(to, since === Infinity ? "unknown" : "seen");
  return spans;
}
