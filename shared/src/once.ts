/** Returns a function that runs a task once for all callers, and again after a failure. */
export function onceItWorks<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () =>
    (running ??= task().catch((error: unknown) => {
      running = null;
      throw error;
    }));
}
