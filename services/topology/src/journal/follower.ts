import { setTimeout as delay } from "node:timers/promises";
import { BOOKMARK_SECONDS, endEvent, STREAM_ENDS } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import type { Cursors } from "./cursors.js";
import type { JournalDocument } from "./entries.rules.js";
import { changeEvent, type Feed, type Feeds } from "./feeds.js";
import { type ChangeFilter, isToldTo } from "./matching.rules.js";
import { answeredSides, type Reached } from "./read.js";

// Changes as Server-Sent Events. A new client first reads existing entries at its own pace, then receives new ones.
// Whether it may still see them is checked by the gateway for each event.

/** Milliseconds between checks of the client, and before retries. */
const NOTICE_MS = 1_000;
/** Entries per read while catching up. */
const PAGE = 500;
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
export interface Place {
  n: number;
  told: number;
}

export class Follower {
  readonly #isMine: (entry: JournalDocument) => boolean;
  #bookmarkAt = 0;

  constructor(
    private readonly feeds: Feeds,
    private readonly cursors: Cursors,
    private readonly following: Following,
  ) {
    const { scope, filter, before } = following;
    const networks = scope.networks === "all" ? "all" : new Set(scope.networks);
    this.#isMine = (entry) => isToldTo(networks, filter, entry) && (before === null || entry.at < before);
  }

  /** @param initial true to start with the current state */
  async *events(place: Place, initial = false): AsyncGenerator<string | Buffer, void, void> {
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

  async *#states(place: Place): AsyncGenerator<string, void, void> {
    for await (const entries of this.feeds.states(this.following, place.n)) {
      const mine = entries.filter(this.#isMine);
      // A comment keeps the connection alive during long searches.
      yield mine.length === 0 ? ":\n\n" : mine.map(stateEvent).join("");
      if (this.#isOver()) return;
    }
    yield this.#bookmark(place);
  }

  async *#follow(place: Place, feed: Feed): AsyncGenerator<string | Buffer, void, void> {
    const { feeds } = this;
    this.#bookmarkLater();
    while (!this.#isOver()) {
      if (!feed.join(place.n)) {
        yield* this.#catchUp(place, feed.last());
        continue;
      }
      yield this.#bookmark(place);
      for (let came = feed.take(); came !== null && !this.#isOver(); came = feed.take()) {
        place.n = came.n;
        place.told = came.told ?? place.told;
        if (came.events.length > 0) yield Buffer.concat(came.events);
        const leftMs = this.#bookmarkAt - performance.now();
        if (leftMs <= 0) yield this.#bookmark(place);
        else await feed.arrival(Math.min(leftMs, NOTICE_MS));
      }
    }
    if (feeds.isClosing()) yield endEvent({ code: "closing", error: STREAM_ENDS.closing });
  }

  /** Reads up to the number, or as much as one read covers. */
  async *#catchUp(place: Place, last: number): AsyncGenerator<string, void, void> {
    const { scope, filter, log } = this.following;
    const reached: Reached = { n: null, isEnd: false };
    const asked = { filter, range: { first: place.n + 1, last }, direction: "asc", limit: PAGE } as const;
    try {
      for await (const entries of this.feeds.reader.entries(scope, asked, reached)) {
        const mine = entries.filter(this.#isMine);
        place.n = entries.at(-1)?.n ?? place.n;
        place.told = mine.at(-1)?.n ?? place.told;
        if (mine.length > 0) yield mine.map((entry) => changeEvent(entry, this.cursors)).join("");
        if (this.#isOver()) return;
      }
      place.n = reached.isEnd ? last : (reached.n ?? place.n);
    } catch (error) {
      // A short outage of the database ends no stream.
      log.warn({ err: error }, "changes could not be read for a stream; retrying");
      await delay(NOTICE_MS);
    }
    if (performance.now() > this.#bookmarkAt) yield this.#bookmark(place);
  }

  /** Restricted callers are not shown the positions of others. */
  #bookmark({ n, told }: Place): string {
    const { organizationId, networks } = this.following.scope;
    const cursor = this.cursors.of(organizationId, networks === "all" ? n : told);
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

/** The current state of an entity, without id: a client disconnected before the bookmark starts over. */
function stateEvent(entry: JournalDocument): string {
  const { entity, entity_id, network_id, host_id, name } = entry;
  const head = JSON.stringify({ entity, entity_id, network_id, host_id, name });
  return `event: state\ndata: ${head.slice(0, -1)},"after":${answeredSides(entry).after ?? "null"}}\n\n`;
}
