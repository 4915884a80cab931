// Entries of an organization, numbered from 1 without gaps, with non-decreasing times.

const DIGITS = 12;

/** Numbers from `first` to `last`. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** The `_id` of an entry; those of an organization are adjacent, ordered by number. */
export function placeOf(organizationId: string, n: number): string {
  return `${organizationId}:${String(n).padStart(DIGITS, "0")}`;
}

/** The `_id`s of an organization's entries after a number. */
export function placesBehind(organizationId: string, n: number): { readonly $gt: string; readonly $lt: string } {
  // The character that follows the separator.
  return { $gt: placeOf(organizationId, n), $lt: `${organizationId};` };
}

/** Entries read together by {@link firstSince}: a million take four reads, where a binary search takes twenty. */
const PROBES = 32;

/**
 * The first number at or after a time; the last plus one if there is none.
 *
 * @param timesOf the times of entries by number, without those that no longer exist
 */
export async function firstSince(
  { first, last }: Range,
  time: Date,
  timesOf: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Date>>,
): Promise<number> {
  let low = first;
  let high = last + 1;
  while (low < high) {
    const probes = spread(low, high);
    const times = await timesOf(probes);
    const isBefore = (n: number): boolean => (times.get(n)?.getTime() ?? -Infinity) < time.getTime();
    high = probes.find((n) => !isBefore(n)) ?? high;
    low = (probes.findLast((n) => n < high) ?? low - 1) + 1;
  }
  return low;
}

/** At most as many numbers as are read together, evenly spread from `low` to below `high`. */
function spread(low: number, high: number): number[] {
  const count = Math.min(PROBES, high - low);
  return Array.from({ length: count }, (_, n) => low + Math.floor(((n + 1) * (high - low)) / (count + 1)));
}

/** The query parameters of a page of entries. */
export interface PageRequest {
  readonly direction: "asc" | "desc";
  /** The number after which it starts, in its direction; null for the beginning. */
  readonly from: number | null;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The range of retained numbers in which to look for a page. @param search {@link firstSince} of these entries */
export async function rangeOf(
  kept: Range,
  { direction, from, since, until }: PageRequest,
  search: (time: Date, range: Range) => Promise<number>,
): Promise<Range> {
  let { first, last } = kept;
  if (direction === "asc") first = Math.max(first, (from ?? 0) + 1);
  else if (from !== null) last = Math.min(last, from - 1);
  if (since !== undefined) first = await search(new Date(since), { first, last });
  if (until !== undefined) last = (await search(new Date(until), { first, last })) - 1;
  return { first, last };
}
