/** Security headers of responses, and trace headers of requests to services. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { exchangeBytes, type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type StubCredential, sendJson } from "../support/service-stub.js";

const ONE = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const LIST = "/api/v1/hosts";
const MANY = { ANONYMOUS_RATE_LIMIT_BURST: "1000", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "60000" };

type Send = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>;

const sender =
  (url: string): Send =>
  (method, path, headers = {}, body) =>
    fetch(url + path, { method, headers, body: body ?? null });

let world: IsolatedGateways;
let key: StubCredential;
let viewer: StubCredential;
let session: StubCredential;
let send: Send;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: MANY });
  send = sender(world.url);
  key = world.stub.aKey();
  viewer = world.stub.aKey({ permission: "Viewer" });
  session = world.stub.aSession();
  world.stub.respondWith((request, response) => {
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
    else if (request.url === LIST)
      sendJson(response, [], { "x-list-total": 0, "x-list-limit": 50, "x-list-offset": 0 });
    else if (request.method === "PUT") sendJson(response, { error: "No.", code: "not_found", params: {} }, {}, 404);
    else sendJson(response, {});
  });
});

afterAll(async () => {
  await world.stop();
});

const json = { "content-type": "application/json" };
const authenticated: [string, number, () => Promise<Response>][] = [
  ["a success", 200, () => send("GET", ONE, key.headers)],
  ["a success of a session", 200, () => send("GET", ONE, session.headers)],
  ["a list", 200, () => send("GET", LIST, key.headers)],
  ["a write", 200, () => send("POST", LIST, { ...key.headers, ...json }, "{}")],
  ["HEAD", 200, () => send("HEAD", ONE, key.headers)],
  ["what has not changed", 304, () => send("GET", ONE, { ...key.headers, "if-none-match": '"1"' })],
  ["a failure of a service", 404, () => send("PUT", ONE, { ...key.headers, ...json }, "{}")],
  ["a missing permission", 403, () => send("DELETE", ONE, viewer.headers)],
  [
    "a refused write of another origin",
    403,
    () => send("DELETE", ONE, { ...session.headers, origin: "https://evil.example" }),
  ],
  ["a body that is too large", 413, () => send("POST", LIST, { ...key.headers, ...json }, "x".repeat(1_048_577))],
];
const others: [string, number, () => Promise<Response>][] = [
  ["a missing credential", 401, () => send("GET", LIST)],
  ["an unknown key", 401, () => send("GET", LIST, { authorization: "Bearer x" })],
  ["an unknown path", 404, () => send("GET", "/nowhere")],
  ["a wrong method", 405, () => send("PATCH", LIST)],
  ["the version", 200, () => send("GET", "/api/version")],
  ["the health", 200, () => send("GET", "/api/health")],
];

const pages: [string, number, () => Promise<Response>][] = [
  ["the methods of a path", 204, () => send("OPTIONS", LIST)],
  ["the description", 200, () => send("GET", "/openapi.json")],
  ["the page of the description", 200, () => send("GET", "/api/docs")],
  ["a script of that page", 200, () => send("GET", "/api/docs/swagger-ui-bundle.js")],
];

describe("the headers of a response", () => {
  it.each([...authenticated, ...others])("forbid caching of %s (%i)", async (_what, status, ask) => {
    const response = await ask();
    expect([response.status, response.headers.get("cache-control")]).toEqual([status, "no-store"]);
  });

  it.each([...authenticated, ...others, ...pages])("protect %s (%i) in browsers", async (_what, status, ask) => {
    const response = await ask();
    const { headers } = response;
    expect(response.status).toBe(status);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get("x-frame-options")).toMatch(/^(DENY|SAMEORIGIN)$/);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect(headers.get("x-request-id")).not.toBeNull();
    expect([headers.get("server"), headers.get("x-powered-by")]).toEqual([null, null]);
  });

  it("are those of any failure when Node could not parse a request, or sends no response", async () => {
    for (const bytes of ["nonsense\r\n\r\n", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"]) {
      const response = await exchangeBytes(world.url, bytes);
      for (const line of [
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        "Strict-Transport-Security: max-age=31536000",
        "Connection: close",
      ])
        expect(response).toContain(`\r\n${line}\r\n`);
    }
  });

  it("name the scheme of credentials when they are missing or rejected", async () => {
    for (const credential of ["", "Bearer nts_u_unknown"]) {
      const response = await fetch(world.url + LIST, { headers: { authorization: credential } });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  it("are those of a failure for parameters that an operation of the gateway does not have", async () => {
    for (const path of ["/api/version?a=1", "/api/health?a=1"]) {
      const response = await send("GET", path);
      expect([response.status, await response.json()]).toMatchObject([400, { code: "validation_failed" }]);
    }
  });

  it("allow nothing for other origins", async () => {
    const headers = { origin: "https://app.example.com", "access-control-request-method": "GET" };
    for (const response of [
      await send("OPTIONS", LIST, headers),
      await send("GET", ONE, { ...headers, ...key.headers }),
    ])
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("the headers of a trace, without a receiver of spans", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const CLIENT_SPAN = "b7ad6b7169203331";

  /** Those that reach the service. */
  async function forwarded(headers: Record<string, string>): Promise<{ traceparent: string; tracestate: string }> {
    await send("GET", ONE, { ...key.headers, ...headers });
    return world.stub.forwarded.at(-1)!.headers as { traceparent: string; tracestate: string };
  }

  it("are forwarded as they arrived", async () => {
    const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`, tracestate: "vendor=value" };
    expect(await forwarded(headers)).toMatchObject(headers);
  });

  it("are created when they are absent or malformed, without the vendors' state", async () => {
    const malformed = { traceparent: `00-${TRACE}-${CLIENT_SPAN}`, tracestate: "vendor=value" };
    for (const headers of [{}, malformed]) {
      const { traceparent, tracestate } = await forwarded(headers);
      expect(traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
      expect(traceparent).not.toContain(TRACE);
      expect(tracestate).toBeUndefined();
    }
  });
});
