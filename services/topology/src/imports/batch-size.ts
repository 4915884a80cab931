import type { Job } from "./session.js";

// New hosts are written in transactions that are as large as is quick: others who write to the network wait for one at
// most, and with a slow database it must be committed long before its deadline.

const FEWEST = 100;
const MOST = 1_000;
const QUICK_MS = 150;
const SLOW_MS = 500;

type Sized = Pick<Job, "documents" | "identities" | "label" | "match">;

export interface BatchSize {
  /** Groups of hosts to write together. One that shares an address, a name or its match with another follows it. */
  batchesOf<T extends Sized>(jobs: readonly T[]): Generator<readonly T[]>;
  /** A batch was written. */
  took(jobs: readonly Sized[], ms: number): void;
}

export function createBatchSize(): BatchSize {
  let most = 4 * FEWEST;
  return {
    *batchesOf(jobs) {
      for (let from = 0; from < jobs.length;) {
        const left = jobs.slice(from);
        const documents = documentsOf(left);
        const batch = firstOf(left, documents / Math.ceil(documents / most));
        from += batch.length;
        yield batch;
      }
    },
    took: (jobs, ms) => {
      if (ms > SLOW_MS) most = Math.max(FEWEST, most / 2);
      else if (ms < QUICK_MS && documentsOf(jobs) > most / 2) most = Math.min(MOST, most * 2);
    },
  };
}

/** @param most documents, so that the last batch is no small rest; a host may have more */
function firstOf<T extends Sized>(jobs: readonly T[], most: number): T[] {
  const batch: T[] = [];
  const taken = new Set<string>();
  let room = most;
  for (const job of jobs) {
    const { identities, label, match } = job;
    const names = [label, match?.hostId ?? null].flatMap((name) => name ?? []);
    const keys = [...identities.ipAddresses, ...identities.macAddresses, ...names];
    room -= job.documents;
    if (batch.length > 0 && (room < 0 || keys.some((key) => taken.has(key)))) return batch;
    batch.push(job);
    for (const key of keys) taken.add(key);
  }
  return batch;
}

/** About how many documents hosts take. */
export function documentsOf(jobs: readonly Pick<Sized, "documents">[]): number {
  return jobs.reduce((sum, { documents }) => sum + documents, 0);
}
