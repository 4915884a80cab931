import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener } from "@nts/shared/http/server";
import type { Connections } from "./connections.js";
import type { Exchange } from "./exchange.js";
import type { HeaderList } from "./header-list.js";
import { closeSoon } from "./close-soon.js";
import { type ClientError, isTooSlow, malformedText, statusOf } from "./malformed.js";
import type { UploadDeadlines } from "./upload-deadlines.js";

// Connection faults outside of normal requests: unparsable or slow bytes, and CONNECT. Each gets a response in its
// turn, and the connection is closed.

export interface ClientErrorOptions {
  readonly connections: Connections;
  readonly uploadDeadlines: UploadDeadlines;
  /** Rejects a request with a fault after its head. */
  readonly refuse: (exchange: Exchange, status: number) => void;
  /** Counts unparsable bytes against an address. @returns the headers of the response */
  readonly charge: (remoteAddress: string) => Promise<HeaderList>;
}

/** Creates the handler of Node's `clientError`. */
export function createClientErrors({ connections, uploadDeadlines, refuse, charge }: ClientErrorOptions) {
  function respondToBytes(error: ClientError, socket: Socket): void {
    charge(socket.remoteAddress ?? "").then(
      (headers) => {
        closeSoon(socket, malformedText(error, headers));
      },
      () => socket.destroy(),
    );
  }

  return (error: ClientError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const connection = connections.of(socket);
    const { last } = connection;
    if (connection.isBroken || (isTooSlow(error) && last !== null && uploadDeadlines.isWatched(last))) return;
    connection.isBroken = true;
    if (last === null || last.request.complete)
      connection.whenIdle(() => {
        respondToBytes(error, socket);
      });
    else if (connection.isWaiting(last)) last.unreadable = statusOf(error);
    else refuse(last, statusOf(error));
  };
}

/**
 * Creates the handler of CONNECT, which responds and closes: Node hands over the bare connection, as what follows would
 * be tunneled bytes.
 */
export function createTunnelRefusal(connections: Connections, serve: Listener) {
  return (request: IncomingMessage, connection: Duplex): void => {
    if (!(connection instanceof Socket)) {
      connection.destroy();
      return;
    }
    connection.on("error", () => connection.destroy()).resume();
    connections.of(connection).whenIdle(() => {
      if (connection.destroyed) return;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(connection);
      response.once("finish", () => {
        response.detachSocket(connection);
        closeSoon(connection);
      });
      serve(request, response);
    });
  };
}
