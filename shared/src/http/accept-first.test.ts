import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { acceptFirst, type ConnectionRules } from "./accept-first.js";
import { createTurns } from "./turns.js";

const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const FLOOD = 200;
const OTHERS = 10;
const BUSY_MS = 1;

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(close);

async function close(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (server?.listening !== true) return;
  const isClosed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await isClosed;
}

interface Begun {
  readonly address: string;
  /** Connections accepted before. */
  readonly accepted: number;
}

/** A server whose requests keep it busy. @returns its port, and the requests that it has begun */
async function aServer(rules: ConnectionRules | null = null) {
  const begun: Begun[] = [];
  let accepted = 0;
  server = createServer();
  acceptFirst(
    server,
    ({ socket: { remoteAddress = "" } }, response) => {
      begun.push({ address: remoteAddress, accepted });
      for (const end = performance.now() + BUSY_MS; performance.now() < end;);
      response.end();
    },
    rules,
  );
  server.on("connection", () => accepted++);
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  return { begun, port: (server.address() as AddressInfo).port };
}

function connectFrom(localAddress: string, port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket.on("error", () => undefined));
  return socket;
}

const byAddress: ConnectionRules = {
  admit: ({ remoteAddress }) => remoteAddress,
  read: (socket) => socket.resume(),
  turns: createTurns(),
};

describe("a server that accepts connections first", () => {
  it("responds to a client before the many connections that another one opened earlier", async () => {
    const { begun, port } = await aServer(byAddress);
    for (let n = 0; n < FLOOD; n++) connectFrom("127.0.0.2", port).write(REQUEST);
    const other = connectFrom("127.0.0.3", port);
    other.write(REQUEST);
    await once(other, "data");
    expect(begun.findIndex(({ address }) => address === "127.0.0.3")).toBeLessThan(FLOOD / 4);
    while (begun.length <= FLOOD) await once(server!, "request");
  });

  it("reads large requests completely", async () => {
    const { port } = await aServer();
    const socket = connectFrom("127.0.0.2", port);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}${REQUEST}`);
    let received = "";
    while (received.split("HTTP/1.1 200").length < 3) received += String((await once(socket, "data"))[0]);
  });

  it("begins no request of open connections before it has accepted others, unless its clients are unknown", async () => {
    const accepted: number[] = [];
    for (const rules of [null, byAddress]) {
      const { begun, port } = await aServer(rules);
      const open = connectFrom("127.0.0.3", port);
      open.write(REQUEST);
      await once(open, "data");
      const others = Array.from({ length: OTHERS }, () => connectFrom("127.0.0.2", port));
      for (const socket of others) socket.write(REQUEST);
      server?.once("connection", () => open.write(REQUEST));
      await Promise.all([...others, open].map((socket) => once(socket, "data")));
      accepted.push(begun.findLast(({ address }) => address === "127.0.0.3")?.accepted ?? 0);
      await close();
    }
    expect(accepted[0]).toBe(1 + OTHERS);
    expect(accepted[1]).toBeLessThan(1 + OTHERS);
  });

  it("closes connections that it does not admit", async () => {
    const { begun, port } = await aServer({
      ...byAddress,
      admit: ({ remoteAddress }) => (remoteAddress === "127.0.0.2" ? remoteAddress : null),
    });
    const refused = connectFrom("127.0.0.3", port);
    refused.write(REQUEST);
    await once(refused, "close");
    const admitted = connectFrom("127.0.0.2", port);
    admitted.write(REQUEST);
    await once(admitted, "data");
    expect(begun.map(({ address }) => address)).toEqual(["127.0.0.2"]);
  });
});
