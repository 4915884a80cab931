import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { queryObjects } from "node:v8";
import { afterEach, describe, expect, it } from "@jest/globals";
import { Pool } from "undici";
import type { Exchange } from "../edge/exchange.js";
import { createDispatchTransport } from "./dispatch-transport.js";
import type { Transport } from "./transport.js";

const transports: Transport[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
  for (const server of servers.splice(0)) server.closeAllConnections();
});

function aTransport(): Transport {
  const transport = createDispatchTransport();
  transports.push(transport);
  return transport;
}

/** A replica that responds as the test says, at once by default. */
async function aReplica(respond: (response: ServerResponse) => void = (response) => response.end("whole")) {
  const server = createServer((_request, response) => {
    respond(response);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin: `http://${host}`, host };
}

/** The complete response. */
function ask(transport: Transport, replica: { readonly origin: string; readonly host: string }): Promise<string> {
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

async function until(condition: () => boolean, everyMs = 50): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, everyMs));
  while (!condition());
}

/** Each count walks through the whole memory of the process. */
const COUNT_EVERY_MS = 1_000;

describe("the connections to replicas", () => {
  it("leave nothing behind for replicas that have gone, were it after their last response or at the first attempt", async () => {
    const transport = aTransport();
    const before = queryObjects(Pool);
    for (let n = 0; n < 5; n++) {
      const replica = await aReplica();
      expect(await ask(transport, replica)).toBe("whole");
      replica.server.close().closeAllConnections();
      if (n % 2 === 0) await expect(ask(transport, replica)).rejects.toThrow();
    }
    await until(() => queryObjects(Pool) === before, COUNT_EVERY_MS);
  });

  it("are not closed under a request when another one to the same replica ends", async () => {
    const transport = aTransport();
    const pending: ServerResponse[] = [];
    const replica = await aReplica((response) => pending.push(response));
    const first = ask(transport, replica);
    const second = ask(transport, replica);
    await until(() => pending.length === 2);
    pending[0]!.socket!.destroy();
    await Promise.race([first, second]).catch(() => undefined);
    for (const response of pending) response.end("whole");
    const settled = await Promise.allSettled([first, second]);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    replica.server.close();
  });
});
