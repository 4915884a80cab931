import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { JSON_HEADERS } from "../edge/json-headers.js";
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
    private readonly response: ServerResponse,
    private readonly frame: Frame,
    private readonly resume: () => void,
  ) {}

  /** @returns false when no more is wanted for the moment */
  add(piece: Buffer): boolean {
    const wantsMore = this.#held === null || this.#send(this.#held);
    this.#held = piece;
    if (!wantsMore) this.response.once("drain", this.resume);
    return wantsMore;
  }

  /** All pieces have been added. @returns false when the answer is unusable, and so has no end */
  end(trailers: IncomingHttpHeaders): boolean {
    const { head, response, frame } = this;
    const suffix = frame.suffix(trailers);
    if (suffix === null) return false;
    const last = this.#held ?? NOTHING;
    const end = last.length - frame.trim;
    if (this.#hasBegun) {
      response.write(last.subarray(0, end));
      response.end(suffix);
    } else {
      writeHead(response, head, frame.length);
      // As one text of single bytes the whole answer leaves in one write, head and body together.
      response.end(frame.prefix + last.toString("latin1", frame.trim, end) + suffix, "latin1");
    }
    return true;
  }

  #send(piece: Buffer): boolean {
    const { head, response, frame } = this;
    if (this.#hasBegun) return response.write(piece);
    this.#hasBegun = true;
    writeHead(response, head, frame.length);
    response.write(frame.prefix, "latin1");
    return response.write(piece.subarray(frame.trim));
  }
}

/** Sends an answer that has no body: one to HEAD, or 304. @param length that the body would have */
export function sendHeadOnly(response: ServerResponse, head: AnswerHead, length: number | null): void {
  writeHead(response, head, length);
  response.end();
}

function writeHead(response: ServerResponse, { status, headers: given }: AnswerHead, length: number | null): void {
  const headers: Record<string, string | string[] | number> = { ...JSON_HEADERS };
  for (const [name, shown] of PASSED_ON) {
    const value = given[name];
    if (value !== undefined) headers[shown] = value;
  }
  const type = given["content-type"];
  if (type?.startsWith("application/json") === false) headers["Content-Type"] = type; // of a file: its frame has let it pass
  if (length !== null) headers["Content-Length"] = length;
  response.writeHead(status, headers);
}
