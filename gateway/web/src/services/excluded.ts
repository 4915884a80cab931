import { CATEGORIES, type Category } from "@nts/shared/contract";

/** The categories to exclude, so that some remain, or all but others. @param only empty for all */
export function excluded(only: readonly string[], without: readonly string[]): Category[] {
  return CATEGORIES.filter((one) => without.includes(one) || (only.length > 0 && !only.includes(one)));
}
