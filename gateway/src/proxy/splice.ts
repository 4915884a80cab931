import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { JSON_HEADERS } from "../edge/json-headers.js";
import type { Frame } from "./frame.js";
import type { AnswerHead } from "./transport.js";

// Sends a service's answer with its frame around it, while it comes. The last piece is held back until the next one or the
// end has come: a short answer so leaves in one piece with its frame, and the last byte of a failure can be left out. The
// end is written only when all of the service's message has come; anything less must never look like a whole answer.

const PASSED_ON = Object.entries({ etag: "ETag", "retry-after": "Retry-After", "set-cookie": "Set-Cookie" });
const NOTHING = Buffer.alloc(0);

export interface SpliceOptions {
  readonly head: AnswerHead;
  readonly response: ServerResponse;
  readonly frame: Frame;
  /** Asks for more after {@link Splice.add} said that it was enough. */
  readonly resume: () => void;
}

/** An answer that is being sent. */
export interface Splice {
  /** @returns false when no more is wanted for the moment */
  add(piece: Buffer): boolean;
  /** All pieces have been added. @returns false when the answer is unusable, and so has no end */
  end(trailers: IncomingHttpHeaders): boolean;
}

/** Begins to send the answer of a service. */
export function createSplice({ head, response, frame, resume }: SpliceOptions): Splice {
  let held: Buffer | null = null;
  let hasBegun = false;

  function send(piece: Buffer): boolean {
    if (hasBegun) return response.write(piece);
    hasBegun = true;
    writeHead(response, head, frame.length);
    response.write(frame.prefix, "latin1");
    return response.write(piece.subarray(frame.trim));
  }

  return {
    add: (piece) => {
      const wantsMore = held === null || send(held);
      held = piece;
      if (!wantsMore) response.once("drain", resume);
      return wantsMore;
    },
    end: (trailers) => {
      const suffix = frame.suffix(trailers);
      if (suffix === null) return false;
      const last = held ?? NOTHING;
      const rest = last.subarray(0, last.length - frame.trim);
      if (hasBegun) {
        response.write(rest);
        response.end(suffix);
      } else {
        writeHead(response, head, frame.length);
        response.end(Buffer.concat([Buffer.from(frame.prefix), rest.subarray(frame.trim), Buffer.from(suffix)]));
      }
      return true;
    },
  };
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
  if (length !== null) headers["Content-Length"] = length;
  response.writeHead(status, headers);
}
