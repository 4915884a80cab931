import { setTimeout as delay } from "node:timers/promises";
import { createQueuedRead, type QueuedRead } from "./queued-reads.js";
import { restMs } from "./repeat.js";
import type { Shares } from "./shares.js";

/** Expensive reads with many callers: each group runs one at a time, followed by a pause. */
export interface SharedReads {
  /** As {@link QueuedRead}; the first argument is the group whose reads take turns, such as an organization. */
  readonly read: QueuedRead;
}

/** @param duty fraction of time in which a group may read; 1 for no pauses */
export function createSharedReads(duty: number): SharedReads {
  /** By group: resolves after the last requested read and its pause. */
  const lastOf = new Map<string, Promise<void>>();

  const inTurn: Shares["use"] = (group, task) => {
    let started = 0;
    const reading = (lastOf.get(group) ?? Promise.resolve()).then(() => {
      started = performance.now();
      return task();
    });
    const rest = async (): Promise<void> => {
      if (duty < 1) await delay(restMs(started, duty), undefined, { ref: false });
    };
    const over = reading.then(rest, rest).then(() => {
      if (lastOf.get(group) === over) lastOf.delete(group);
    });
    lastOf.set(group, over);
    return reading;
  };

  return { read: createQueuedRead(inTurn) };
}
