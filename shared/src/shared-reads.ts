import { setTimeout as delay } from "node:timers/promises";
import { restMs } from "./repeat.js";

/** Reads that many ask for, and that cost more the more there is: each group has one at a time, and a rest after it. */
export interface SharedReads {
  /**
   * Callers that ask before it begins share it, so what is read is never older than the question.
   *
   * @param group those whose reads take turns, such as an organization
   * @param key the same for reads that answer the same
   */
  read<T>(group: string, key: string, task: () => Promise<T>): Promise<T>;
}

interface Group {
  /** Resolves when the last read that was asked for is over, and its rest. */
  over: Promise<void>;
  /** Reads that have not begun. */
  readonly waiting: Map<string, Promise<unknown>>;
}

/** @param duty the share of its time in which a group may read */
export function createSharedReads(duty: number): SharedReads {
  const groups = new Map<string, Group>();

  function begin<T>(name: string, group: Group, key: string, task: () => Promise<T>): Promise<T> {
    let begun = 0;
    const reading = group.over.then(() => {
      group.waiting.delete(key);
      begun = performance.now();
      return task();
    });
    const rest = (): Promise<void> => delay(restMs(begun, duty), undefined, { ref: false });
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
