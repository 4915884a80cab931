import type { Binding } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Stored } from "../storage/entities.js";

// A deletion's side effects are written in its transaction, which has six seconds. Deletions on one host are well
// within these bounds; bulk deletions over many full hosts may exceed them, and can be split.

/** Services or interfaces that a deletion moves up, and services whose bindings it removes. */
export const MOST_CHANGED = 4_000;

/** Bindings that a deletion removes. */
export const MOST_UNBOUND = 20_000;

/** A service with this many bindings counts as two. */
const BINDINGS_OF_A_CHANGE = 20;

/**
 * Reads what is to be changed.
 *
 * @throws AppError `too_many_changes`
 */
export async function changedAtOnce<T extends { readonly bindings?: readonly Binding[] }>(
  found: AsyncIterable<Stored<T>>,
): Promise<Stored<T>[]> {
  const changed: Stored<T>[] = [];
  let cost = 0;
  for await (const one of found) {
    cost += 1 + (one.entity.bindings?.length ?? 0) / BINDINGS_OF_A_CHANGE;
    if (cost > MOST_CHANGED) throw new AppError("too_many_changes", { limit: MOST_CHANGED });
    changed.push(one);
  }
  return changed;
}
