import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener } from "@nts/shared/http/server";

/**
 * Answers CONNECT as any other request, and closes: Node hands over the bare connection, because what follows would be the
 * bytes of a tunnel.
 */
export function answerTunnel(request: IncomingMessage, connection: Duplex, serve: Listener): void {
  if (!(connection instanceof Socket)) {
    connection.destroy();
    return;
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(connection);
  response.once("finish", () => {
    response.detachSocket(connection);
    connection.end();
  });
  connection.on("error", () => connection.destroy()).resume();
  serve(request, response);
}
