import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions as NodeOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

// A server that can stop without losing a request. Clients with kept-alive connections must first learn that this
// process is going: while it is leaving, each answer ends its connection. Then the port is closed before anything else, so
// that a new connection is refused, which tells its maker that nothing was sent, and is never accepted and cut.

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly maxHeaderBytes: number;
  /** Milliseconds that an unused connection is kept; longer than its client keeps it. */
  readonly keepAliveMs: number;
  /** Milliseconds that open requests get to finish when the server closes. */
  readonly drainMs: number;
  /** What else Node lets a server be told, such as its time-outs. */
  readonly node?: NodeOptions;
}

export interface RunningServer {
  readonly server: Server;
  readonly port: number;
  /** Answers end their connections from now on. */
  leave(): void;
  /** Takes no new connections, lets open requests finish, then closes what is left. */
  close(): Promise<void>;
}

const SWEEP_MS = 20;

/** Starts an HTTP server. @throws the system's error, such as EADDRINUSE */
export async function startServer(listener: Listener, options: ServerOptions): Promise<RunningServer> {
  const { node, maxHeaderBytes, keepAliveMs, host, drainMs } = options;
  const server = createServer({ ...node, maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs }, listener);
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
  // A connection whose last answer began before the server was leaving is kept by its client, and idle only later.
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
