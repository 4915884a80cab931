import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { createKeyedQueue } from "../mongo/queue.js";
import { restMs } from "../repeat.js";

// A dry run costs as much as the write. To not slow down writers, the dry runs of an organization run one at a time and
// pause for as long as they ran.

const DUTY = 0.5;
const MOST_REST_MS = 250;

/** The dry runs of one process. */
export interface DryRuns {
  /** Runs one when it is its organization's turn. */
  run<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
}

export function createDryRuns(): DryRuns {
  const queue = createKeyedQueue();
  return {
    run: (organizationId, task) =>
      new Promise((resolve, reject) => {
        void queue.run([organizationId], async () => {
          const startedAt = performance.now();
          await task().then(resolve, reject);
          await delay(Math.min(restMs(startedAt, DUTY), MOST_REST_MS), null, { ref: false });
        });
      }),
  };
}
