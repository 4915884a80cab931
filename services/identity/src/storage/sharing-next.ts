/**
 * Shares calls: all who call while one is running share the next. Results are never older than the call, and only one
 * call runs at a time.
 */
export function sharingNext<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;

  async function callAfter(before: Promise<unknown>): Promise<T> {
    await before.catch(() => undefined);
    next = null;
    return call();
  }

  return () => {
    if (next === null) {
      next = callAfter(running);
      running = next;
    }
    return next;
  };
}
