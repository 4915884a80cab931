import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.js";

// The time that a file may take to arrive. Node has one limit for the whole of any request; a file of many megabytes over a
// slow line needs more. It gets more only for what has arrived: a client that sends nothing times out as soon as any other.

/** Milliseconds until all of a request has come, beside what a file earns. */
export const REQUEST_MS = 7_000;

/** Bytes of a file that earn it another millisecond: 80 KiB a second, which an upstream of 0.7 Mbit/s has. */
export const BYTES_PER_MS = (80 * 1_024) / 1_000;

const CHECK_EVERY_MS = 500;

/** Watches files while they come. */
export interface Pace {
  /** @param onTooSlow called once; the client alone is to blame */
  watch(exchange: Exchange, onTooSlow: () => void): void;
  /** What comes on the connection is still a file, whose time is not Node's to tell. */
  isWatched(exchange: Exchange): boolean;
}

export function createPace(): Pace {
  const watched = new WeakSet<Exchange>();
  return {
    watch: (exchange, onTooSlow) => {
      watched.add(exchange);
      watch(exchange.request, () => {
        watched.delete(exchange);
        exchange.guard(onTooSlow)();
      });
    },
    isWatched: (exchange) => watched.has(exchange) && !exchange.request.complete,
  };
}

function watch(request: IncomingMessage, onTooSlow: () => void): void {
  const { socket } = request;
  const before = socket.bytesRead;
  let waitedMs = 0;
  let checkedAt = performance.now();
  const stop = (): void => {
    clearInterval(timer);
  };
  const timer = setInterval(() => {
    const now = performance.now();
    // What has come and waits to be passed on is not the client's delay.
    if (request.readableLength === 0) waitedMs += now - checkedAt;
    checkedAt = now;
    if (request.complete) stop();
    else if (waitedMs > REQUEST_MS + (socket.bytesRead - before) / BYTES_PER_MS) {
      stop();
      onTooSlow();
    }
  }, CHECK_EVERY_MS);
  request.once("close", stop);
}
