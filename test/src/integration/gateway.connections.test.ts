/** Limits of connections: their number, their time, and malformed requests. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { parseResponses } from "../support/parse-responses.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { metricOf } from "../support/metrics.js";
import type { StubCredential } from "../support/service-stub.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";
import { type RawService, startRawService } from "../support/raw-service.js";
import { until } from "../support/until.js";

const CAP = 20;
const HEALTH = "GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n";

let service: RawService;
let world: IsolatedGateways;
let key: StubCredential;
const open: RawSocket[] = [];

beforeAll(async () => {
  service = await startRawService();
  const env = { MAX_CONNECTIONS: String(CAP), ANONYMOUS_RATE_LIMIT_BURST: "1000" };
  world = await startIsolatedGateways({ topologies: [service.url], env });
  key = world.stub.aKey();
});

afterAll(async () => {
  for (const socket of open) socket.close();
  await world.stop();
  await service.stop();
});

async function anotherSocket(): Promise<RawSocket> {
  const socket = await openRawSocket(world.url);
  open.push(socket);
  return socket;
}

async function closeAll(): Promise<void> {
  for (const socket of open.splice(0)) socket.close();
  await until(async () => (await metricOf(world.gateways[0]!, "nts_connections_open")) === 0);
}

const post = (framing: string, credential = `Authorization: Bearer ${key.secret}\r\n`): string =>
  `POST /api/v1/hosts HTTP/1.1\r\nHost: a\r\n${credential}Content-Type: application/json\r\n${framing}\r\n\r\n`;

describe("a connection to the gateway: the maximum number", () => {
  it("does not count while it serves a stream of changes", async () => {
    const sockets = await Promise.all(Array.from({ length: CAP }, anotherSocket));
    const stream = sockets[0]!;
    const bearer = `Authorization: Bearer ${key.secret}\r\n`;
    stream.write(`GET /api/v1/changes/stream HTTP/1.1\r\nHost: a\r\n${bearer}\r\n`);
    await stream.receives(/event: bookmark/);
    const instead = await anotherSocket();
    const tooMany = await anotherSocket();
    instead.write(HEALTH);
    await instead.receives(/\}$/);
    await tooMany.closed;
    expect(await metricOf(world.gateways[0]!, "nts_connections_open")).toBe(CAP + 1);
    service.takeBytes();
    await closeAll();
  });

  it("is closed unread when there are too many, without affecting the others", async () => {
    const dropped = await metricOf(world.gateways[0]!, "nts_connections_dropped_total");
    const sockets = await Promise.all(Array.from({ length: CAP }, anotherSocket));
    for (const socket of sockets) {
      socket.write(HEALTH);
      await socket.receives(/\}$/);
    }
    const one = await anotherSocket();
    one.write(HEALTH);
    await one.closed;
    expect(one.received()).toBe("");
    expect(await metricOf(world.gateways[0]!, "nts_connections_dropped_total")).toBe(dropped + 1);
    expect(await metricOf(world.gateways[0]!, "nts_connections_open")).toBe(CAP);

    sockets[0]!.write(HEALTH);
    await sockets[0]!.receives(/\}HTTP\/1\.1 200 .*\}$/s);
    sockets[1]!.close();
    await until(async () => (await metricOf(world.gateways[0]!, "nts_connections_open")) < CAP);
    const another = await anotherSocket();
    another.write(HEALTH);
    await another.receives(/\}$/);
    await closeAll();
  });
});

describe("a connection to the gateway: slow and malformed requests", () => {
  it("gets 408 when a request is too slow, whatever part is missing, and stays open while it is idle", async () => {
    const beginnings = {
      nothing: "",
      "half a line": "GET /api/ver",
      "half of the header fields": "GET /api/version HTTP/1.1\r\nHost: a\r\n",
      "half a body": `${post("Content-Length: 20")}{"a":`,
      "half of the chunks": `${post("Transfer-Encoding: chunked")}5\r\n{"a":\r\n`,
      "a body, after an answer": `${HEALTH}${post("Content-Length: 20")}`,
    };
    const idle = await anotherSocket();
    idle.write(HEALTH);
    const drip = await anotherSocket();
    drip.write("GET /api/version HTTP/1.1\r\nHost: a\r\n");
    const dripping = setInterval(() => drip.write("X-Drip: 1\r\n"), 500);
    const outcomes = await Promise.all(
      Object.entries({ ...beginnings, "one field after another": null }).map(async ([what, bytes]) => {
        const socket = bytes === null ? drip : await anotherSocket();
        if (bytes !== null) socket.write(bytes);
        await socket.closed;
        const last = parseResponses(socket.received()).at(-1);
        return `${what}: ${last?.status} ${last?.body.code}`;
      }),
    );
    clearInterval(dripping);
    expect(outcomes).toEqual(
      [...Object.keys(beginnings), "one field after another"].map((what) => `${what}: 408 malformed_request`),
    );
    expect(service.takeBytes()).toBe("");
    idle.write(HEALTH);
    await idle.receives(/\}HTTP\/1\.1 200 .*\}$/s);
    await closeAll();
  });

  it("gets 400 when its request turns out malformed half-way, and no service gets any of it", async () => {
    service.takeBytes();
    const socket = await anotherSocket();
    socket.write(`${post("Transfer-Encoding: chunked")}2\r\n{}\r\n`);
    await until(async () => (await metricOf(world.gateways[0]!, "nts_requests_in_flight")) === 1);
    socket.write("zz\r\n");
    socket.write("more\r\n");
    await socket.closed;
    const [response, ...others] = parseResponses(socket.received());
    expect([response!.status, response!.body.code, others]).toEqual([400, "malformed_request", []]);
    expect(response!.fields["x-ratelimit-limit"]).toBe("300");
    expect(service.takeBytes()).toBe("");
  });

  it("is closed without a second response when the body of a request is malformed after its response was sent", async () => {
    const socket = await anotherSocket();
    socket.write(`${post("Content-Length: 9", "")}{"a":`);
    await socket.receives(/\}$/);
    const chunked = await anotherSocket();
    chunked.write(`${post("Transfer-Encoding: chunked", "")}2\r\n{}\r\n`);
    await chunked.receives(/\}$/);
    chunked.write("zz\r\n");
    await Promise.all([socket.closed, chunked.closed]);
    for (const { received } of [socket, chunked])
      expect(parseResponses(received()).map(({ status }) => status)).toEqual([401]);
  });
});

describe("a connection to the gateway: whose client", () => {
  it.each([
    ["no HTTP request", "GARBAGE\r\n\r\n"],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"],
  ])("keeps it open after the response to %s is closed all the same", async (_what, bytes) => {
    const socket = await openRawSocket(world.url, { holds: true });
    socket.write(bytes);
    await socket.receives(/\}$/);
    await until(async () => (await metricOf(world.gateways[0]!, "nts_connections_open")) === 0);
    socket.close();
  });

  it("resets it pays for no request", async () => {
    const remaining = async (): Promise<number> => {
      const response = await fetch(`${world.url}/api/version`);
      return Number(response.headers.get("x-ratelimit-remaining"));
    };
    const before = await remaining();
    for (let n = 0; n < 10; n++) {
      const socket = await openRawSocket(world.url);
      socket.write(HEALTH);
      await socket.receives(/\}$/);
      socket.reset();
    }
    await until(async () => (await metricOf(world.gateways[0]!, "nts_connections_open")) <= 1);
    expect(await remaining()).toBeGreaterThanOrEqual(before - 1);
  });
});
