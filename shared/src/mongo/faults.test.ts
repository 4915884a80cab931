import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { MongoServerError } from "mongodb";
import { isRetryableRead, mapMongoFault } from "./faults.js";

describe("errors of the database", () => {
  // A killed server closes its connections; a command written at that moment fails with an error of Node.js.
  it.each(["end", "close"])("are unavailable when a command is written at the %s of the connection", async (moment) => {
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
    await once(socket, moment);
    const fault = await faultOfWriting(socket);
    expect(mapMongoFault(fault)?.code).toBe("unavailable");
    expect(isRetryableRead(fault)).toBe(true);
    server.close();
  });

  it("are a timeout when the database aborts a transaction that has lived too long", () => {
    const ended = new MongoServerError({ code: 290, message: "TransactionExceededLifetimeLimitSeconds" });
    expect(mapMongoFault(ended)?.code).toBe("upstream_timeout");
  });

  it("do not include errors of our own code", () => {
    expect(mapMongoFault(new TypeError("x is not a function"))).toBeNull();
    expect(mapMongoFault(Object.assign(new Error("not found"), { code: "ENOENT" }))).toBeNull();
  });
});

function faultOfWriting(socket: Socket): Promise<Error | null | undefined> {
  return new Promise((resolve) => {
    socket.on("error", () => undefined);
    socket.write("a command", resolve);
  });
}
