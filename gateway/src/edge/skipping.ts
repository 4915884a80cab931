import type { IncomingMessage } from "node:http";
import { createTurns, type Pacing } from "./turns.js";

// What is left of bodies that nobody wants. It is read for the client to get at its answer, but takes its time: whoever sends
// much of it shall wait, not those whose requests are served meanwhile.

/** Milliseconds between turns, and the requests that may send a piece (of 64 KiB at most) in each: 50 MiB a second. */
const TURN_MS = 5;
const MOST_IN_A_TURN = 4;

/** Discards unwanted bodies, of all connections together no faster than that. */
export interface Skipping {
  /** Nothing else may read from the request afterwards. */
  skip(request: IncomingMessage): void;
}

export function createSkipping(schedule?: Pacing["schedule"]): Skipping {
  const pacing = { turnMs: TURN_MS, most: MOST_IN_A_TURN, ...(schedule !== undefined && { schedule }) };
  const turns = createTurns<IncomingMessage>(pacing, (request) => {
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
