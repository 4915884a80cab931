import type { Entity, Stored } from "./entities.js";
import { revised } from "./revisions.rules.js";

/** An entity before and after. */
export interface Change<T> {
  readonly before: Stored<T>;
  /** With the next revision. */
  readonly after: Stored<T>;
}

/** What becomes of entities of one kind. */
export interface ChangesOf<T> {
  readonly created: readonly T[];
  readonly changed: readonly Change<T>[];
  readonly removed: readonly T[];
}

/** An entity with its next state. */
export interface Next<T> {
  readonly before: Stored<T>;
  readonly entity: T;
}

/** Those that differ, with their next revisions. */
export function changesOf<T extends Entity>(all: readonly Next<T>[], now: Date): Change<T>[] {
  return all.flatMap(({ before, entity }) => {
    const after = revised(before, entity, now);
    return after === null ? [] : [{ before, after }];
  });
}
