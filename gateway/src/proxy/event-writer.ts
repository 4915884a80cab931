import { endEvent } from "@nts/shared/contract";
import type { ResponseStream } from "../edge/response-stream.js";
import type { Exchange } from "../edge/exchange.js";
import { headersOf } from "./envelope-writer.js";
import type { ResponseHead } from "./transport.js";
import type { RightsHolder, StreamEnd, StreamRights } from "../streams/stream-rights.js";

// Forwards Server-Sent Events while the caller's rights hold; events are held back during a check. A client that has
// not read earlier events is disconnected, because those would still reach it.

const END_OF_EVENT = Buffer.from("\n\n");

export interface EventWriterOptions {
  readonly rights: StreamRights;
  /** Requests more after {@link EventWriter.add} returned false. */
  readonly resume: () => void;
  /** Ends the call to the service. */
  readonly onOver: () => void;
}

export class EventWriter implements RightsHolder {
  readonly #stream: ResponseStream | null;
  readonly #stopWatching: () => void;
  /** What arrived during a check; null if nothing is held back. */
  #buffered: Buffer[] | null = null;
  #isBetweenEvents = true;
  #isOver = false;

  constructor(
    head: ResponseHead,
    private readonly exchange: Exchange,
    private readonly options: EventWriterOptions,
  ) {
    this.#stopWatching = options.rights.watch(this);
    exchange.releaseAtEnd({
      release: () => {
        this.#isOver = true;
        this.#stopWatching();
      },
    });
    exchange.takeConnection();
    const headers = headersOf(head, { length: null }, exchange.request).add("X-Accel-Buffering", "no");
    this.#stream = exchange.begin(head.status, headers, () => {
      if (this.#buffered === null) options.resume();
    });
  }

  /** @returns false to pause */
  add(piece: Buffer): boolean {
    if (this.#isOver) return true;
    if (this.#buffered !== null || !this.options.rights.stand()) {
      (this.#buffered ??= []).push(piece);
      return false;
    }
    return this.#write(piece);
  }

  /** The service has ended the stream; events sent so far remain valid. */
  end(): boolean {
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#stopWatching();
    this.#stream?.end("");
    return true;
  }

  suspended(): void {
    this.#buffered ??= [];
    // Output of this tick, such as the head, is flushed at its end. Changed rights are handled later.
    process.nextTick(() => {
      if (this.#buffered !== null && this.exchange.unreadBytes > 0) this.exchange.cut();
    });
  }

  cleared(): void {
    const buffered = this.#buffered ?? [];
    this.#buffered = null;
    if (this.#isOver) return;
    const wantsMore = buffered.map((piece) => this.#write(piece)).every(Boolean);
    if (wantsMore) this.options.resume();
  }

  ended(end: StreamEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatching();
    // Within an event, it would be read as part of it.
    this.#stream?.end(this.#isBetweenEvents ? endEvent(end) : "");
    this.options.onOver();
  }

  #write(piece: Buffer): boolean {
    this.#isBetweenEvents = piece.subarray(-2).equals(END_OF_EVENT);
    return this.#stream?.write(piece) ?? true;
  }
}
