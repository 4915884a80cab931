import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Listener, type RunningServer, startServer } from "@nts/shared/http/server";
import type { Turns } from "@nts/shared/http/turns";
import { IDLE, STOPPING } from "@nts/shared/timing";
import type { ClientError } from "./malformed.js";
import type { OpenConnections } from "./open-connections.js";
import { REQUEST_MS } from "./upload-deadlines.js";

// The public server and its limits.

/** Maximum bytes of request line and headers; a list of 1,000 ids in the URL fits. */
export const HEAD_LIMIT_BYTES = 49_152;

// Slow requests time out before the waiting service would (8 s).
export const HEAD_MS = 5_000;
const CHECK_EVERY_MS = 500;

/** Handlers of requests and connection faults. */
export interface Listeners {
  readonly serve: Listener;
  /** The turns of new connections, which `serve` waits for. */
  readonly arriving: Turns;
  /** Begins to read a new connection. */
  readonly read: (socket: Socket) => void;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
  readonly onClientError: (error: ClientError, socket: Socket) => void;
  /** Called with exceptions of the others; the connection is destroyed. */
  readonly onDefect: (error: unknown) => void;
}

export interface PublicServerOptions {
  readonly host: string;
  readonly port: number;
  readonly connections: OpenConnections;
  /** Maximum connections of all kinds; further ones are closed by Node. */
  readonly mostConnections: number;
}

export interface PublicServer extends RunningServer {
  openConnections(): number;
  /** Connections closed because of the maximum. */
  droppedConnections(): number;
}

/** Starts the server. @throws the system's error, such as EADDRINUSE */
export async function startPublicServer(listeners: Listeners, options: PublicServerOptions): Promise<PublicServer> {
  const { host, port, connections, mostConnections } = options;
  const contained = containing(listeners.onDefect);
  const serve = contained<[IncomingMessage, ServerResponse]>(listeners.serve, (request) => request.socket);
  let dropped = 0;
  const admit = (socket: Socket): string | null => {
    const client = connections.add(socket);
    if (client === null) dropped++;
    return client;
  };
  const running = await startServer(serve, {
    host,
    port,
    maxHeaderBytes: HEAD_LIMIT_BYTES,
    keepAliveMs: IDLE.atGatewayMs,
    drainMs: STOPPING.drainGatewayMs,
    connections: { admit, turns: listeners.arriving, read: listeners.read },
    node: {
      // Node's own response to a missing Host would have no envelope.
      requireHostHeader: false,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
  });
  const { server } = running;
  server.maxConnections = mostConnections;
  // Node would silently drop headers after the 2,000th; their bytes are limited instead.
  server.maxHeadersCount = 0;
  server.on(
    "connect",
    contained(listeners.onConnect, (_request, socket) => socket),
  );
  server.on(
    "clientError",
    contained(listeners.onClientError, (_error, socket) => socket),
  );
  // Unknown expectations are ignored.
  server.on("checkExpectation", serve);
  server.on("drop", () => dropped++);
  return { ...running, openConnections: () => connections.all().size, droppedConnections: () => dropped };
}

/** Wraps listeners so that exceptions only cost their connection. */
function containing(onDefect: (error: unknown) => void) {
  return <Given extends unknown[]>(listener: (...given: Given) => void, connectionOf: (...given: Given) => Duplex) =>
    (...given: Given): void => {
      try {
        listener(...given);
      } catch (error) {
        connectionOf(...given).destroy();
        onDefect(error);
      }
    };
}
