import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createTurns, type Turns } from "./turns.js";

// Node accepts one connection per turn of its event loop, so a connection behind many others would wait until as many
// turns have done all of their work. While connections arrive, servers therefore leave them unread; then each client has
// one of its connections read per turn, and no other request begins meanwhile.

/** What a server does with the connections of unknown clients. */
export interface ConnectionRules {
  /** Identifies the client of a connection; null closes it. */
  readonly admit: (socket: Socket) => unknown;
  /** Begins to read a connection, now or later. */
  readonly read: (socket: Socket) => void;
  /** With these, the listener itself limits the requests of a connection, and begins them in turn. */
  readonly turns: Turns;
}

const eachIsAClient = (): ConnectionRules => ({
  admit: (socket) => socket,
  read: (socket) => socket.resume(),
  turns: createTurns(),
});

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Lets a server, before it listens, accept waiting connections before it serves them. */
export function acceptFirst(server: Server, listener: Listener, rules: ConnectionRules | null): void {
  const { admit, turns, read } = rules ?? eachIsAClient();
  const [serve] = server.listeners("connection");
  server.removeAllListeners("connection");
  // An option of `net.Server` that `http.Server` does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  server.on("connection", (socket: Socket) => {
    const client = admit(socket);
    if (client === null) {
      socket.destroy();
      return;
    }
    turns.arrive(client, () => {
      if (socket.destroyed) return;
      serve?.call(server, socket);
      read(socket);
    });
  });
  // Unknown clients could send any number of requests to be held.
  server.on("request", rules === null ? beginningIn(turns, listener) : listener);
}

function beginningIn({ begin }: Turns, listener: Listener): Listener {
  return (request, response) => {
    begin(request.socket, () => {
      if (!request.socket.destroyed) listener(request, response);
    });
  };
}
