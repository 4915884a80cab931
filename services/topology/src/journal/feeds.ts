import type { Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import { onceItWorks } from "@nts/shared/once";
import type { Scope } from "@nts/shared/http/tenancy";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { createShares, type Shares } from "@nts/shared/shares";
import { sharedDatabase } from "../storage/database.js";
import type { Cursors } from "./cursors.js";
import type { JournalDocument } from "./entries.rules.js";
import { createJournalReader, type JournalReader, textOf } from "./read.js";
import { createStates, type ReadStates } from "./states.js";

// Followers of changes. The end of an organization's journal is read once per process for all of them, on a notice or
// periodically. A follower that lags is dropped from the shared reads and reads by itself until it has caught up;
// nothing is buffered for it.

/** In one process. */
export const MOST_FEEDS = 4_000;
/** Concurrent reads: per process, and per organization. */
const MOST_READS = 4;
const MOST_READS_OF_ORGANIZATION = 2;
const LONGEST_WAIT_MS = 5_000;
/** Maximum buffered bytes per follower. */
const MOST_BYTES = 262_144;
/** Entities per read. */
const PAGE = 500;
/** Milliseconds between reads of an organization without a notice, and after a failure. */
const LOOK_MS = 5_000;
const RETRY_MS = 500;
/** Greater than any number. */
const ENDLESS = 999_999_999_999;

export interface Feeds {
  /** Reads the journal for followers, outside of the database share of requests. */
  readonly reader: JournalReader;
  readonly states: ReadStates;
  /** The journal of an organization has grown. */
  wake(organizationId: string): void;
  /** @throws AppError `unavailable` if there are too many */
  requireRoom(): void;
  /** Follows an organization until `end`. @param isMine whether to deliver an entry */
  open(organizationId: string, isMine: (entry: JournalDocument) => boolean): Promise<Feed>;
  isClosing(): boolean;
  /** Ends all of them. */
  close(): Promise<void>;
  count(): number;
}

export interface Feed {
  /** Up to where the journal has been read for all. */
  last(): number;
  /** Joins the shared reads. @param n up to where the caller has read @returns false if that is not the end */
  join(n: number): boolean;
  /** The entries since, and up to where; null if there were too many, which must be read. */
  take(): { readonly events: readonly Buffer[]; readonly n: number; readonly told: number | null } | null;
  /** Resolves when there is something to take, all are ended, or on timeout. */
  arrival(ms: number): Promise<void>;
  end(): void;
}

/** An entry as an event. */
export function changeEvent(entry: JournalDocument, cursors: Cursors): string {
  return `id: ${cursors.of(entry.organization_id, entry.n)}\nevent: change\ndata: ${textOf(entry, cursors)}\n\n`;
}

/** @param db used for reads outside of requests, with few connections */
export function createFeeds(db: Db, log: Log): Feeds {
  const shares = createShares({ operations: MOST_READS_OF_ORGANIZATION, waiting: MOST_FEEDS });
  const inTurn = createBoundedQueue({ atATime: MOST_READS, mostWaiting: MOST_FEEDS, longestWaitMs: LONGEST_WAIT_MS });
  const use: Shares["use"] = (organizationId, task) => shares.use(organizationId, () => inTurn(task));
  const database = sharedDatabase(db, { use });
  const reader = createJournalReader(database);
  const tails = new Map<string, Tail>();
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
      const tail = tails.get(organizationId) ?? new Tail(reader, organizationId, log);
      tails.set(organizationId, tail);
      const member = new Member(tail, isMine, () => {
        count -= 1;
        if (tail.isUnused && tails.get(organizationId) === tail) tails.delete(organizationId);
      });
      count += 1;
      try {
        await tail.begun();
      } catch (error) {
        member.end();
        throw error;
      }
      return member;
    },
    isClosing: () => isClosing,
    close: () => {
      isClosing = true;
      for (const tail of tails.values()) tail.alert();
      return Promise.resolve();
    },
    count: () => count,
  };
}

/** The end of an organization's journal. */
class Tail {
  n = 0;
  readonly #members = new Set<Member>();
  readonly #scope: Scope;
  #hasBegun = false;
  #isLooking = false;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reader: JournalReader,
    organizationId: string,
    private readonly log: Log,
  ) {
    this.#scope = { organizationId, networks: "all" };
  }

  get isUnused(): boolean {
    return this.#members.size === 0;
  }

  add(member: Member): void {
    this.#members.add(member);
  }

  remove(member: Member): void {
    this.#members.delete(member);
    if (this.isUnused) clearTimeout(this.#timer);
  }

  readonly begun = onceItWorks(() => this.#begin());

  alert(): void {
    for (const member of this.#members) member.alert();
  }

  readonly look = (): void => {
    if (this.#isLooking) this.#again = true;
    else if (!this.isUnused && this.#hasBegun) void this.#look();
  };

  async #begin(): Promise<void> {
    this.n = (await this.reader.ends(this.#scope)).last;
    this.#hasBegun = true;
    this.#lookAfter(LOOK_MS);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.isUnused) this.#timer = setTimeout(this.look, ms);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let restMs = LOOK_MS;
    try {
      while (await this.#read());
    } catch (error) {
      this.log.warn({ err: error }, "the journal could not be read for its followers; retrying");
      restMs = RETRY_MS;
    }
    this.#isLooking = false;
    this.#lookAfter(restMs);
  }

  /** @returns true if there may be more */
  async #read(): Promise<boolean> {
    this.#again = false;
    const cursors = await this.reader.cursors();
    const range = { first: this.n + 1, last: ENDLESS };
    const asked = { filter: {}, range, direction: "asc", limit: PAGE } as const;
    let left = PAGE;
    for await (const entries of this.reader.entries(this.#scope, asked, { n: null, isEnd: false })) {
      for (const entry of entries) this.#tell(entry, cursors);
      left -= entries.length;
      for (const member of this.#members) if (member.hasNews) member.alert();
    }
    return !this.isUnused && (left === 0 || this.#isAskedAgain());
  }

  #isAskedAgain(): boolean {
    return this.#again;
  }

  #tell(entry: JournalDocument, cursors: Cursors): void {
    let event: Buffer | null = null;
    for (const member of this.#members)
      if (member.wants(entry)) member.add(entry.n, (event ??= Buffer.from(changeEvent(entry, cursors))));
    this.n = entry.n;
  }
}

class Member implements Feed {
  /** Null while it reads by itself. */
  #events: Buffer[] | null = null;
  #bytes = 0;
  /** A follower from another process, or one that has just read, may be ahead of the shared reads. */
  #joinedAt = 0;
  #told: number | null = null;
  #resolve: (() => void) | null = null;
  #isEnded = false;

  constructor(
    private readonly tail: Tail,
    private readonly isMine: (entry: JournalDocument) => boolean,
    private readonly onEnd: () => void,
  ) {
    tail.add(this);
  }

  /** There is something to take, or there was too much. */
  get hasNews(): boolean {
    return this.#events?.length !== 0;
  }

  wants(entry: JournalDocument): boolean {
    return this.#events !== null && entry.n > this.#joinedAt && this.isMine(entry);
  }

  add(n: number, event: Buffer): void {
    this.#bytes += event.length;
    if (this.#bytes > MOST_BYTES && this.hasNews) this.#events = null;
    else this.#events?.push(event);
    this.#told = n;
  }

  readonly alert = (): void => {
    this.#resolve?.();
  };

  last(): number {
    return this.tail.n;
  }

  join(n: number): boolean {
    if (n < this.tail.n) return false;
    this.#joinedAt = n;
    [this.#events, this.#bytes, this.#told] = [[], 0, null];
    return true;
  }

  take(): ReturnType<Feed["take"]> {
    const [events, told] = [this.#events, this.#told];
    if (events === null) return null;
    [this.#events, this.#bytes, this.#told] = [[], 0, null];
    return { events, n: Math.max(this.#joinedAt, this.tail.n), told };
  }

  async arrival(ms: number): Promise<void> {
    if (this.hasNews) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#resolve = null;
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.tail.remove(this);
    this.onEnd();
  }
}
