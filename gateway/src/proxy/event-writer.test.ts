import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createLog } from "@nts/shared/log";
import { passOn } from "@nts/shared/tracing/tracing";
import { Exchange } from "../edge/exchange.js";
import { HeaderList } from "../edge/header-list.js";
import { createBodyDiscard } from "../edge/body-discard.js";
import { createUnreadResponses } from "../edge/unread-responses.js";
import { EventWriter } from "./event-writer.js";

const EVENT = Buffer.from("data: 1\n\n");
const MIB = Buffer.alloc(1_048_576, "x");

const server = createServer();
let client: Socket;

afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

/** A stream that has begun in this turn of the event loop, and its client. */
async function aStream(): Promise<{ writer: EventWriter; exchange: Exchange; rights: { stand: boolean } }> {
  server.removeAllListeners("request").listen(0, "127.0.0.1");
  await once(server, "listening");
  client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const context = {
    ...{ trustedHops: 0, commonHeaders: HeaderList.of(), tracing: passOn, bodyDiscard: createBodyDiscard() },
    ...{
      unread: createUnreadResponses(() => undefined),
      connections: { exempt: () => undefined, all: () => new Map() },
    },
    ...{ log: createLog("gateway", "silent"), account: () => undefined, onDefect: () => undefined },
  };
  return new Promise((resolve) => {
    server.once("request", (request, response) => {
      const exchange = new Exchange(request, response, context, () => undefined);
      const rights = { stand: true };
      const head = { status: 200, headers: { "content-type": "text/event-stream" } };
      const nothing = (): void => undefined;
      const judged = { stand: () => rights.stand, watch: () => nothing };
      const writer = new EventWriter(head, exchange, { rights: judged, resume: nothing, onOver: nothing });
      resolve({ writer, exchange, rights });
    });
  });
}

describe("a stream whose permissions are checked again", () => {
  it("continues when the check begins before the last write was flushed", async () => {
    const { writer, exchange, rights } = await aStream();
    writer.add(EVENT);
    expect(exchange.unreadBytes).toBeGreaterThan(0);
    rights.stand = false;
    writer.suspended();
    writer.add(EVENT);
    await turn();
    rights.stand = true;
    writer.cleared();
    let read = "";
    expect(exchange.isEnded).toBe(false);
    for await (const piece of client) {
      read += String(piece);
      if (read.split("data: 1").length === 3) break;
    }
    expect(read).toMatch(/^HTTP\/1\.1 200 OK\r\n.*data: 1\n\n.*data: 1\n\n/s);
  });

  it("is closed when its client has not received what was allowed before", async () => {
    const { writer, exchange } = await aStream();
    client.pause();
    for (let n = 0; n < 16; n++) writer.add(MIB);
    await turn();
    expect(exchange.unreadBytes).toBeGreaterThan(0);
    writer.suspended();
    await turn();
    expect(exchange.isEnded).toBe(true);
  });
});
