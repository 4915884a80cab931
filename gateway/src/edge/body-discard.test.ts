import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createBodyDiscard } from "./body-discard.js";

const CLIENTS = 12;
const BODY_BYTES = 1_048_576;
const PIECE_BYTES = 65_536;
const IN_A_TURN = 4;

const server = createServer();
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Requests with an unread body each. */
async function requestsWithBodies(): Promise<IncomingMessage[]> {
  const requests: IncomingMessage[] = [];
  server.on("request", (request) => requests.push(request)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (let n = 0; n < CLIENTS; n++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${"x".repeat(BODY_BYTES)}`);
  }
  while (requests.length < CLIENTS) await once(server, "request");
  return requests;
}

describe("discarding unwanted bodies", () => {
  it("reads them to the end, a limited number of chunks per turn, however much each client sends", async () => {
    const scheduled: (() => void)[] = [];
    const bodyDiscard = createBodyDiscard((turn) => scheduled.push(turn));
    const requests = await requestsWithBodies();
    let pieces = 0;
    let maxConcurrent = 0;
    let maxAhead = 0;
    const bytes = new Map<IncomingMessage, number>();
    for (const request of requests) {
      bodyDiscard.skip(request);
      bytes.set(request, 0);
      request.on("data", ({ length }: Buffer) => {
        pieces++;
        maxConcurrent = Math.max(maxConcurrent, length);
        bytes.set(request, (bytes.get(request) ?? 0) + length);
      });
    }
    const ended = Promise.all(requests.map((request) => once(request, "end"))).then(() => true);
    for (let turns = 0; !(await Promise.race([ended, soon()]));) {
      const turn = scheduled.shift();
      if (turn === undefined) continue;
      turns++;
      turn();
      await soon();
      if (pieces > turns * IN_A_TURN) throw new Error(`${pieces} pieces in ${turns} turns`);
      const counts = [...bytes.values()];
      maxAhead = Math.max(maxAhead, Math.max(...counts) - Math.min(...counts));
    }
    expect([...bytes.values()]).toEqual(requests.map(() => BODY_BYTES));
    expect(maxConcurrent).toBeLessThanOrEqual(PIECE_BYTES);
    expect(maxAhead).toBeLessThan(BODY_BYTES / 2);
  });
});

/** Resolves after the arrived bytes could be read. */
async function soon(): Promise<false> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return false;
}
