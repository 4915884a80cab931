import type { IncomingHttpHeaders } from "node:http";
import { IDEMPOTENCY_REPLAYED } from "@nts/shared/contract";
import { CHALLENGE, JSON_TYPE, PRIVATE_FIELDS } from "../edge/response-headers.js";
import type { Exchange } from "../edge/exchange.js";
import type { HeaderList } from "../edge/header-list.js";
import {
  compressed,
  type Compressed,
  compressedStream,
  encodingFor,
  hasRoom,
  type Sink,
  SMALLEST_BYTES,
} from "./compression.js";
import type { Envelope } from "./envelope.js";
import type { ResponseHead } from "./transport.js";

// Streams a service's response in its envelope. The last piece is delayed until the end of the message: short responses
// are sent in one write, the last byte of a failure can be removed, and a partial response never looks complete.

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

/** A response being sent. */
export class EnvelopeWriter {
  #buffered: Buffer | null = null;
  #stream: Sink | null = null;
  readonly #encoding: Compressed | null;

  /** @param resume requests more after {@link add} returned false */
  constructor(
    private readonly head: ResponseHead,
    private readonly exchange: Exchange,
    private readonly envelope: Envelope,
    { resume, isCompressible }: { resume: () => void; isCompressible: boolean },
  ) {
    this.resume = resume;
    const isLarge = envelope.length === null || envelope.length >= SMALLEST_BYTES;
    this.#encoding = isCompressible && isLarge ? encodingFor(exchange) : null;
  }

  private readonly resume: () => void;

  /** @returns false to pause */
  add(piece: Buffer): boolean {
    const wantsMore = this.#buffered === null || this.#send(this.#buffered);
    this.#buffered = piece;
    return wantsMore;
  }

  /** All pieces were added. @returns false if the response is unusable, and so has no end */
  end(trailers: IncomingHttpHeaders): boolean {
    const { head, exchange, envelope } = this;
    const suffix = envelope.suffix(trailers);
    if (suffix === null) return false;
    const last = this.#buffered ?? NOTHING;
    const end = last.length - envelope.trim;
    if (this.#stream !== null) {
      this.#stream.write(last.subarray(0, end));
      this.#stream.end(suffix);
    } else {
      // As Latin-1 text, head and body are sent in one write.
      const text = envelope.prefix + last.toString("latin1", envelope.trim, end) + suffix;
      if (this.#encoding === null || text.length < SMALLEST_BYTES)
        exchange.respond(head.status, headersOf(head, envelope.length), text, "latin1");
      else void this.#respondCompressed(Buffer.from(text, "latin1"), this.#encoding);
    }
    return true;
  }

  async #respondCompressed(text: Buffer, encoding: Compressed): Promise<void> {
    const { head, exchange } = this;
    try {
      const body = await compressed(text, encoding);
      exchange.respond(head.status, headersOf(head, body.length).add("Content-Encoding", encoding), body);
    } catch (error) {
      exchange.fail(error);
    }
  }

  #begin(): Sink | null {
    const { head, exchange, envelope, resume } = this;
    const encoding = this.#encoding;
    if (encoding === null || !hasRoom()) return exchange.begin(head.status, headersOf(head, envelope.length), resume);
    const headers = headersOf(head, null).add("Content-Encoding", encoding);
    return compressedStream(exchange, encoding, (onDrain) => exchange.begin(head.status, headers, onDrain), resume);
  }

  #send(piece: Buffer): boolean {
    const { envelope } = this;
    if (this.#stream !== null) return this.#stream.write(piece);
    this.#stream = this.#begin();
    this.#stream?.write(envelope.prefix);
    return this.#stream?.write(piece.subarray(envelope.trim)) ?? true;
  }
}

/** Sends a response without a body, to HEAD or as 304. @param length of the body, if there were one */
export function sendHeadOnly(exchange: Exchange, head: ResponseHead, length: number | null): void {
  exchange.respond(head.status, headersOf(head, length), null);
}

export function headersOf({ status, headers: given }: ResponseHead, length: number | null): HeaderList {
  // Only JSON and the files of the contract are accepted.
  const headers = PRIVATE_FIELDS.copy().add("Content-Type", given["content-type"] ?? JSON_TYPE);
  for (const [name, shown] of PASSED_ON) {
    const value = given[name];
    if (value !== undefined) headers.add(shown, value);
  }
  if (status === 401) headers.add(...CHALLENGE);
  if (length !== null) headers.add("Content-Length", length);
  return headers;
}
