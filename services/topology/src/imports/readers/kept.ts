import type { Skipped } from "../scan.rules.js";
import { clip } from "./texts.js";

/** Where a text is, for `skipped`. */
interface Written {
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
