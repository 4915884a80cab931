import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions as NodeOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { acceptFirst, type ConnectionRules } from "./accept-first.js";

// Graceful shutdown: while leaving, each response closes its connection. Then the port is closed first, so that new
// connections are refused, which tells clients that nothing was sent, instead of being accepted and cut.

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly maxHeaderBytes: number;
  /** Milliseconds that idle connections are kept; longer than the client keeps them. */
  readonly keepAliveMs: number;
  /** Milliseconds that open requests get to finish on close. */
  readonly drainMs: number;
  /** For unknown clients. By default, clients are gateways and operators, and all are admitted. */
  readonly connections?: ConnectionRules;
  /** Further options of Node's server, such as timeouts. */
  readonly node?: NodeOptions;
}

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /** From now on, responses close their connections. */
  leave(): void;
  /** Accepts no new connections, lets open requests finish, then closes the rest. */
  close(): Promise<void>;
}

const SWEEP_MS = 20;

/** Starts an HTTP server. @throws the system's error, such as EADDRINUSE */
export async function startServer(listener: Listener, options: ServerOptions): Promise<RunningServer> {
  const { node, maxHeaderBytes, keepAliveMs, host, drainMs } = options;
  const server = createServer({ ...node, maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs });
  acceptFirst(server, listener, options.connections ?? null);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  let leaving = false;
  const leave = (): void => {
    if (leaving) return;
    leaving = true;
    server.prependListener("request", (_request, response) => {
      response.setHeader("Connection", "close");
    });
  };
  return {
    server,
    port: (server.address() as AddressInfo).port,
    leave,
    close: () => {
      leave();
      return closeWithin(server, drainMs);
    },
  };
}

async function closeWithin(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Responses that started before leaving keep their connections, which become idle only later.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, SWEEP_MS);
  const limit = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
