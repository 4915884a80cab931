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

/**
 * The first number at or after a time; the last plus one if there is none.
 *
 * @param timeOf null for an entry that no longer exists
 */
export async function firstSince(
  { first, last }: Range,
  time: Date,
  timeOf: (n: number) => Promise<Date | null>,
): Promise<number> {
  // Binary search.
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await timeOf(middle);
    if (at === null || at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The query parameters of a page of entries. */
export interface PageAsked {
  readonly direction: "asc" | "desc";
  /** The number after which it starts, in its direction; null for the beginning. */
  readonly from: number | null;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The range of retained numbers in which to look for a page. @param search {@link firstSince} of these entries */
export async function rangeOf(
  kept: Range,
  { direction, from, since, until }: PageAsked,
  search: (time: Date, range: Range) => Promise<number>,
): Promise<Range> {
  let { first, last } = kept;
  if (direction === "asc") first = Math.max(first, (from ?? 0) + 1);
  else if (from !== null) last = Math.min(last, from - 1);
  if (since !== undefined) first = await search(new Date(since), { first, last });
  if (until !== undefined) last = (await search(new Date(until), { first, last })) - 1;
  return { first, last };
}
