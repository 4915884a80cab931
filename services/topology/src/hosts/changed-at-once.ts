import type { Binding } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Stored } from "../storage/entities.js";

// What a deletion changes of others is written in its transaction, which has six seconds. Whatever goes from one host is
// well within these bounds; they are met by bulk-deletes over many full hosts, which can be sent in parts.

/** Services or interfaces that one deletion moves up, and as many services that it takes bindings from. */
export const MOST_CHANGED = 4_000;

/** Bindings that one deletion takes away. */
export const MOST_UNBOUND = 20_000;

/** A service with so many bindings costs as much more as another one. */
const BINDINGS_OF_A_CHANGE = 20;

/**
 * Reads what is to be changed together.
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
