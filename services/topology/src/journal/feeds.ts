import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import { createPacer, type Pacer } from "@nts/shared/scheduling/pacer";
import { restMs } from "@nts/shared/repeat";
import { createFairQueue, ownTasksLimited } from "@nts/shared/scheduling/fair-queue";
import type { Shares } from "@nts/shared/scheduling/shares";
import { sharedDatabase } from "../storage/database.js";
import { createJournalReader, type JournalReader } from "./read.js";
import { createRecentEvents, type SelectableEntry } from "./recent-events.js";
import { createStates, type ReadStates } from "./states.js";
import { type Feed, Member, Tail } from "./tail.js";

// The end of a journal is read once per process for all followers. One that lags continues from the recent events, or
// reads on its own until it has caught up; nothing is buffered for it.

/** In one process. */
export const MOST_FEEDS = 4_000;
/** Concurrent reads: per process, and per organization. */
const MOST_READS = 4;
const MOST_READS_OF_ORGANIZATION = 2;
const LONGEST_WAIT_MS = 5_000;
/** Followers that read by themselves at the same time, and the share of time for which each of them does. */
const MOST_CATCHING_UP = 2;
const CATCHING_UP_DUTY = 0.3;

export interface Feeds {
  /** Reads the journal for followers, outside of the database share of requests. */
  readonly reader: JournalReader;
  readonly states: ReadStates;
  /** The journal of an organization has grown. */
  wake(organizationId: string): void;
  /** @throws AppError `unavailable` if there are too many */
  requireRoom(): void;
  /** Follows an organization until `end`. @param isMine whether to deliver an entry */
  open(organizationId: string, isMine: (entry: SelectableEntry) => boolean): Promise<Feed>;
  /** Makes the events of followers that read by themselves in turn. */
  readonly paced: Pacer;
  isClosing(): boolean;
  /** Ends all of them. */
  close(): Promise<void>;
  count(): number;
}

/** @param db used for reads outside of requests, with few connections */
export function createFeeds(db: Db, log: Log): Feeds {
  const queue = createFairQueue({
    ...{ atATime: MOST_READS, ofKey: MOST_READS_OF_ORGANIZATION },
    ...{ mostWaiting: MOST_FEEDS, mostWaitingOfKey: MOST_FEEDS, longestWaitMs: LONGEST_WAIT_MS },
    refusal: ownTasksLimited(1),
  });
  const use: Shares["use"] = (organizationId, task) => queue.run(task, organizationId);
  const database = sharedDatabase(db, { use });
  const reader = createJournalReader(database);
  const tails = new Map<string, Tail>();
  const recent = createRecentEvents();
  const paced = createPacer({
    ...{ atATime: MOST_CATCHING_UP, mostWaiting: MOST_FEEDS },
    rest: (startedAt) => delay(restMs(startedAt, CATCHING_UP_DUTY)),
  });
  let count = 0;
  let isClosing = false;
  return {
    reader,
    states: createStates({ database, reader }),
    wake: (organizationId) => tails.get(organizationId)?.look(),
    requireRoom: () => {
      if (count >= MOST_FEEDS || isClosing) throw new AppError("unavailable", {}, "no room for another stream");
    },
    open: async (organizationId, isMine) => {
      const tail = tails.get(organizationId) ?? new Tail(reader, organizationId, { recent, log });
      tails.set(organizationId, tail);
      const member = new Member(tail, isMine, () => {
        count -= 1;
        if (tail.isUnused && tails.get(organizationId) === tail) tails.delete(organizationId);
      });
      count += 1;
      try {
        await tail.started();
      } catch (error) {
        member.end();
        throw error;
      }
      return member;
    },
    paced,
    isClosing: () => isClosing,
    close: () => {
      isClosing = true;
      for (const tail of tails.values()) tail.alert();
      return Promise.resolve();
    },
    count: () => count,
  };
}
