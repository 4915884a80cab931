import type { ServerResponse } from "node:http";
import type { UnreadResponse, UnreadResponses } from "./unread-responses.js";

/** Maximum bytes of a response read from a service ahead of its client. */
const MOST_AHEAD_BYTES = 262_144;

/** The exchange that a response belongs to. */
export interface StreamOwner extends UnreadResponse {
  /** True once nothing more can be written. */
  readonly isEnded: boolean;
  /** All chunks were written. */
  finish(): void;
  /** Wraps a callback so that its exceptions end this exchange only. */
  guard<Given extends unknown[]>(callback: (...given: Given) => void): (...given: Given) => void;
}

/** The body of a chunked response, written only by its holder. After the exchange has ended, writes are ignored. */
export class ResponseStream {
  #isPaused = false;

  constructor(
    private readonly exchange: StreamOwner,
    private readonly response: ServerResponse,
    private readonly unread: UnreadResponses,
    private readonly onDrain: () => void,
  ) {}

  /** @returns false until drained */
  write(piece: Buffer | string): boolean {
    const { exchange, response, unread } = this;
    if (exchange.isEnded) return true;
    if (response.write(piece, "latin1")) return true;
    unread.note(exchange);
    if (response.writableLength < MOST_AHEAD_BYTES && !unread.isFull()) return true;
    if (!this.#isPaused) {
      this.#isPaused = true;
      unread.pause(exchange);
      response.once("drain", exchange.guard(this.#drained));
    }
    return false;
  }

  /** @param suffix ASCII, after all that was written */
  end(suffix: string): void {
    if (this.exchange.isEnded) return;
    this.response.end(suffix, "latin1");
    this.exchange.finish();
  }

  readonly #drained = (): void => {
    this.#isPaused = false;
    this.unread.forget(this.exchange);
    this.onDrain();
  };
}
