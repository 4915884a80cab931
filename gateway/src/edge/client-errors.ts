import type { IncomingMessage } from "node:http";
import { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener } from "@nts/shared/http/server";
import type { Connections } from "./connections.js";
import type { Exchange } from "./exchange.js";
import type { HeaderList } from "./header-list.js";
import { answerMalformed, type ClientError, isTooSlow, statusOf } from "./malformed.js";
import type { Pace } from "./pace.js";

// What can be wrong with a connection, away from the path of a normal request: bytes that are no request or come too slowly,
// and the wish for a tunnel. Each is answered in its turn, and ends the connection.

export interface ClientErrorOptions {
  readonly connections: Connections;
  readonly pace: Pace;
  /** Refuses a request of which something after its head is wrong. */
  readonly refuse: (exchange: Exchange, status: number) => void;
  /** Counts bytes that are no request against an address. @returns the headers of their answer */
  readonly charge: (remoteAddress: string) => Promise<HeaderList>;
}

/** Makes the function that answers what Node calls client errors. */
export function createClientErrors({ connections, pace, refuse, charge }: ClientErrorOptions) {
  function answerBytes(error: ClientError, socket: Socket): void {
    charge(socket.remoteAddress ?? "").then(
      (headers) => {
        answerMalformed(error, socket, headers);
      },
      () => socket.destroy(),
    );
  }

  return (error: ClientError, socket: Socket): void => {
    const connection = connections.of(socket);
    const { last } = connection;
    if (connection.isBroken || (isTooSlow(error) && last !== null && pace.isWatched(last))) return;
    connection.isBroken = true;
    if (last === null || last.request.complete)
      connection.whenIdle(() => {
        answerBytes(error, socket);
      });
    else if (connection.isWaiting(last)) last.unreadable = statusOf(error);
    else refuse(last, statusOf(error));
  };
}

/**
 * Makes the function that answers CONNECT as any other request, and closes: Node hands over the bare connection, because what
 * follows would be the bytes of a tunnel.
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
        connection.end();
      });
      serve(request, response);
    });
  };
}
