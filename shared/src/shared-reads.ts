import { setTimeout as delay } from "node:timers/promises";
import { restMs } from "./repeat.js";

/** Expensive reads with many callers: each group runs one at a time, followed by a pause. */
export interface SharedReads {
  /**
   * Callers share a read that has not started, so results are never older than the request.
   *
   * @param group whose reads take turns, such as an organization
   * @param key equal for reads with the same result
   */
  read<T>(group: string, key: string, task: () => Promise<T>): Promise<T>;
}

interface Group {
  /** Resolves after the last requested read and its pause. */
  over: Promise<void>;
  /** Reads that have not started. */
  readonly waiting: Map<string, Promise<unknown>>;
}

/** @param duty fraction of time in which a group may read; 1 for no pauses */
export function createSharedReads(duty: number): SharedReads {
  const groups = new Map<string, Group>();

  function begin<T>(name: string, group: Group, key: string, task: () => Promise<T>): Promise<T> {
    let started = 0;
    const reading = group.over.then(() => {
      group.waiting.delete(key);
      started = performance.now();
      return task();
    });
    const rest = async (): Promise<void> => {
      if (duty < 1) await delay(restMs(started, duty), undefined, { ref: false });
    };
    group.over = reading.then(rest, rest).then(() => {
      if (group.waiting.size === 0) groups.delete(name);
    });
    group.waiting.set(key, reading);
    return reading;
  }

  return {
    read: <T>(name: string, key: string, task: () => Promise<T>) => {
      const group = groups.get(name) ?? { over: Promise.resolve(), waiting: new Map<string, Promise<unknown>>() };
      groups.set(name, group);
      const asked = group.waiting.get(key) as Promise<T> | undefined;
      return asked ?? begin(name, group, key, task);
    },
  };
}
