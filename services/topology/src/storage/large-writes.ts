import type { ClientSession, Document, MongoClient } from "mongodb";
import { type BoundedQueue, createBoundedQueue } from "@nts/shared/bounded-queue";
import { restMs } from "@nts/shared/repeat";

// Writes of many documents take turns, by organization: several at a time would occupy the database's processors, and
// everything else would wait.

/** A write of more documents takes its turn. */
export const MOST_SMALL = 100;

export const LARGE_WRITES = { atATime: 1, mostWaiting: 1_024, longestWaitMs: 5_000 };
/** Fraction of time in which there is one; the rest leaves the database to others. */
const DUTY = 2 / 3;
const LONGEST_REST_MS = 500;

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

const queues = new WeakMap<MongoClient, BoundedQueue>();
const holding = new WeakSet<ClientSession>();

/** The turns of all that use a client. */
export function turnsOf(client: MongoClient): InTurn {
  const queue = queues.get(client) ?? createBoundedQueue(LARGE_WRITES);
  queues.set(client, queue);
  return async ({ documents, owner, session }, run) => {
    if (documents <= MOST_SMALL) return run();
    const organization = String(owner?.["organization_id"]);
    if (session === undefined) return queue(run, organization);
    if (!holding.has(session)) await hold(queue, session, organization);
    return run();
  };
}

/** Resolves when it is the session's turn, which lasts until it ends and a while longer. */
function hold(queue: BoundedQueue, session: ClientSession, organization: string): Promise<void> {
  holding.add(session);
  return new Promise((resolve, reject) => {
    const untilEnded = (): Promise<void> =>
      new Promise((end) => {
        const startedAt = performance.now();
        session.once("ended", () => {
          setTimeout(end, Math.min(restMs(startedAt, DUTY), LONGEST_REST_MS)).unref();
        });
        resolve();
      });
    queue(untilEnded, organization).catch(reject);
  });
}
