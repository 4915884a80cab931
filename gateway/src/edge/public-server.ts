import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Listener, type RunningServer, startServer } from "@nts/shared/http/server";
import { REQUEST_MS } from "./pace.js";

// The door that everybody may knock at, with its limits.

/** Bytes of the request line and the header fields together; a list of 1,000 ids in the address fits. */
const HEAD_LIMIT_BYTES = 49_152;

// A request that comes slowly is told so, before the service that waits for its body would give up (8 s).
const HEAD_MS = 5_000;
const CHECK_EVERY_MS = 500;

const KEEP_ALIVE_MS = 65_000;
const DRAIN_MS = 8_000;

/** What answers whatever comes in. */
export interface Answerers {
  readonly serve: Listener;
  readonly onConnect: (request: IncomingMessage, socket: Duplex) => void;
  readonly onClientError: (error: Error & { code?: string }, socket: Socket) => void;
}

export interface PublicServerOptions {
  readonly host: string;
  readonly port: number;
  /** Connections at a time; one more is closed before anything of it is read. */
  readonly maxConnections: number;
}

export interface PublicServer extends RunningServer {
  openConnections(): number;
  /** Connections that were closed because there were too many, since the start. */
  droppedConnections(): number;
}

/** Opens the door. @throws the system's error, such as EADDRINUSE */
export async function startPublicServer(answerers: Answerers, options: PublicServerOptions): Promise<PublicServer> {
  const { host, port, maxConnections } = options;
  const running = await startServer(answerers.serve, {
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
  let open = 0;
  let dropped = 0;
  server.maxConnections = maxConnections;
  // Node would leave out what comes after the 2,000th field, and not say so; their bytes are limited.
  server.maxHeadersCount = 0;
  server.on("connect", answerers.onConnect);
  server.on("clientError", answerers.onClientError);
  // An expectation that nobody here knows is answered as if it had not been said.
  server.on("checkExpectation", answerers.serve);
  server.on("drop", () => dropped++);
  server.on("connection", (socket: Socket) => {
    open++;
    socket.once("close", () => open--);
  });
  return { ...running, openConnections: () => open, droppedConnections: () => dropped };
}
