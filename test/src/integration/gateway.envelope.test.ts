import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { exchangeBytes, type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type RequestHandler, type StubCredential, sendJson } from "../support/service-stub.js";
import { until, untilSteady } from "../support/until.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const ONE = `/api/v1/hosts/${ID}`;
const LIST = "/api/v1/hosts";
/** Bytes. The kernel buffers up to some ten megabytes for each connection. */
const MORE_THAN_SOCKETS_HOLD = 100 * 1_048_576;
const META = { api_version: 1, server_version: expect.any(String) as unknown };

let world: IsolatedGateways;
let key: StubCredential;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: { RATE_LIMIT_BURST: "1000", RATE_LIMIT_PER_MINUTE: "60000" } });
  key = world.stub.aKey();
});

afterAll(() => world.stop());

afterEach(() => {
  respondWith((_request, response) => {
    sendJson(response, {});
  });
});

const respondWith = (handler: RequestHandler): void => {
  world.stub.respondWith(handler);
};

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(world.url + path, { ...init, headers: { ...key.headers, ...(init.headers as Record<string, string>) } });

const bytesOf = (method: string, path: string, quietMs?: number): Promise<string> => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`;
  return exchangeBytes(world.url, head, quietMs);
};

describe("the envelope around a service's response: successes", () => {
  it("wraps the data of a success, with a content length", async () => {
    const data = { name: "Käse „nas“ 🧀", list: [1, 2] };
    respondWith((_request, response) => {
      sendJson(response, data, { etag: '"7"' });
    });
    const received = await send(ONE);
    const text = await received.text();
    expect(received.status).toBe(200);
    expect(JSON.parse(text)).toEqual({ success: true, data, meta: META });
    expect(received.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(received.headers.get("etag")).toBe('"7"');
    expect(received.headers.get("cache-control")).toBe("no-store");
    expect(received.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("takes the pagination from internal headers, which are removed", async () => {
    respondWith((_request, response) => {
      sendJson(response, [{ id: 1 }], { "x-list-total": 120, "x-list-limit": 50, "x-list-offset": 50 });
    });
    const received = await send(LIST);
    expect(await received.json()).toEqual({
      success: true,
      data: [{ id: 1 }],
      meta: { ...META, pagination: { total_count: 120, limit: 50, offset: 50, has_more: true } },
    });
    expect([...received.headers.keys()].filter((name) => name.startsWith("x-list"))).toEqual([]);
  });

  it("links to the next page of a list, with the same parameters", async () => {
    respondWith((_request, response) => {
      const page = { "x-list-total": 120, "x-list-limit": 50, "x-list-offset": 50, "x-list-next": "c2" };
      sendJson(response, [{ id: 1 }], page);
    });
    const received = await send(`${LIST}?limit=50&offset=50&q=a%20b`);
    expect(received.headers.get("link")).toBe(`<${LIST}?limit=50&q=a+b&cursor=c2>; rel="next"`);
    expect(await received.json()).toMatchObject({ meta: { pagination: { next: "c2" } } });
  });

  it("takes the total of a stream from its trailer", async () => {
    respondWith((_request, response) => void streamRows(response, 2_000));
    const { data, meta } = (await (await send(`${LIST}?limit=0`)).json()) as { data: unknown[]; meta: object };
    expect(data).toHaveLength(2_000);
    expect(meta).toEqual({ ...META, pagination: { total_count: 2_000, limit: 0, offset: 0, has_more: false } });
  });

  it("buffers nothing but one piece: what a service has sent arrives while it still works", async () => {
    respondWith((_request, response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "x-list-limit": 0,
        "x-list-offset": 0,
        trailer: "x-list-total",
      });
      response.write("[1");
      setTimeout(() => response.write(",2"), 50);
    });
    const received = await bytesOf("GET", `${LIST}?limit=0`, 300);
    expect(received).toContain('{"success":true,"data":');
    expect(received).toContain("[1");
    expect(received).not.toContain("meta");
  });
});

describe("the envelope around a service's response: failures, HEAD and 304", () => {
  it("turns a failure of a service into a failure of the API, however it is split", async () => {
    const body = JSON.stringify({ error: "Sentence.", code: "network_mismatch", params: { path: "ünï" } });
    respondWith((_request, response) => {
      response.writeHead(400, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      void sendBytewise(response, Buffer.from(body));
    });
    const received = await send(ONE);
    const text = await received.text();
    expect(received.status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      success: false,
      error: "Sentence.",
      code: "network_mismatch",
      params: { path: "ünï" },
      meta: { ...META, request_id: received.headers.get("x-request-id") },
    });
    expect(received.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  });

  it("turns failures into problems for clients that prefer them, also its own", async () => {
    const accept = "application/problem+json, application/json;q=0.9";
    const body = JSON.stringify({ error: "Sentence.", code: "network_mismatch", params: { path: "ünï" } });
    respondWith((_request, response) => {
      response.writeHead(400, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      void sendBytewise(response, Buffer.from(body));
    });
    const received = await send(ONE, { headers: { accept } });
    const text = await received.text();
    const problem = { type: "about:blank", title: "Bad Request", status: 400, detail: "Sentence." };
    expect(JSON.parse(text)).toEqual({
      ...problem,
      code: "network_mismatch",
      params: { path: "ünï" },
      meta: { ...META, request_id: received.headers.get("x-request-id") },
    });
    expect(received.headers.get("content-type")).toBe("application/problem+json");
    expect(received.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));

    const own = await send("/api/v1/nothing", { headers: { accept } });
    expect(own.headers.get("content-type")).toBe("application/problem+json");
    expect(await own.json()).toMatchObject({ title: "Not Found", status: 404, code: "not_found", params: {} });
    const plain = await send("/api/v1/nothing", {
      headers: { accept: "application/json, application/problem+json;q=0.5" },
    });
    expect(plain.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("responds to HEAD as to GET, without a body", async () => {
    respondWith((request, response) => {
      sendJson(response, { method: request.method }, { etag: '"1"' });
    });
    const get = await send(ONE);
    const head = await bytesOf("HEAD", ONE);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/\r\nETag: "1"\r\n/);
    expect(head.endsWith("\r\n\r\n")).toBe(true);
    const length = Number(/\r\nContent-Length: (\d+)\r\n/.exec(head)?.[1]);
    expect(length).toBe(Number(get.headers.get("content-length")) + "HEAD".length - "GET".length);
  });

  it("responds to HEAD of a stream without a total", async () => {
    respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-list-limit": 0, "x-list-offset": 0 }).end();
    });
    const head = await bytesOf("HEAD", `${LIST}?limit=0`);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).not.toMatch(/content-length/i);
    expect(head.endsWith("\r\n\r\n")).toBe(true);
  });

  it("forwards 304 with its ETag and no body", async () => {
    respondWith((request, response) => {
      response.writeHead(304, { etag: request.headers["if-none-match"] }).end();
    });
    const received = await send(ONE, { headers: { "if-none-match": '"4"' } });
    expect([received.status, received.headers.get("etag"), await received.text()]).toEqual([304, '"4"', ""]);
  });

  it("forwards cookies and Retry-After, and no internal headers", async () => {
    respondWith((_request, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      sendJson(response, {}, { "retry-after": 7, "x-tenancy": "t", "x-powered-by": "p", server: "s" });
    });
    const { headers } = await send(ONE);
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(headers.get("retry-after")).toBe("7");
    expect([headers.get("x-tenancy"), headers.get("x-powered-by"), headers.get("server")]).toEqual([null, null, null]);
  });
});

describe("the envelope around a service's response: faults of the service", () => {
  it.each<[string, RequestHandler, number, string]>([
    [
      "aborts before any of its body has arrived",
      (_request, response) => breakOffAfterHead(response),
      502,
      "upstream_failed",
    ],
    ["closes the connection without a response", ({ socket }) => void socket.destroy(), 502, "upstream_failed"],
    ["answers invalid HTTP", ({ socket }) => void socket.end("nonsense\r\n\r\n"), 502, "upstream_failed"],
    [
      "answers HTML",
      (_request, response) => void response.setHeader("content-type", "text/html").end("<h1>"),
      502,
      "upstream_failed",
    ],
    [
      "answers a failure with an unknown body",
      (_request, response) => void response.writeHead(500).end("oops"),
      502,
      "upstream_failed",
    ],
    [
      "redirects",
      (_request, response) => void response.writeHead(302, { location: "/x" }).end(),
      502,
      "upstream_failed",
    ],
    [
      "rejects the tenancy header",
      (_request, response) => sendJson(response, { error: "No.", code: "not_authenticated", params: {} }, {}, 401),
      502,
      "upstream_failed",
    ],
    ["answers a list without pagination", (_request, response) => sendJson(response, []), 502, "upstream_failed"],
  ])("answers 502 when a service %s", async (_what, handler, status, code) => {
    respondWith(handler);
    const received = await send(_what.includes("list") ? LIST : ONE);
    expect(received.status).toBe(status);
    expect(await received.json()).toEqual({
      success: false,
      error: expect.any(String) as unknown,
      code,
      params: {},
      meta: { ...META, request_id: received.headers.get("x-request-id") },
    });
  });

  it("forwards a rejected password of login, but not a rejected tenancy header", async () => {
    const login = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    const failure = { error: "No.", code: "invalid_credentials", params: {} };
    respondWith((_request, response) => sendJson(response, failure, {}, 401));
    expect((await send("/api/auth/login", login)).status).toBe(401);
    respondWith((_request, response) => sendJson(response, failure, { "www-authenticate": "Tenancy" }, 401));
    expect((await send("/api/auth/login", login)).status).toBe(502);
  });
});

describe("the envelope around a service's response: backpressure", () => {
  it("aborts the request to the service when the client disconnects, before or during the response", async () => {
    for (const begin of [false, true]) {
      let hasArrived = false;
      const gone = new Promise((resolve) => {
        respondWith((_request, response) => {
          hasArrived = true;
          if (begin) {
            response.writeHead(200, { "content-type": "application/json" });
            response.write("[1");
          }
          response.once("close", resolve);
        });
      });
      const { hostname, port } = new URL(world.url);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${ONE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`);
      await (begin ? once(socket, "data") : until(() => hasArrived));
      socket.destroy();
      await gone;
    }
  });

  it("reads from a service no faster than the client does", async () => {
    let sent = 0;
    respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const piece = Buffer.alloc(65_536, " ");
      const write = (): void => {
        let grows = true;
        for (; grows && sent < MORE_THAN_SOCKETS_HOLD; sent += piece.length) grows = response.write(piece);
      };
      response.on("drain", write);
      write();
    });
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(`GET ${ONE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`);
    await untilSteady(() => sent, 300);
    expect(sent).toBeLessThan(MORE_THAN_SOCKETS_HOLD);
    socket.destroy();
  });
});

function breakOffAfterHead(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.flushHeaders();
  setTimeout(() => response.socket?.destroy(), 30);
}

async function streamRows(response: ServerResponse, count: number): Promise<void> {
  const place = { "x-list-limit": 0, "x-list-offset": 0, trailer: "x-list-total" };
  response.writeHead(200, { "content-type": "application/json", ...place });
  response.write("[0");
  for (let row = 1; row < count; row++)
    if (!response.write(`,{"row":${row},"text":"${"x".repeat(100)}"}`)) await once(response, "drain");
  response.addTrailers({ "x-list-total": String(count) });
  response.end("]");
}

async function sendBytewise(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
