import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Listener, type RunningServer, startServer } from "@nts/shared/http/server";
import type { ClientError } from "./malformed.js";
import type { OpenConnections } from "./open-connections.js";
import { REQUEST_MS } from "./pace.js";

// The door that everybody may knock at, with its limits.

/** Bytes of the request line and the header fields together; a list of 1,000 ids in the address fits. */
export const HEAD_LIMIT_BYTES = 49_152;

// A request that comes slowly is told so, before the service that waits for its body would give up (8 s).
export const HEAD_MS = 5_000;
const CHECK_EVERY_MS = 500;

const KEEP_ALIVE_MS = 65_000;
const DRAIN_MS = 8_000;

/** What answers whatever comes in. */
export interface Answerers {
  readonly serve: Listener;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
  readonly onClientError: (error: ClientError, socket: Socket) => void;
  /** Told of an exception in one of the others; its connection is destroyed. */
  readonly onDefect: (error: unknown) => void;
}

export interface PublicServerOptions {
  readonly host: string;
  readonly port: number;
  readonly connections: OpenConnections;
  /** Connections of all kinds; one more is closed before the process hears of it. */
  readonly mostConnections: number;
}

export interface PublicServer extends RunningServer {
  openConnections(): number;
  /** Connections that were closed because there were too many, since the start. */
  droppedConnections(): number;
}

/** Opens the door. @throws the system's error, such as EADDRINUSE */
export async function startPublicServer(answerers: Answerers, options: PublicServerOptions): Promise<PublicServer> {
  const { host, port, connections, mostConnections } = options;
  const contained = containing(answerers.onDefect);
  const serve = contained<[IncomingMessage, ServerResponse]>(answerers.serve, (request) => request.socket);
  const running = await startServer(serve, {
    host,
    port,
    maxHeaderBytes: HEAD_LIMIT_BYTES,
    keepAliveMs: KEEP_ALIVE_MS,
    drainMs: DRAIN_MS,
    node: {
      // Node's own answer to a missing Host would have no envelope.
      requireHostHeader: false,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
  });
  const { server } = running;
  let dropped = 0;
  server.maxConnections = mostConnections;
  // Node would leave out what comes after the 2,000th field, and not say so; their bytes are limited.
  server.maxHeadersCount = 0;
  server.on(
    "connect",
    contained(answerers.onConnect, (_request, socket) => socket),
  );
  server.on(
    "clientError",
    contained(answerers.onClientError, (_error, socket) => socket),
  );
  // An unknown expectation is ignored.
  server.on("checkExpectation", serve);
  server.on("drop", () => dropped++);
  server.on("connection", (socket: Socket) => {
    if (connections.add(socket)) return;
    dropped++;
    socket.destroy();
  });
  return { ...running, openConnections: connections.count, droppedConnections: () => dropped };
}

/** Makes listeners whose exceptions cost their connection, and nothing else. */
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
