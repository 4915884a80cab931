import { setTimeout as delay } from "node:timers/promises";
import { BOOKMARK_SECONDS, endEvent, STREAM_ENDS } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import type { Cursors } from "./cursors.js";
import { hostOf, type JournalDocument } from "./entries.rules.js";
import type { Feeds } from "./feeds.js";
import { type ChangeFilter, isSelected } from "./matching.rules.js";
import type { Reached } from "./read.js";
import { currentSides } from "./entry-texts.js";
import type { SelectableEntry, Taken } from "./recent-events.js";
import { changeEvent, type Feed } from "./tail.js";

// Changes as Server-Sent Events. A new client first reads existing entries at its own pace, then receives new ones.
// Whether it may still see them is checked by the gateway for each event.

/** Milliseconds between checks of the client, and before retries. */
const NOTICE_MS = 1_000;
/** Entries per read while catching up, in small batches: each follower holds one while its client does not read. */
const PAGE = 500;
const FIRST_ROWS = 4;
const BATCH_BYTES = 65_536;
/** Events of this size are sent as they are, shared with other followers; smaller ones are sent together. */
const LARGE_BYTES = 8_192;
/** Reconnection delay of clients in milliseconds, randomized. */
const COME_BACK_MS = { least: 300, most: 1_000 };

export interface Following {
  readonly scope: Scope;
  readonly filter: ChangeFilter;
  /** Changes after this time are not requested. */
  readonly before: Date | null;
  readonly work: Work;
  readonly log: Log;
}

/** The position of a follower: the last entry it examined, and the last one it sent. */
export interface FollowerPosition {
  n: number;
  sent: number;
}

export class Follower {
  readonly #isMine: (entry: SelectableEntry) => boolean;
  #bookmarkAt = 0;

  constructor(
    private readonly feeds: Feeds,
    private readonly cursors: Cursors,
    private readonly following: Following,
  ) {
    const { scope, filter, before } = following;
    const networks = scope.networks === "all" ? "all" : new Set(scope.networks);
    this.#isMine = (entry) => isSelected(networks, filter, entry) && (before === null || entry.at < before);
  }

  /** @param initial true to start with the current state */
  async *events(place: FollowerPosition, initial = false): AsyncGenerator<string | Buffer, void, void> {
    const { least, most } = COME_BACK_MS;
    yield `retry: ${Math.round(least + Math.random() * (most - least))}\n\n`;
    if (initial) yield* this.#states(place);
    const feed = await this.feeds.open(this.following.scope.organizationId, this.#isMine);
    try {
      yield* this.#follow(place, feed);
    } finally {
      feed.end();
    }
  }

  async *#states(place: FollowerPosition): AsyncGenerator<string, void, void> {
    const { feeds, following } = this;
    const events = async function* (isMine: (entry: JournalDocument) => boolean): AsyncGenerator<string, void, void> {
      // A comment keeps the connection alive during long searches.
      for await (const entries of feeds.states(following, place.n))
        yield entries.filter(isMine).map(stateEvent).join("") || ":\n\n";
    };
    for await (const text of feeds.paced(events(this.#isMine), following.scope.organizationId)) {
      yield text;
      if (this.#isOver()) return;
    }
    yield this.#bookmark(place);
  }

  async *#follow(place: FollowerPosition, feed: Feed): AsyncGenerator<string | Buffer, void, void> {
    const { feeds } = this;
    this.#bookmarkLater();
    while (!this.#isOver()) {
      if (!feed.join(place.n)) {
        const recent = feed.recent(place.n);
        if (recent === null) yield* this.#catchUp(place, feed.last());
        else yield* takenEvents(recent, place);
        if (performance.now() > this.#bookmarkAt) yield this.#bookmark(place);
        continue;
      }
      yield this.#bookmark(place);
      for (let came = feed.take(); came !== null && !this.#isOver(); came = feed.take()) {
        yield* takenEvents(came, place);
        const leftMs = this.#bookmarkAt - performance.now();
        if (leftMs <= 0) yield this.#bookmark(place);
        else await feed.arrival(Math.min(leftMs, NOTICE_MS));
      }
    }
    if (feeds.isClosing()) yield endEvent({ code: "closing", error: STREAM_ENDS.closing });
  }

  /** Reads up to the number, or as much as one read covers. */
  async *#catchUp(place: FollowerPosition, last: number): AsyncGenerator<string, void, void> {
    try {
      const { organizationId } = this.following.scope;
      for await (const events of this.feeds.paced(this.#eventsUpTo(place, last), organizationId)) {
        if (events !== "") yield events;
        if (this.#isOver()) return;
      }
    } catch (error) {
      // A short outage of the database ends no stream.
      this.following.log.warn({ err: error }, "changes could not be read for a stream; retrying");
      await delay(NOTICE_MS);
    }
  }

  async *#eventsUpTo(place: FollowerPosition, last: number): AsyncGenerator<string, void, void> {
    const { scope, filter } = this.following;
    const reached: Reached = { n: null, isEnd: false };
    const query = { filter, range: { first: place.n + 1, last }, direction: "asc", limit: PAGE } as const;
    const sizes = { firstRows: FIRST_ROWS, batchBytes: BATCH_BYTES };
    for await (const entries of this.feeds.reader.entries(scope, { ...query, ...sizes }, reached)) {
      const mine = entries.filter(this.#isMine);
      place.n = entries.at(-1)?.n ?? place.n;
      place.sent = mine.at(-1)?.n ?? place.sent;
      yield mine.map((entry) => changeEvent(entry, this.cursors)).join("");
    }
    place.n = reached.isEnd ? last : (reached.n ?? place.n);
  }

  /** Restricted callers are not shown the positions of others. */
  #bookmark({ n, sent }: FollowerPosition): string {
    const { organizationId, networks } = this.following.scope;
    const cursor = this.cursors.of(organizationId, networks === "all" ? n : sent);
    this.#bookmarkLater();
    return `id: ${cursor}\nevent: bookmark\ndata: ${JSON.stringify({ cursor })}\n\n`;
  }

  #bookmarkLater(): void {
    this.#bookmarkAt = performance.now() + BOOKMARK_SECONDS * 1_000;
  }

  #isOver(): boolean {
    return this.feeds.isClosing() || this.following.work.isAbandoned();
  }
}

/** The events, and the place behind them. */
function* takenEvents({ events, n, last }: Taken, place: FollowerPosition): Generator<Buffer, void, void> {
  place.n = n;
  place.sent = last ?? place.sent;
  if (events.some((event) => event.length > LARGE_BYTES)) yield* events;
  else if (events.length > 0) yield Buffer.concat(events);
}

/** The current state of an entity, without id: a client disconnected before the bookmark starts over. */
function stateEvent(entry: JournalDocument): string {
  const { entity, entity_id, network_id, name } = entry;
  const head = JSON.stringify({ entity, entity_id, network_id, host_id: hostOf(entry), name });
  return `event: state\ndata: ${head.slice(0, -1)},"after":${currentSides(entry).after ?? "null"}}\n\n`;
}
