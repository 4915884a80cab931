import type { KeyChange } from "@nts/shared/contract/internal";

/** The response to a gateway's pull. */
export interface KeyChangePage {
  readonly changes: KeyChange[];
  readonly highest: number;
  /** Some changes are no longer retained, so the gateway's whole cache is invalid. */
  readonly reset: boolean;
}

/**
 * The changes after number `after`, read after `highest`. A missing number is no longer retained, as numbers are
 * gapless; a gateway ahead of the log knew a different one.
 */
export function pageOf(after: number, highest: number, found: readonly KeyChange[]): KeyChangePage {
  const last = Math.max(highest, found.at(-1)?.number ?? 0);
  const isComplete = found.length === last - after;
  return { changes: isComplete ? [...found] : [], highest: last, reset: !isComplete };
}
