import { createFairQueue } from "../scheduling/fair-queue.js";

// A dry run costs as much as the write. To not slow down writers, the dry runs of an organization run one at a time and
// pause for as long as they ran.

/** The dry runs of one process. */
export interface DryRuns {
  /** Runs one when it is its organization's turn. */
  run<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
}

export function createDryRuns(): DryRuns {
  const queue = createFairQueue({ ofKey: 1, duty: 0.5, longestRestMs: 250 });
  return { run: (organizationId, task) => queue.run(task, organizationId) };
}
