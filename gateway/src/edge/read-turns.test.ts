import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { createReadTurns, HELD_MS, MOST_READ_IN_A_TURN, PACE_MS } from "./read-turns.js";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const BURSTS = 10;
const REQUESTS = 400;
const OTHER = "127.0.0.2";
/** Its connections, with a request each. */
const OTHERS = 30;

const open = new Map<Socket, string>();
const reads = createReadTurns(() => open);
/** The addresses of requests as they were read, per turn of the event loop. */
let turns: string[][] = [];
let turn: string[] | null = null;
let handle = (_request: IncomingMessage, response: ServerResponse): unknown => response.end();

const server = createServer((request, response) => {
  if (turn === null) {
    turn = [];
    turns.push(turn);
    setImmediate(() => (turn = null));
  }
  turn.push(request.socket.remoteAddress ?? "");
  reads.count();
  if (request.socket.remoteAddress !== OTHER) {
    reads.wait("127.0.0.1", 1);
    reads.wait("127.0.0.1", -1);
  }
  handle(request, response);
});
server.on("connection", (socket: Socket) => {
  open.set(socket, socket.remoteAddress ?? "");
  socket.once("close", () => open.delete(socket));
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
beforeEach(() => {
  turns = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function connectFrom(localAddress: string): Promise<Socket> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  return socket.resume();
}

async function untilRead(count: number): Promise<void> {
  while (turns.flat().length < count) await new Promise(setImmediate);
}

async function burst(): Promise<Socket[]> {
  const bursts = await Promise.all(Array.from({ length: BURSTS }, () => connectFrom("127.0.0.1")));
  const others = await Promise.all(Array.from({ length: OTHERS }, () => connectFrom(OTHER)));
  while (open.size < BURSTS + OTHERS) await new Promise(setImmediate);
  for (const socket of bursts) socket.write(REQUEST.repeat(REQUESTS));
  for (const socket of others) socket.write(REQUEST);
  return [...bursts, ...others];
}

it("read no more of simultaneous bursts in a turn than the maximum and the read that exceeds it, others first, then at their pace", async () => {
  const startedAt = performance.now();
  const sockets = await burst();
  await untilRead(BURSTS * REQUESTS + OTHERS);

  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThan(MOST_READ_IN_A_TURN + REQUESTS);
  expect(performance.now() - startedAt).toBeGreaterThan((BURSTS - 1) * REQUESTS * PACE_MS);
  expect(turns.flat().lastIndexOf(OTHER)).toBeLessThan(2 * (MOST_READ_IN_A_TURN + REQUESTS));
  for (const socket of sockets) socket.destroy();
  while (open.size > 0) await new Promise(setImmediate);
});

it("read one more connection per second of an address while its requests wait, and all of it once they do not", async () => {
  const waiting: ServerResponse[] = [];
  handle = ({ socket }, response) => {
    if (socket.remoteAddress === OTHER) return response.end();
    reads.wait("127.0.0.1", 1);
    return waiting.push(response);
  };
  const sockets = await burst();
  const other = sockets.at(-1)!;
  const startedAt = performance.now();
  await untilRead(MOST_READ_IN_A_TURN + 1);
  for (let n = 0; n < 50; n++) {
    other.write(REQUEST);
    await once(other, "data");
  }
  const held = Math.ceil((performance.now() - startedAt) / HELD_MS);
  expect(waiting.length).toBeLessThan(MOST_READ_IN_A_TURN + (1 + held) * REQUESTS);

  let answered = 0;
  while (answered < BURSTS * REQUESTS) {
    const response = waiting.shift();
    if (response === undefined) await new Promise(setImmediate);
    else {
      response.end();
      reads.wait("127.0.0.1", -1);
      answered++;
    }
  }
  for (const socket of sockets) socket.destroy();
});
