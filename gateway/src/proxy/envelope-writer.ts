import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { IDEMPOTENCY_REPLAYED } from "@nts/shared/contract";
import { CHALLENGE, CHALLENGE_FIELD, JSON_TYPE, PRIVATE_FIELDS } from "../edge/response-headers.js";
import type { Exchange } from "../edge/exchange.js";
import { nextTargetOf } from "../edge/target.js";
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
  /** Bytes at the start that are still to be omitted. */
  #omitted: number;
  readonly #encoding: Compressed | null;
  readonly #resume: () => void;

  /** @param resume requests more after {@link add} returned false */
  constructor(
    private readonly head: ResponseHead,
    private readonly exchange: Exchange,
    private readonly envelope: Envelope,
    { resume, isCompressible }: { resume: () => void; isCompressible: boolean },
  ) {
    this.#resume = resume;
    this.#omitted = envelope.omit[0];
    const isLarge = envelope.length === null || envelope.length >= SMALLEST_BYTES;
    this.#encoding = isCompressible && isLarge ? encodingFor(exchange) : null;
  }

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
    const last = this.#rest((this.#buffered ?? NOTHING).subarray(0, -envelope.omit[1] || undefined));
    if (this.#stream !== null) {
      this.#stream.write(last);
      this.#stream.end(suffix);
    } else {
      // As Latin-1 text, head and body are sent in one write.
      const text = envelope.prefix + last.toString("latin1") + suffix;
      if (this.#encoding === null || text.length < SMALLEST_BYTES)
        exchange.respond(head.status, this.#headers(envelope.length, null), text, "latin1");
      else void this.#respondCompressed(Buffer.from(text, "latin1"), this.#encoding);
    }
    return true;
  }

  async #respondCompressed(text: Buffer, encoding: Compressed): Promise<void> {
    const { head, exchange } = this;
    try {
      const body = await compressed(text, encoding);
      exchange.respond(head.status, this.#headers(body.length, encoding), body);
    } catch (error) {
      exchange.fail(error);
    }
  }

  #headers(length: number | null, encoding: Compressed | null): HeaderList {
    return headersOf(this.head, { ...this.envelope, length, encoding }, this.exchange.request);
  }

  #begin(): Sink | null {
    const { head, exchange, envelope } = this;
    const encoding = this.#encoding;
    if (encoding === null || !hasRoom())
      return exchange.begin(head.status, this.#headers(envelope.length, null), this.#resume);
    const headers = this.#headers(null, encoding);
    const begin = (onDrain: () => void) => exchange.begin(head.status, headers, onDrain);
    return compressedStream(exchange, encoding, begin, this.#resume);
  }

  #send(piece: Buffer): boolean {
    const { envelope } = this;
    if (this.#stream !== null) return this.#stream.write(this.#rest(piece));
    this.#stream = this.#begin();
    this.#stream?.write(envelope.prefix);
    return this.#stream?.write(this.#rest(piece)) ?? true;
  }

  /** A piece without what is to be omitted at the start. */
  #rest(piece: Buffer): Buffer {
    const omitted = Math.min(this.#omitted, piece.length);
    this.#omitted -= omitted;
    return piece.subarray(omitted);
  }
}

/** Sends a response without a body, to HEAD or as 304. @param body what it would be, if there were one */
export function sendHeadOnly(exchange: Exchange, head: ResponseHead, body: Body): void {
  exchange.respond(head.status, headersOf(head, body, exchange.request), null);
}

/** What the headers say of a body. */
type Body = Pick<Envelope, "length" | "type" | "next"> & { readonly encoding?: Compressed | null };

/** @param request whose response it is */
export function headersOf(
  { status, headers: given }: ResponseHead,
  { length, type, next, encoding = null }: Body,
  request: Pick<IncomingMessage, "url">,
): HeaderList {
  // Only JSON and the files of the contract are accepted.
  const headers = PRIVATE_FIELDS.copy().add("Content-Type", type ?? given["content-type"] ?? JSON_TYPE);
  for (const [name, shown] of PASSED_ON) {
    const value = given[name];
    // The same bytes come only from the same encoding.
    const isWeak = name === "etag" && encoding !== null;
    if (value !== undefined) headers.add(shown, isWeak ? `W/${String(value)}` : value);
  }
  if (encoding !== null) headers.add("Content-Encoding", encoding);
  if (status === 401) headers.add(CHALLENGE_FIELD, CHALLENGE);
  if (length !== null) headers.add("Content-Length", length);
  if (next !== undefined) headers.add("Link", `<${nextTargetOf(request, next)}>; rel="next"`);
  return headers;
}
