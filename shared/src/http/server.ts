import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions as NodeOptions,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { createHttpTerminator } from "http-terminator";

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
  /** Takes no new requests, lets open ones finish, then closes what is left. */
  close(): Promise<void>;
}

/** Starts an HTTP server. @throws the system's error, such as EADDRINUSE */
export async function startServer(listener: Listener, options: ServerOptions): Promise<RunningServer> {
  const server = createServer(
    { ...options.node, maxHeaderSize: options.maxHeaderBytes, keepAliveTimeout: options.keepAliveMs },
    listener,
  );
  const terminator = createHttpTerminator({ server, gracefulTerminationTimeout: options.drainMs });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { server, port: (server.address() as AddressInfo).port, close: () => terminator.terminate() };
}
