/** Makes what runs a task once for all who ask, and again when it failed. */
export function onceItWorks<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () =>
    (running ??= task().catch((error: unknown) => {
      running = null;
      throw error;
    }));
}
