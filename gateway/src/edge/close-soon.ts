import type { Socket } from "node:net";

/** Milliseconds that a client gets to read the last response and close its side. */
export const LINGER_MS = 1_000;

/**
 * Sends the last bytes of a connection that Node's HTTP server no longer handles, and closes it, even if the client
 * does not. What still arrives is discarded, because closing with unread bytes could lose the response.
 */
export function closeSoon(socket: Socket, lastBytes = ""): void {
  socket.end(lastBytes);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => {
    clearTimeout(timer);
  });
}
