import type { Skipped } from "../scan.rules.js";
import { clip } from "./texts.js";

/** Where something is written, for `skipped`. */
export interface Written {
  readonly skipped: Skipped;
  readonly line: number;
  /** Such as `image of container web`. */
  readonly what: string;
}

/** A text as it is kept: cut after so many characters, which is listed; null if it is empty. */
export function kept(text: string, most: number, { skipped, line, what }: Written): string | null {
  // A character has at most two code units.
  if ([...text.trim().slice(0, 2 * most + 1)].length > most)
    skipped.add(line, what, `only its first ${most} characters are kept`);
  return clip(text, most);
}

/** The first of several entries. That there are more is listed. @param what they are, such as `ports of pod web` */
export function firstOf<Entry>(
  entries: readonly Entry[],
  most: number,
  { skipped, line, what }: Written,
): readonly Entry[] {
  if (entries.length > most) skipped.add(line, what, `only the first ${most} of ${entries.length} are read`);
  return entries.slice(0, most);
}
