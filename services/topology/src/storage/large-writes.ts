import type { ClientSession, Document, MongoClient } from "mongodb";
import { createFairQueue, type FairQueue } from "@nts/shared/scheduling/fair-queue";

// Writes of many documents take turns, by organization: several at a time would occupy the database's processors, and
// everything else would wait.

/** A write of more documents takes its turn. */
export const MOST_SMALL = 100;

/** With a rest after each, which leaves the database to others. */
export const LARGE_WRITES = { atATime: 1, mostWaiting: 1_024, longestWaitMs: 5_000, duty: 2 / 3 };
const LONGEST_REST_MS = 500;
/** The rest for each request that has arrived meanwhile: without any, there is nobody to leave the database to. */
const REST_MS = 5;

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

interface Turns {
  readonly queue: FairQueue;
  /** Requests that have arrived so far; null if they are not counted. */
  arrived: (() => number) | null;
}

const turns = new WeakMap<MongoClient, Turns>();
const holding = new WeakSet<ClientSession>();

function turnsWith(client: MongoClient): Turns {
  const known = turns.get(client);
  if (known !== undefined) return known;
  let counted = 0;
  const longestRestMs = (): number => {
    if (made.arrived === null) return LONGEST_REST_MS;
    const arrived = made.arrived();
    const rest = Math.min(LONGEST_REST_MS, (arrived - counted) * REST_MS);
    counted = arrived;
    return rest;
  };
  const made: Turns = { queue: createFairQueue({ ...LARGE_WRITES, longestRestMs }), arrived: null };
  turns.set(client, made);
  return made;
}

/** Lets large writes rest only as far as requests arrive. @param arrived how many have arrived so far */
export function restFor(client: MongoClient, arrived: () => number): void {
  turnsWith(client).arrived = arrived;
}

/** The turns of all that use a client. */
export function turnsOf(client: MongoClient): InTurn {
  const { queue } = turnsWith(client);
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
