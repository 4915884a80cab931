import { endEvent } from "@nts/shared/contract";
import type { AnswerStream } from "../edge/answer-stream.js";
import type { Exchange } from "../edge/exchange.js";
import { headersOf } from "../proxy/envelope-writer.js";
import type { AnswerHead } from "../proxy/transport.js";
import type { RightsHolder, StreamEnd, StreamRights } from "./stream-rights.js";

// Sends Server-Sent Events on as they come, as long as their caller may have them. While its rights are judged nothing is let
// through; a client that has not taken what was let through before is cut, because that would still reach it.

const END_OF_EVENT = Buffer.from("\n\n");

export interface EventWriterOptions {
  readonly rights: StreamRights;
  /** Asks for more after {@link EventWriter.add} said that it was enough. */
  readonly resume: () => void;
  /** Nothing more is wanted of the service. */
  readonly onOver: () => void;
}

export class EventWriter implements RightsHolder {
  readonly #stream: AnswerStream | null;
  readonly #stopWatching: () => void;
  /** What has come while the rights are judged; null while nothing is held up. */
  #held: Buffer[] | null = null;
  #isBetweenEvents = true;
  #isOver = false;

  constructor(
    head: AnswerHead,
    private readonly exchange: Exchange,
    private readonly options: EventWriterOptions,
  ) {
    this.#stopWatching = options.rights.watch(this);
    exchange.hold({
      release: () => {
        this.#isOver = true;
        this.#stopWatching();
      },
    });
    exchange.takeConnection();
    const headers = headersOf(head, null).add("X-Accel-Buffering", "no");
    this.#stream = exchange.begin(head.status, headers, () => {
      if (this.#held === null) options.resume();
    });
  }

  /** @returns false when no more is wanted for the moment */
  add(piece: Buffer): boolean {
    if (this.#isOver) return true;
    if (this.#held !== null || !this.options.rights.stand()) {
      (this.#held ??= []).push(piece);
      return false;
    }
    return this.#write(piece);
  }

  /** Nothing more comes of the service; what has come stands by itself. */
  end(): boolean {
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#stopWatching();
    this.#stream?.end("");
    return true;
  }

  suspended(): void {
    this.#held ??= [];
    // What was written in this turn of the event loop, such as the head, is offered to the client at its end. Whoever says that the
    // rights are others by now is heard later.
    process.nextTick(() => {
      if (this.#held !== null && this.exchange.unreadBytes > 0) this.exchange.cut();
    });
  }

  cleared(): void {
    const held = this.#held ?? [];
    this.#held = null;
    if (this.#isOver) return;
    const wantsMore = held.map((piece) => this.#write(piece)).every(Boolean);
    if (wantsMore) this.options.resume();
  }

  ended(end: StreamEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatching();
    // Within an event, the last one would be taken for a part of it.
    this.#stream?.end(this.#isBetweenEvents ? endEvent(end) : "");
    this.options.onOver();
  }

  #write(piece: Buffer): boolean {
    this.#isBetweenEvents = piece.subarray(-2).equals(END_OF_EVENT);
    return this.#stream?.write(piece) ?? true;
  }
}
