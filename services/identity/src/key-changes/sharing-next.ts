/**
 * Makes a function that calls another one for all who ask while it runs: together, once it is done. What they are told was
 * asked after they did, however many they are, and never more than one call is under way.
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
