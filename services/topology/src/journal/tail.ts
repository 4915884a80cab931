import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import { onceItWorks } from "@nts/shared/once";
import type { Cursors } from "./cursors.js";
import type { JournalDocument } from "./entries.rules.js";
import type { JournalReader } from "./read.js";
import { textOf } from "./entry-texts.js";
import type { RecentEvents, SelectableEntry, Taken } from "./recent-events.js";

// The end of an organization's journal, read once for all of its followers in a process.

/** Maximum buffered bytes per follower. */
const MOST_BYTES = 262_144;
/** Entities per read. */
const PAGE = 500;
/** Milliseconds between reads of an organization without a notice, and after a failure. */
const LOOK_MS = 5_000;
const RETRY_MS = 500;
/** Greater than any number. */
const ENDLESS = 999_999_999_999;

export interface Feed {
  /** Up to where the journal has been read for all. */
  last(): number;
  /** Joins the shared reads. @param n up to where the caller has read @returns false if that is not the end */
  join(n: number): boolean;
  /** The entries since, and up to where; null if there were too many. */
  take(): Taken | null;
  /** The next recent events after a number; null if they are not kept, and must be read. */
  recent(n: number): Taken | null;
  /** Resolves when there is something to take, all are ended, or on timeout. */
  arrival(ms: number): Promise<void>;
  end(): void;
}

/** An entry as an event. */
export function changeEvent(entry: JournalDocument, cursors: Cursors): string {
  return `id: ${cursors.of(entry.organization_id, entry.n)}\nevent: change\ndata: ${textOf(entry, cursors)}\n\n`;
}

/** The end of an organization's journal. */
export class Tail {
  n = 0;
  readonly #members = new Set<Member>();
  readonly #scope: Scope;
  #hasStarted = false;
  #isLooking = false;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reader: JournalReader,
    organizationId: string,
    private readonly parts: { readonly recent: RecentEvents; readonly log: Log },
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

  readonly started = onceItWorks(() => this.#begin());

  alert(): void {
    for (const member of this.#members) member.alert();
  }

  readonly look = (): void => {
    if (this.#isLooking) this.#again = true;
    else if (!this.isUnused && this.#hasStarted) void this.#look();
  };

  async #begin(): Promise<void> {
    this.n = (await this.reader.ends(this.#scope)).last;
    this.#hasStarted = true;
    this.#lookAfter(LOOK_MS);
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.isUnused) this.#timer = setTimeout(this.look, ms);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let pauseMs = LOOK_MS;
    try {
      while (await this.#read());
    } catch (error) {
      this.parts.log.warn({ err: error }, "the journal could not be read for its followers; retrying");
      pauseMs = RETRY_MS;
    }
    this.#isLooking = false;
    this.#lookAfter(pauseMs);
  }

  /** @returns true if there may be more */
  async #read(): Promise<boolean> {
    this.#again = false;
    const cursors = await this.reader.cursors();
    const range = { first: this.n + 1, last: ENDLESS };
    const query = { filter: {}, range, direction: "asc", limit: PAGE } as const;
    let left = PAGE;
    for await (const entries of this.reader.entries(this.#scope, query, { n: null, isEnd: false })) {
      for (const entry of entries) this.#deliver(entry, cursors);
      left -= entries.length;
      for (const member of this.#members) if (member.hasNews) member.alert();
    }
    return !this.isUnused && (left === 0 || this.#isAskedAgain());
  }

  #isAskedAgain(): boolean {
    return this.#again;
  }

  #deliver(entry: JournalDocument, cursors: Cursors): void {
    let event: Buffer | null = null;
    for (const member of this.#members)
      if (member.isMine(entry)) member.add(entry.n, (event ??= Buffer.from(changeEvent(entry, cursors))));
    this.parts.recent.add(entry, event);
    this.n = entry.n;
  }

  /** The next recent events that a member selects; null if they are not kept. */
  recent(after: number, isMine: (entry: SelectableEntry) => boolean): Taken | null {
    const selection = { after, upTo: this.n, isMine, bytes: MOST_BYTES };
    return this.parts.recent.take(this.#scope.organizationId, selection);
  }
}

export class Member implements Feed {
  /** Null while it reads on its own. */
  #events: Buffer[] | null = null;
  #bytes = 0;
  /** A follower from another process, or one that has just read, may be ahead of the shared reads. */
  #joinedAt = 0;
  #lastN: number | null = null;
  #resolve: (() => void) | null = null;
  #isEnded = false;

  constructor(
    private readonly tail: Tail,
    readonly isMine: (entry: SelectableEntry) => boolean,
    private readonly onEnd: () => void,
  ) {
    tail.add(this);
  }

  /** There is something to take, or there was too much. */
  get hasNews(): boolean {
    return this.#events?.length !== 0;
  }

  /** Adds an event, unless it has been read or must be. */
  add(n: number, event: Buffer): void {
    if (this.#events === null || n <= this.#joinedAt) return;
    this.#bytes += event.length;
    if (this.#bytes > MOST_BYTES && this.hasNews) this.#events = null;
    else this.#events.push(event);
    this.#lastN = n;
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
    [this.#events, this.#bytes, this.#lastN] = [[], 0, null];
    return true;
  }

  recent(n: number): Taken | null {
    return this.tail.recent(n, this.isMine);
  }

  take(): Taken | null {
    const events = this.#events;
    const last = this.#lastN;
    if (events === null) return null;
    [this.#events, this.#bytes, this.#lastN] = [[], 0, null];
    return { events, n: Math.max(this.#joinedAt, this.tail.n), last };
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
