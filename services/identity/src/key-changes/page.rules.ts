import type { KeyChange } from "@nts/shared/contract/internal";

/** What a gateway is told of the changes since the last one it has applied. */
export interface KeyChangePage {
  readonly changes: KeyChange[];
  readonly highest: number;
  /** Not all changes since are known any more, so that everything the gateway knows is void. */
  readonly reset: boolean;
}

/**
 * The changes after number `after`, of those found in the record after `highest` was read from it. Numbers have no
 * gaps, so a missing one is no longer kept; a gateway that is ahead of the record knew another one.
 */
export function pageOf(after: number, highest: number, found: readonly KeyChange[]): KeyChangePage {
  const last = Math.max(highest, found.at(-1)?.number ?? 0);
  const isComplete = found.length === last - after;
  return { changes: isComplete ? [...found] : [], highest: last, reset: !isComplete };
}
