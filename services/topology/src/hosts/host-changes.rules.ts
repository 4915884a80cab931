import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { Entity, Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";

// What becomes of hosts and their children when these are divided differently.

interface Change<T> {
  readonly before: Stored<T>;
  readonly after: Stored<T>;
}

interface ChangesOf<T> {
  readonly created: readonly T[];
  readonly changed: readonly Change<T>[];
  readonly removed: readonly T[];
}

export interface HostChanges {
  readonly hosts: ChangesOf<HostRecord>;
  readonly interfaces: ChangesOf<Interface>;
  readonly ports: ChangesOf<Port>;
  readonly services: ChangesOf<Service>;
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
