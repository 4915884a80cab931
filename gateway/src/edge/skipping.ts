import type { IncomingMessage } from "node:http";

// What is left of bodies that nobody wants. It is read for the client to get at its answer, but takes its time: whoever sends
// much of it shall wait, not those whose requests are served meanwhile.

/** Milliseconds between turns, and the requests that may send a piece (of 64 KiB at most) in each: 50 MiB a second. */
const TURN_MS = 5;
const MOST_IN_A_TURN = 4;

/** Reads bodies that nobody wants, of all connections together no faster than that. */
export interface Skipping {
  /** Nobody else may read from the request any more. */
  skip(request: IncomingMessage): void;
}

/** @param schedule begins the next turn after so many milliseconds */
export function createSkipping(schedule: (turn: () => void, ms: number) => unknown = setTimeout): Skipping {
  const waiting = new Set<IncomingMessage>();
  let isScheduled = false;

  function wait(request: IncomingMessage): void {
    waiting.add(request);
    expectTurn();
  }

  function expectTurn(): void {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    schedule(turn, TURN_MS);
  }

  function turn(): void {
    isScheduled = false;
    for (const request of [...waiting].slice(0, MOST_IN_A_TURN)) {
      waiting.delete(request);
      request.resume();
    }
    expectTurn();
  }

  return {
    skip: (request) => {
      request
        .pause()
        .on("data", () => {
          request.pause();
          wait(request);
        })
        .once("close", () => waiting.delete(request));
      wait(request);
    },
  };
}
