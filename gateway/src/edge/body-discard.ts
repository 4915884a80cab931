import type { IncomingMessage } from "node:http";
import { createPacedQueue, type Pacing } from "./paced-queue.js";

// Discards the rest of unwanted bodies, so that clients can read the response; paced, so that large ones do not delay
// other requests.

/** Pacing in milliseconds, and requests that may send a chunk (up to 64 KiB) per turn: 50 MiB/s. */
const TURN_MS = 5;
const MOST_IN_A_TURN = 4;

/** Discards unwanted bodies of all connections at a limited rate. */
export interface BodyDiscard {
  /** Nothing else may read from the request afterwards. */
  skip(request: IncomingMessage): void;
}

export function createBodyDiscard(schedule?: Pacing["schedule"]): BodyDiscard {
  const pacing = { turnMs: TURN_MS, most: MOST_IN_A_TURN, ...(schedule !== undefined && { schedule }) };
  const turns = createPacedQueue<IncomingMessage>(pacing, (request) => {
    request.resume();
    return true;
  });
  return {
    skip: (request) => {
      request
        .pause()
        .on("data", () => {
          request.pause();
          turns.add(request);
        })
        .once("close", () => {
          turns.remove(request);
        });
      turns.add(request);
    },
  };
}
