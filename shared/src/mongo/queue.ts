/** Runs tasks that share a key one after another, in the order they came. */
export interface KeyedQueue {
  /** @param keys in an order that all callers agree on, so that no two wait for each other */
  run<T>(keys: readonly string[], task: () => Promise<T>): Promise<T>;
}

/** Queues live in the process: they spare writers of one thing the collisions, and correctness does not rest on them. */
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
