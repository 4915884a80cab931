import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createReadTurns, MOST_READ_IN_A_TURN } from "./read-turns.js";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const BURSTS = 20;
const REQUESTS = 400;

const open = new Map<Socket, string>();
const reads = createReadTurns(() => open);
/** The addresses of requests as they were read, per turn of the event loop. */
const turns: string[][] = [];
let turn: string[] | null = null;

const server = createServer((request, response) => {
  if (turn === null) {
    turn = [];
    turns.push(turn);
    setImmediate(() => (turn = null));
  }
  turn.push(request.socket.remoteAddress ?? "");
  reads.count();
  response.end();
});
server.on("connection", (socket: Socket) => {
  open.set(socket, socket.remoteAddress ?? "");
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
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

it("reads no more of simultaneous bursts in a turn than the maximum and the read that exceeds it, and others first", async () => {
  const bursts = await Promise.all(Array.from({ length: BURSTS }, () => connectFrom("127.0.0.1")));
  const other = await connectFrom("127.0.0.2");
  while (open.size < BURSTS + 1) await new Promise(setImmediate);
  for (const socket of bursts) socket.write(REQUEST.repeat(REQUESTS));
  other.write(REQUEST);
  while (turns.flat().length < BURSTS * REQUESTS + 1) await new Promise(setImmediate);

  expect(Math.max(...turns.map(({ length }) => length))).toBeLessThan(MOST_READ_IN_A_TURN + REQUESTS);
  expect(turns.flat().indexOf("127.0.0.2")).toBeLessThan(2 * (MOST_READ_IN_A_TURN + REQUESTS));
});
