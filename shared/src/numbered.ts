// Entries of an organization that are numbered from 1 without gaps, and whose times do not go back.

const DIGITS = 12;

/** Numbers from `first` to `last`. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/** The `_id` of an entry: those of an organization stand together, in the order of their numbers. */
export function placeOf(organizationId: string, n: number): string {
  return `${organizationId}:${String(n).padStart(DIGITS, "0")}`;
}

/** The `_id`s of an organization's entries behind a number. */
export function placesBehind(organizationId: string, n: number): { readonly $gt: string; readonly $lt: string } {
  // The next character after the one that separates the number.
  return { $gt: placeOf(organizationId, n), $lt: `${organizationId};` };
}

/**
 * The first number at or after a time; one more than the last when there is none.
 *
 * @param timeOf null for an entry that is not there any more
 */
export async function firstSince(
  { first, last }: Range,
  time: Date,
  timeOf: (n: number) => Promise<Date | null>,
): Promise<number> {
  // Each look leaves half of what was left.
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await timeOf(middle);
    if (at === null || at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a page of entries is asked for by. */
export interface PageAsked {
  readonly direction: "asc" | "desc";
  /** The number that it comes behind, in its direction; null at the beginning. */
  readonly from: number | null;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The numbers among those that are kept in which a page is looked for. @param search {@link firstSince} of these entries */
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
