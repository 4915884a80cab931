/** Adds an id of an organization. */
export type AddNotice = (organizationId: string, id: string) => void;

/**
 * Collects notices, and runs a task for one organization at a time with all ids that have arrived for it, so that
 * thousands of deletions take few searches.
 *
 * @param onFault the task failed
 */
export function collectingNotices(
  task: (organizationId: string, ids: readonly string[]) => Promise<void>,
  onFault: (error: unknown, organizationId: string) => void,
): AddNotice {
  const waiting = new Map<string, Set<string>>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const [organizationId, ids] = next;
      waiting.delete(organizationId);
      await task(organizationId, [...ids]).catch((error: unknown) => {
        onFault(error, organizationId);
      });
    }
    isRunning = false;
  }

  return (organizationId, id) => {
    const ids = waiting.get(organizationId) ?? new Set();
    waiting.set(organizationId, ids.add(id));
    if (!isRunning) void run();
  };
}
