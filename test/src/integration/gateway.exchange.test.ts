/** A request gets one response, and later events do not harm the process. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { parseResponses } from "../support/parse-responses.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type StubCredential, sendJson } from "../support/service-stub.js";
import { openRawSocket } from "../support/raw-socket.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const UNFINISHED = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
const MALFORMED_CHUNK = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n";

let world: IsolatedGateways;
let key: StubCredential;
let session: StubCredential;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: UNLIMITED });
  key = world.stub.aKey();
  session = world.stub.aSession();
});

afterAll(async () => {
  await world.stop();
});

const operations: [string, () => string][] = [
  ["POST /api/auth/login", () => ""],
  ["POST /api/auth/register", () => ""],
  ["POST /api/auth/logout", () => `Cookie: session_id=${session.secret}\r\n`],
  ["POST /api/v1/invites", () => `Authorization: Bearer ${key.secret}\r\n`],
  ["POST /api/v1/hosts", () => `Authorization: Bearer ${key.secret}\r\n`],
  [`DELETE /api/v1/hosts/${ID}`, () => `Authorization: Bearer ${key.secret}\r\n`],
];

/** Pending responses of the services. */
let lateResponses = 0;

/**
 * The response of each operation when its request ends like this, while the services respond late from the head alone.
 */
async function responsesTo(ending: string, serviceMs: number): Promise<string[]> {
  world.stub.respondToHeadsWith((_request, response) => {
    lateResponses += 1;
    setTimeout(() => {
      lateResponses -= 1;
      sendJson(response, {});
    }, serviceMs);
  });
  return Promise.all(
    operations.map(async ([line, credential]) => {
      const socket = await openRawSocket(world.url);
      socket.write(`${line} HTTP/1.1\r\nHost: a\r\n${credential()}${ending}`);
      await socket.closed;
      const statuses = parseResponses(socket.received()).map(({ status, body }) => `${status} ${body.code}`);
      return [line, ...statuses].join(": ");
    }),
  );
}

async function isServing(): Promise<void> {
  const pid = world.gateways[0]!.pid();
  expect((await fetch(`${world.url}/api/health`)).status).toBe(200);
  expect(() => process.kill(pid, 0)).not.toThrow();
}

describe("a request aborted by the gateway", () => {
  it("gets 400 when its body is malformed, and a late response of the service is dropped", async () => {
    const responses = await responsesTo(MALFORMED_CHUNK, 300);
    expect(responses).toEqual(operations.map(([line]) => `${line}: 400 malformed_request`));
    await until(() => lateResponses === 0);
    await isServing();
  });

  it("gets 408 when its body does not arrive, and a late response of the service is dropped", async () => {
    const responses = await responsesTo(UNFINISHED, 7_800);
    expect(responses).toEqual(operations.map(([line]) => `${line}: 408 malformed_request`));
    await until(() => lateResponses === 0);
    await isServing();
  });

  it("is rejected in order when it is a CONNECT pipelined behind a pending request", async () => {
    world.stub.respondWith((_request, response) => {
      setTimeout(() => {
        sendJson(response, {});
      }, 300);
    });
    const socket = await openRawSocket(world.url);
    const get = `GET /api/v1/hosts/${ID} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`;
    socket.write(`${get}CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await socket.closed;
    expect(parseResponses(socket.received()).map(({ status }) => status)).toEqual([200, 405]);
    await isServing();
  });
});

describe("a response that its service aborts", () => {
  it.each([
    ["in the middle of a body of known length", { "content-length": "1000" }],
    ["in the middle of a chunked body", {}],
  ])("never looks complete: %s", async (_when, headers) => {
    let breakOff = (): void => undefined;
    world.stub.respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.write('{"a":');
      const writing = setInterval(() => response.write(" "), 20);
      breakOff = () => {
        clearInterval(writing);
        response.socket?.destroy();
      };
    });
    const socket = await openRawSocket(world.url);
    socket.write(`GET /api/v1/hosts/${ID} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`);
    await until(() => socket.received() !== "");
    breakOff();
    await socket.closed;
    expect(socket.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(socket.received()).not.toMatch(/meta|\r\n0\r\n\r\n$/);
  });
});
