/** Runs tasks with a common key one at a time, in order of arrival. */
export interface KeyedQueue {
  /** @param keys in an order common to all callers, to avoid deadlocks */
  run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T>;
}

/** Queues are local to the process: they avoid write conflicts, but correctness does not depend on them. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<void>>();

  async function enter(key: string): Promise<() => void> {
    const before = tails.get(key);
    let leave = (): void => undefined;
    const mine = new Promise<void>((resolve) => (leave = resolve));
    tails.set(key, mine);
    await before;
    return () => {
      if (tails.get(key) === mine) tails.delete(key);
      leave();
    };
  }

  return {
    run: async (keys, task) => {
      const leaves: (() => void)[] = [];
      try {
        for (const key of keys) leaves.push(await enter(key));
        return await task();
      } finally {
        for (const leave of leaves.reverse()) leave();
      }
    },
  };
}
