/** Replicas for the tests of transports. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "../../edge/exchange.js";
import type { Transport } from "../transport.js";

export interface Replica {
  readonly server: Server;
  readonly origin: string;
  readonly host: string;
}

/** A replica that responds as the test says, at once by default. */
export async function startReplica(
  respond: (response: ServerResponse) => void = (response) => response.end("whole"),
): Promise<Replica> {
  const server = createServer((_request, response) => {
    respond(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin: `http://${host}`, host };
}

/** The complete response. */
export function ask(transport: Transport, replica: Pick<Replica, "origin" | "host">): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    transport.send({
      ...{ replica, purpose: "plain", headers: {}, body: null },
      exchange: { request: { url: "/", method: "GET" } } as Exchange,
      reader: {
        onHead: () => undefined,
        onData: (piece) => {
          text += piece.toString();
          return true;
        },
        onEnd: () => {
          resolve(text);
        },
        onFault: reject,
      },
    });
  });
}
