import type { IncomingMessage, ServerResponse } from "node:http";
import { JSON_HEADERS } from "../edge/json-headers.js";
import type { Frame } from "./frame.js";

// Sends a service's answer with its frame around it, while it comes. The last piece is held back until the next one or the
// end has come: a short answer so leaves in one piece with its frame, and the last byte of a failure can be left out. The
// end is written only when the service's message is complete; anything less must never look like a whole answer.

const PASSED_ON = Object.entries({ etag: "ETag", "retry-after": "Retry-After", "set-cookie": "Set-Cookie" });

export interface Splice {
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
  readonly frame: Frame;
  /** Called for every piece that came or could be passed on. */
  readonly onProgress: () => void;
  /** The answer ended too early or is unusable; nothing is sent after this. */
  readonly onBroken: () => void;
}

/** Sends the answer of a service. */
export function splice({ answer, response, frame, onProgress, onBroken }: Splice): void {
  let held: Buffer | null = null;
  let begun = false;
  let over = false;

  function send(piece: Buffer): void {
    if (!begun) {
      begun = true;
      writeHead(response, answer, frame.length);
      response.write(frame.prefix, "latin1");
      piece = piece.subarray(frame.trim);
    }
    if (response.write(piece)) return;
    answer.pause();
    response.once("drain", () => {
      onProgress();
      answer.resume();
    });
  }

  function end(): void {
    over = true;
    const suffix = answer.complete ? frame.suffix() : null;
    if (suffix === null) {
      onBroken();
      return;
    }
    const last = held ?? Buffer.alloc(0);
    const rest = last.subarray(0, last.length - frame.trim);
    if (begun) {
      response.write(rest);
      response.end(suffix);
      return;
    }
    writeHead(response, answer, frame.length);
    response.end(Buffer.concat([Buffer.from(frame.prefix), rest.subarray(frame.trim), Buffer.from(suffix)]));
  }

  function stop(): void {
    if (over) return;
    over = true;
    onBroken();
  }

  answer
    .on("data", (piece: Buffer) => {
      onProgress();
      if (held !== null) send(held);
      held = piece;
    })
    .once("end", end)
    .once("error", stop)
    .once("close", stop);
}

/** Sends an answer that has no body: one to HEAD, or 304. @param length that the body would have */
export function sendHeadOnly(response: ServerResponse, answer: IncomingMessage, length: number | null): void {
  answer.resume();
  writeHead(response, answer, length);
  response.end();
}

function writeHead(response: ServerResponse, answer: IncomingMessage, length: number | null): void {
  const headers: Record<string, string | string[] | number> = { ...JSON_HEADERS };
  for (const [name, shown] of PASSED_ON) {
    const value = answer.headers[name];
    if (value !== undefined) headers[shown] = value;
  }
  if (length !== null) headers["Content-Length"] = length;
  response.writeHead(answer.statusCode ?? 502, headers);
}
