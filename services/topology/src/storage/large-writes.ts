import type { ClientSession, Document, MongoClient } from "mongodb";
import { createFairQueue, type FairQueue } from "@nts/shared/scheduling/fair-queue";

// Writes of many documents take turns, by organization: several at a time would occupy the database's processors, and
// everything else would wait.

/** A write of more documents takes its turn. */
export const MOST_SMALL = 100;

/** With a rest after each, which leaves the database to others. */
export const LARGE_WRITES = { atATime: 1, mostWaiting: 1_024, longestWaitMs: 5_000, duty: 2 / 3, longestRestMs: 500 };

interface Write {
  /** How many it writes, approximately. */
  readonly documents: number;
  /** What names the organization. */
  readonly owner: Document | undefined;
  readonly session?: ClientSession | undefined;
}

/**
 * Runs a command when it is its turn. A transaction keeps its turn until its session ends.
 *
 * @throws AppError `unavailable` if it has waited for too long
 */
export type InTurn = <T>(write: Write, run: () => Promise<T>) => Promise<T>;

const queues = new WeakMap<MongoClient, FairQueue>();
const holding = new WeakSet<ClientSession>();

/** The turns of all that use a client. */
export function turnsOf(client: MongoClient): InTurn {
  const queue = queues.get(client) ?? createFairQueue(LARGE_WRITES);
  queues.set(client, queue);
  return async ({ documents, owner, session }, run) => {
    if (documents <= MOST_SMALL) return run();
    const organization = String(owner?.["organization_id"]);
    if (session === undefined) return queue.run(run, organization);
    if (!holding.has(session)) {
      holding.add(session);
      session.once("ended", await queue.enter(organization));
    }
    return run();
  };
}
