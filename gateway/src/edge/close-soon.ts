import type { Socket } from "node:net";

/**
 * Milliseconds that a client gets to read the last response and close its side, while what it still sends is discarded:
 * closing at once would reset the connection and lose the response.
 */
export const LINGER_MS = 1_000;

/** Sends the last bytes of a connection that Node's HTTP server no longer handles, and closes it, even if the client does not. */
export function closeSoon(socket: Socket, lastBytes = ""): void {
  socket.end(lastBytes);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => {
    clearTimeout(timer);
  });
}
