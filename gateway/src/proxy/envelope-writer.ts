import type { IncomingHttpHeaders } from "node:http";
import { IDEMPOTENCY_REPLAYED } from "@nts/shared/contract";
import { JSON_TYPE, PRIVATE_FIELDS } from "../edge/answer-headers.js";
import type { AnswerStream } from "../edge/answer-stream.js";
import type { Exchange } from "../edge/exchange.js";
import type { HeaderList } from "../edge/header-list.js";
import type { Envelope } from "./envelope.js";
import type { AnswerHead } from "./transport.js";

// Sends a service's answer with its envelope around it, while it comes. The last piece is held back until the next one or the
// end has come: a short answer so leaves in one piece with its envelope, and the last byte of a failure can be left out. The
// end is written only when all of the service's message has come; anything less must never look like a whole answer.

const PASSED_ON = Object.entries({
  etag: "ETag",
  "accept-patch": "Accept-Patch",
  "retry-after": "Retry-After",
  "set-cookie": "Set-Cookie",
  location: "Location",
  "content-disposition": "Content-Disposition",
  [IDEMPOTENCY_REPLAYED]: "Idempotency-Replayed",
});
const NOTHING = Buffer.alloc(0);

/** An answer that is being sent. */
export class EnvelopeWriter {
  #held: Buffer | null = null;
  #stream: AnswerStream | null = null;

  /** @param resume asks for more after {@link add} said that it was enough */
  constructor(
    private readonly head: AnswerHead,
    private readonly exchange: Exchange,
    private readonly envelope: Envelope,
    private readonly resume: () => void,
  ) {}

  /** @returns false when no more is wanted for the moment */
  add(piece: Buffer): boolean {
    const wantsMore = this.#held === null || this.#send(this.#held);
    this.#held = piece;
    return wantsMore;
  }

  /** All pieces have been added. @returns false when the answer is unusable, and so has no end */
  end(trailers: IncomingHttpHeaders): boolean {
    const { head, exchange, envelope } = this;
    const suffix = envelope.suffix(trailers);
    if (suffix === null) return false;
    const last = this.#held ?? NOTHING;
    const end = last.length - envelope.trim;
    if (this.#stream !== null) {
      this.#stream.write(last.subarray(0, end));
      this.#stream.end(suffix);
    } else {
      // As one text of single bytes the whole answer leaves in one write, head and body together.
      const text = envelope.prefix + last.toString("latin1", envelope.trim, end) + suffix;
      exchange.answer(head.status, headersOf(head, envelope.length), text, "latin1");
    }
    return true;
  }

  #send(piece: Buffer): boolean {
    const { head, exchange, envelope } = this;
    if (this.#stream !== null) return this.#stream.write(piece);
    this.#stream = exchange.begin(head.status, headersOf(head, envelope.length), this.resume);
    this.#stream?.write(envelope.prefix);
    return this.#stream?.write(piece.subarray(envelope.trim)) ?? true;
  }
}

/** Sends an answer that has no body: one to HEAD, or 304. @param length that the body would have */
export function sendHeadOnly(exchange: Exchange, head: AnswerHead, length: number | null): void {
  exchange.answer(head.status, headersOf(head, length), null);
}

export function headersOf({ headers: given }: AnswerHead, length: number | null): HeaderList {
  // Only JSON and the files that the contract names have an envelope.
  const headers = PRIVATE_FIELDS.copy().add("Content-Type", given["content-type"] ?? JSON_TYPE);
  for (const [name, shown] of PASSED_ON) {
    const value = given[name];
    if (value !== undefined) headers.add(shown, value);
  }
  if (length !== null) headers.add("Content-Length", length);
  return headers;
}
