import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { acceptFirst, type ConnectionRules } from "./accept-first.js";

const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const FLOOD = 200;
const BUSY_MS = 1;

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A server whose requests keep it busy. @returns its port, and the addresses of its clients in the order of their requests */
async function aServer(rules?: ConnectionRules) {
  const served: string[] = [];
  server = createServer();
  acceptFirst(
    server,
    ({ socket: { remoteAddress = "" } }, response) => {
      served.push(remoteAddress);
      for (const end = performance.now() + BUSY_MS; performance.now() < end;);
      response.end();
    },
    rules,
  );
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  return { served, port: (server.address() as AddressInfo).port };
}

function connectFrom(localAddress: string, port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  sockets.push(socket.on("error", () => undefined));
  return socket;
}

const byAddress: ConnectionRules = { admits: () => true, clientOf: ({ remoteAddress }) => remoteAddress };

describe("a server that accepts connections first", () => {
  it("responds to a client before the many connections that another one opened earlier", async () => {
    const { served, port } = await aServer(byAddress);
    for (let n = 0; n < FLOOD; n++) connectFrom("127.0.0.2", port).write(REQUEST);
    const other = connectFrom("127.0.0.3", port);
    other.write(REQUEST);
    await once(other, "data");
    expect(served.indexOf("127.0.0.3")).toBeLessThan(FLOOD / 4);
    while (served.length <= FLOOD) await once(server!, "request");
  });

  it("reads large requests completely", async () => {
    const { port } = await aServer();
    const socket = connectFrom("127.0.0.2", port);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1_000_000)}${REQUEST}`);
    let received = "";
    while (received.split("HTTP/1.1 200").length < 3) received += String((await once(socket, "data"))[0]);
  });

  it("closes connections that it does not admit", async () => {
    const { served, port } = await aServer({
      ...byAddress,
      admits: ({ remoteAddress }) => remoteAddress === "127.0.0.2",
    });
    const refused = connectFrom("127.0.0.3", port);
    refused.write(REQUEST);
    await once(refused, "close");
    const admitted = connectFrom("127.0.0.2", port);
    admitted.write(REQUEST);
    await once(admitted, "data");
    expect(served).toEqual(["127.0.0.2"]);
  });
});
