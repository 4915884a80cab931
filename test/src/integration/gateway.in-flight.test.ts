/** What one caller may use of a gateway at a time, and that others are unaffected. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { ServerResponse } from "node:http";
import { parseResponses } from "../support/parse-responses.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { metricOf } from "../support/metrics.js";
import { type RequestHandler, type StubCredential, sendJson } from "../support/service-stub.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

const ONE = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const MIB = 1_048_576;
const PER_USER = 60;
const AT_SERVICES = 8;
const AT_A_TIME_ON_A_CONNECTION = 4;
/** Of all users at an address together. */
const PER_ADDRESS = 100;
const SETTINGS = {
  ...UNLIMITED,
  IN_FLIGHT_PER_USER: String(PER_USER),
  IN_FLIGHT_PER_CLIENT: String(PER_ADDRESS),
  IN_FLIGHT_PER_SITE: String(PER_ADDRESS),
  AT_SERVICES_PER_USER: String(AT_SERVICES),
  BODY_BYTES_PER_USER: String(2 * MIB),
};

let world: IsolatedGateways;
let attacker: StubCredential;
let victim: StubCredential;
const open: RawSocket[] = [];

/** Pending responses of the service. */
const pending: ServerResponse[] = [];

beforeAll(async () => {
  world = await startIsolatedGateways({ env: SETTINGS });
  attacker = world.stub.aKey();
  victim = world.stub.aKey();
  for (const { headers } of [attacker, victim]) expect((await fetch(world.url + ONE, { headers })).status).toBe(200);
  world.stub.forwarded.length = 0;
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.close();
  for (const response of pending.splice(0)) response.destroy();
  world.stub.respondWith(respondAtOnce);
  await until(async () => (await metricOf(world.gateways[0]!, "nts_requests_in_flight")) === 0);
  world.stub.forwarded.length = 0;
});

afterAll(() => world.stop());

const respondAtOnce: RequestHandler = (_request, response) => {
  sendJson(response, {});
};

/** Holds the attacker's requests back; those of the victim are recognized by their query. */
const delayAttacker: RequestHandler = (request, response) => {
  if (request.url?.includes("victim") === true) respondAtOnce(request, response);
  else pending.push(response);
};

const headOf = (line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", `Authorization: Bearer ${attacker.secret}`, ...fields, "", ""].join("\r\n");

const read = (path = ONE): string => headOf(`GET ${path}`);

const create = (length: number): string =>
  headOf("POST /api/v1/hosts", "Content-Type: application/json", `Content-Length: ${length}`);

const sent = (): number => world.stub.forwarded.length;

async function connections(count: number, bytes: string, reads = true): Promise<RawSocket[]> {
  const sockets = await Promise.all(Array.from({ length: count }, () => openRawSocket(world.url, { reads })));
  open.push(...sockets);
  for (const socket of sockets) socket.write(bytes);
  return sockets;
}

async function expectVictimIsServed(): Promise<void> {
  const { status } = await fetch(`${world.url}${ONE}?victim`, { headers: victim.headers });
  expect(status).toBe(200);
}

const refused = (sockets: readonly RawSocket[]): number => sockets.filter((one) => one.received() !== "").length;

describe("limits of one caller at a gateway: maximums", () => {
  it("allow the configured number of concurrent requests, and reject one more at once without reading its body", async () => {
    const sockets = await connections(300, `${create(100)}{`);
    await until(() => refused(sockets) === 300 - PER_USER);
    await expectVictimIsServed();
    expect(sent()).toBe(1);
    const [response] = parseResponses(sockets.find((one) => one.received() !== "")!.received());
    expect([response!.status, response!.fields["retry-after"], response!.body.code, response!.body.params]).toEqual([
      ...[429, "1", "too_many_in_flight"],
      { of: "user", retry_after_seconds: 1 },
    ]);
    expect(await metricOf(world.gateways[0]!, "nts_requests_in_flight")).toBe(PER_USER);
    expect(await metricOf(world.gateways[0]!, "nts_in_flight_rejected_total", { scope: "user" })).toBeGreaterThan(0);
  });

  it("allow the configured number of bytes of request bodies", async () => {
    const sockets = await connections(6, create(MIB) + "x".repeat(MIB - 1));
    await until(() => refused(sockets) === 4);
    expect(await metricOf(world.gateways[0]!, "nts_request_body_bytes")).toBeLessThanOrEqual(2 * MIB);
    for (const socket of sockets.filter((one) => one.received() !== ""))
      expect(parseResponses(socket.received()).map(({ status }) => status)).toEqual([429]);
    await expectVictimIsServed();
  });

  it("allow a limited number of requests at a service, and queue others of the same caller", async () => {
    world.stub.respondWith(delayAttacker);
    const sockets = await connections(AT_SERVICES + 20, read());
    await until(() => pending.length === AT_SERVICES);
    await expectVictimIsServed();
    expect(pending).toHaveLength(AT_SERVICES);
    while (refused(sockets) < sockets.length) {
      await until(() => pending.length > 0 || refused(sockets) === sockets.length);
      expect(pending.length).toBeLessThanOrEqual(AT_SERVICES);
      for (const response of pending.splice(0)) sendJson(response, {});
    }
    expect(sockets.flatMap((one) => parseResponses(one.received()).map(({ status }) => status))).toEqual(
      sockets.map(() => 200),
    );
  });
});

describe("limits of all users at one address", () => {
  it("allow the configured number of concurrent requests, and leave other addresses alone", async () => {
    const others = [world.stub.aKey(), world.stub.aKey()];
    const keys = [attacker, ...others];
    for (const { headers } of others) expect((await fetch(world.url + ONE, { headers })).status).toBe(200);
    const sockets = await connections(3 * 50, "");
    for (const [n, socket] of sockets.entries())
      socket.write(`${create(100).replace(attacker.secret, keys[n % keys.length]!.secret)}{`);
    await until(() => refused(sockets) === 3 * 50 - PER_ADDRESS);
    const [response] = parseResponses(sockets.find((one) => one.received() !== "")!.received());
    expect([response!.status, response!.body.code, response!.body.params]).toEqual([
      ...[429, "too_many_in_flight"],
      { of: "address", retry_after_seconds: 1 },
    ]);
    const elsewhere = await openRawSocket(world.url, { from: "127.0.3.1" });
    open.push(elsewhere);
    elsewhere.write(read().replace(attacker.secret, victim.secret));
    await elsewhere.receives(/^HTTP\/1\.1 200/);
  });
});

describe("pipelined requests of one connection", () => {
  it("are handled a limited number at a time, with responses in order", async () => {
    world.stub.respondWith(delayAttacker);
    const paths = Array.from({ length: 12 }, (_, n) => `${ONE}?n=${n}`);
    const [socket] = await connections(1, paths.map(read).join(""));
    for (let received = 0; received < paths.length;) {
      await until(() => pending.length === Math.min(AT_A_TIME_ON_A_CONNECTION, paths.length - received));
      expect(sent()).toBe(received + pending.length);
      received += pending.length;
      for (const response of pending.splice(0).reverse()) sendJson(response, { url: response.req.url });
    }
    await until(() => parseResponses(socket!.received()).length === paths.length);
    expect(parseResponses(socket!.received()).map(({ body }) => body.data)).toEqual(paths.map((url) => ({ url })));
  });

  it("are all answered in order if there are 500, since nothing more is read while some wait", async () => {
    world.stub.respondWith((request, response) => {
      sendJson(response, { url: request.url });
    });
    const paths = Array.from({ length: 500 }, (_, n) => `${ONE}?n=${n}`);
    const [socket] = await connections(1, paths.map(read).join(""));
    await until(() => parseResponses(socket!.received()).length === paths.length);
    expect(parseResponses(socket!.received()).map(({ body }) => body.data)).toEqual(paths.map((url) => ({ url })));
  });

  it("are served from a long burst although another client sends the same and never reads a response", async () => {
    const burst = "GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000);
    const [unread] = await connections(1, burst, false);
    const [socket] = await connections(1, burst);
    await until(() => parseResponses(socket!.received()).length >= 200);
    expect(parseResponses(socket!.received()).every(({ status }) => status === 200)).toBe(true);
    expect(unread!.isOpen()).toBe(true);
    await expectVictimIsServed();
  });
});

describe("limits of one caller at a gateway: clients that disconnect", () => {
  it("abort their requests at the service immediately, before or during a response", async () => {
    let closed = 0;
    world.stub.respondWith((request, response) => {
      response.once("close", () => closed++);
      if (request.url?.includes("limit=0") !== true) return;
      response.writeHead(200, { "content-type": "application/json", "x-list-limit": 0, "x-list-offset": 0 });
      response.write("[1");
      response.write(",2");
    });
    const sockets = [
      ...(await connections(1, read())),
      ...(await connections(1, read("/api/v1/hosts?limit=0"))),
      ...(await connections(1, headOf("GET /api/v1/organizations"))),
      ...(await connections(1, read().repeat(3))),
    ];
    await until(() => sent() === 6);
    for (const socket of sockets) socket.close();
    await until(() => closed === 6);
  });

  it("never reach a service when they disconnect while queued", async () => {
    world.stub.respondWith(delayAttacker);
    const first = await connections(AT_SERVICES, read());
    await until(() => pending.length === AT_SERVICES);
    const waiting = await connections(5, read());
    await until(async () => (await metricOf(world.gateways[0]!, "nts_requests_in_flight")) === AT_SERVICES + 5);
    for (const socket of waiting) socket.close();
    await until(async () => (await metricOf(world.gateways[0]!, "nts_requests_in_flight")) === AT_SERVICES);
    for (const response of pending.splice(0)) sendJson(response, {});
    await until(() => refused(first) === AT_SERVICES);
    expect(sent()).toBe(AT_SERVICES);
  });
});

describe("responses that clients do not read", () => {
  it("occupy a limited number of upstream connections per caller; the others are aborted", async () => {
    const world = await startIsolatedGateways({ env: UNLIMITED });
    const sockets: RawSocket[] = [];
    try {
      const attacker = world.stub.aKey();
      const victim = world.stub.aKey();
      let streams = 0;
      world.stub.respondWith((request, response) => {
        if (request.url?.includes("limit=0") !== true) {
          sendJson(response, {});
          return;
        }
        streams++;
        response.once("close", () => streams--);
        response.writeHead(200, { "content-type": "application/json", "x-list-limit": 0, "x-list-offset": 0 });
        const piece = `"${"x".repeat(262_144)}",`;
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on("drain", more).write("[");
        more();
      });
      for (let n = 0; n < 20; n++) {
        const socket = await openRawSocket(world.url, { reads: false });
        sockets.push(socket);
        socket.write(
          `GET /api/v1/hosts?limit=0 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attacker.secret}\r\n\r\n`,
        );
      }
      await until(async () => (await metricOf(world.gateways[0]!, "nts_responses_aborted_total")) === 12);
      await until(() => streams === 8);
      expect((await fetch(world.url + ONE, { headers: victim.headers })).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.close();
      await world.stop();
    }
  });
});
