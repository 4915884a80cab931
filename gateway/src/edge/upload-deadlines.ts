import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.js";

// Upload time limits. Node's limit covers a whole request, but a large file on a slow line needs more: each received
// byte extends the deadline, so that silent clients time out as usual.

/** Milliseconds for a complete request, plus what an upload earns. */
export const REQUEST_MS = 7_000;

/** Bytes of an upload that earn a millisecond: 80 KiB/s, which an uplink of 0.7 Mbit/s has. */
export const BYTES_PER_MS = (80 * 1_024) / 1_000;

const CHECK_EVERY_MS = 500;

/** Watches uploads. */
export interface UploadDeadlines {
  /** @param onTooSlow called once, if the client alone is slow */
  watch(exchange: Exchange, onTooSlow: () => void): void;
  /** The connection still receives an upload, to which Node's timeout does not apply. */
  isWatched(exchange: Exchange): boolean;
}

export function createUploadDeadlines(): UploadDeadlines {
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
    // Bytes waiting to be forwarded are not the client's delay.
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
