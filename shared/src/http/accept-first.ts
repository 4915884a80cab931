import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createTurns } from "./turns.js";

// Node accepts one connection per turn of its event loop, so a connection behind many others would wait until as many
// turns have done all of their work. While connections arrive, servers therefore leave them unread and begin no other
// request; then each client has one of its connections read per turn.

/** What a server does with new connections. */
export interface ConnectionRules {
  /** False closes it. */
  readonly admits: (socket: Socket) => boolean;
  /** Identifies a client. */
  readonly clientOf: (socket: Socket) => unknown;
}

const EACH_IS_A_CLIENT: ConnectionRules = { admits: () => true, clientOf: (socket) => socket };

/** Lets a server, before it listens, accept waiting connections before it calls its listener. */
export function acceptFirst(
  server: Server,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  { admits, clientOf }: ConnectionRules = EACH_IS_A_CLIENT,
): void {
  const turns = createTurns();
  const [serve] = server.listeners("connection");
  server.removeAllListeners("connection");
  // An option of `net.Server` that `http.Server` does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  server.on("connection", (socket: Socket) => {
    if (!admits(socket)) {
      socket.destroy();
      return;
    }
    turns.arrive(clientOf(socket), () => {
      if (socket.destroyed) return;
      serve?.call(server, socket);
      socket.resume();
    });
  });
  server.on("request", (request, response) => {
    turns.begin(request, () => {
      if (!request.socket.destroyed) listener(request, response);
    });
  });
}
