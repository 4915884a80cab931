import type { IncomingHttpHeaders, OutgoingHttpHeader } from "node:http";
import type { Exchange } from "../edge/exchange.js";
import { writeHead } from "../edge/head.js";
import { JSON_TYPE, PRIVATE_FIELDS } from "../edge/json-headers.js";
import type { Frame } from "./frame.js";
import type { AnswerHead } from "./transport.js";

// Sends a service's answer with its frame around it, while it comes. The last piece is held back until the next one or the
// end has come: a short answer so leaves in one piece with its frame, and the last byte of a failure can be left out. The
// end is written only when all of the service's message has come; anything less must never look like a whole answer.

const PASSED_ON = Object.entries({
  etag: "ETag",
  "retry-after": "Retry-After",
  "set-cookie": "Set-Cookie",
  "content-disposition": "Content-Disposition",
});
const NOTHING = Buffer.alloc(0);

/** An answer that is being sent. */
export class Splice {
  #held: Buffer | null = null;
  #hasBegun = false;

  /** @param resume asks for more after {@link add} said that it was enough */
  constructor(
    private readonly head: AnswerHead,
    private readonly exchange: Exchange,
    private readonly frame: Frame,
    private readonly resume: () => void,
  ) {}

  /** @returns false when no more is wanted for the moment */
  add(piece: Buffer): boolean {
    const wantsMore = this.#held === null || this.#send(this.#held);
    this.#held = piece;
    if (!wantsMore) this.exchange.response.once("drain", this.resume);
    return wantsMore;
  }

  /** All pieces have been added. @returns false when the answer is unusable, and so has no end */
  end(trailers: IncomingHttpHeaders): boolean {
    const { head, exchange, frame } = this;
    const { response } = exchange;
    const suffix = frame.suffix(trailers);
    if (suffix === null) return false;
    const last = this.#held ?? NOTHING;
    const end = last.length - frame.trim;
    if (this.#hasBegun) {
      response.write(last.subarray(0, end));
      response.end(suffix);
    } else {
      beginAnswer(exchange, head, frame.length);
      // As one text of single bytes the whole answer leaves in one write, head and body together.
      response.end(frame.prefix + last.toString("latin1", frame.trim, end) + suffix, "latin1");
    }
    return true;
  }

  #send(piece: Buffer): boolean {
    const { head, exchange, frame } = this;
    const { response } = exchange;
    if (this.#hasBegun) return response.write(piece);
    this.#hasBegun = true;
    beginAnswer(exchange, head, frame.length);
    response.write(frame.prefix, "latin1");
    return response.write(piece.subarray(frame.trim));
  }
}

/** Sends an answer that has no body: one to HEAD, or 304. @param length that the body would have */
export function sendHeadOnly(exchange: Exchange, head: AnswerHead, length: number | null): void {
  beginAnswer(exchange, head, length);
  exchange.response.end();
}

function beginAnswer(exchange: Exchange, { status, headers: given }: AnswerHead, length: number | null): void {
  // A frame lets pass JSON and the files that the contract names.
  const fields: OutgoingHttpHeader[] = ["Content-Type", given["content-type"] ?? JSON_TYPE, ...PRIVATE_FIELDS];
  for (const [name, shown] of PASSED_ON) {
    const value = given[name];
    if (value !== undefined) fields.push(shown, value);
  }
  if (length !== null) fields.push("Content-Length", length);
  writeHead(exchange, status, fields);
}
