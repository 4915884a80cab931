import type { IncomingHttpHeaders } from "node:http";
import type { Attempt, ResponseHead, ResponseReader, Sending, Transport } from "./transport.js";

/**
 * Sends a request that is still being counted, and holds back what arrives of its response, or that none does, until it
 * is. That of a refused request never passes: its exchange fails, and so aborts it.
 */
export function sendHeld(transport: Transport, attempt: Attempt, counted: Promise<void>): Sending {
  const held = new HeldResponse(attempt.reader);
  const sending = transport.send({ ...attempt, reader: held });
  counted.then(
    () => {
      if (held.open()) sending.resume();
    },
    () => undefined,
  );
  return {
    resume: () => {
      sending.resume();
    },
    abort: () => {
      held.drop();
      sending.abort();
    },
  };
}

class HeldResponse implements ResponseReader {
  /** What has arrived, in order; null once it may pass. */
  #events: (() => void)[] | null = [];
  /** The sender was paused here, and the reader wants more. */
  #wantsMore = false;

  constructor(private readonly reader: ResponseReader) {}

  /** @returns true if the sender is to continue */
  open(): boolean {
    const events = this.#events ?? [];
    this.#events = null;
    for (const pass of events) pass();
    return this.#wantsMore;
  }

  drop(): void {
    this.#events?.splice(0);
  }

  onHead(head: ResponseHead): void {
    this.#pass(() => {
      this.reader.onHead(head);
    });
  }

  onData(piece: Buffer): boolean {
    if (this.#events === null) return this.reader.onData(piece);
    this.#events.push(() => {
      this.#wantsMore = this.reader.onData(piece);
    });
    return false;
  }

  onEnd(trailers: IncomingHttpHeaders): void {
    this.#pass(() => {
      this.reader.onEnd(trailers);
    });
  }

  onFault(error: Error, wasSent: boolean): void {
    this.#pass(() => {
      this.reader.onFault(error, wasSent);
    });
  }

  #pass(event: () => void): void {
    if (this.#events === null) event();
    else this.#events.push(event);
  }
}
