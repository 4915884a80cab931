import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { exchangeBytes, type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";

const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const MIB = 1_048_576;

let world: IsolatedGateways;
let key: StubCredential;

beforeAll(async () => {
  world = await startIsolatedGateways({
    env: { ANONYMOUS_RATE_LIMIT_BURST: "1000", ANONYMOUS_RATE_LIMIT_PER_MINUTE: "60000" },
  });
  key = world.stub.aKey();
});

afterAll(async () => {
  await world.stop();
});

beforeEach(() => {
  world.stub.forwarded.length = 0;
});

const bytes = (...lines: string[]): Promise<string> => exchangeBytes(world.url, lines.join("\r\n"), 400);
const bearer = (): string => `Authorization: Bearer ${key.secret}`;

function expectFailure(response: string, status: number, code: string): void {
  const [head = "", text = ""] = response.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const requestId = /\r\nX-Request-Id: (\S+)/.exec(head)?.[1];
  expect(JSON.parse(text)).toMatchObject({ success: false, code, params: {}, meta: { request_id: requestId } });
  expect(head).toMatch(/\r\nX-RateLimit-Limit: \d+/);
}

describe("the edge of the gateway: framing and methods", () => {
  it("rejects a malformed chunk of a request that is being forwarded", async () => {
    const response = await bytes(
      "POST /api/v1/hosts HTTP/1.1",
      "Host: a",
      bearer(),
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "",
      "2",
      "{}",
      "zz",
      "",
      "",
    );
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"code":"malformed_request"');
  });

  it("responds to the requests before garbage on a connection, then rejects the garbage and closes", async () => {
    const get = ["GET /api/v1/hosts/x HTTP/1.1", "Host: a", bearer(), "", ""].join("\r\n");
    const response = await exchangeBytes(world.url, `${get}nonsense\r\n\r\n`);
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
    expect(response).toMatch(/"success":true[^\n]*\}HTTP\/1\.1 400/);
  });

  it("serves the next request on a connection after one with an unwanted body", async () => {
    const body = "x".repeat(200_000);
    const refused = ["POST /api/v1/hosts HTTP/1.1", "Host: a", `Content-Length: ${body.length}`, "", body].join("\r\n");
    const response = await exchangeBytes(world.url, `${refused}GET /api/version HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  });

  it.each(["PATCH", "TRACE", "PROPFIND", "DELETE"])(
    "returns 405 for %s on a known path, with the methods it has",
    async (method) => {
      const response = await bytes(`${method} /api/v1/hosts HTTP/1.1`, "Host: a", bearer(), "", "");
      expectFailure(response, 405, "method_not_allowed");
      expect(response).toContain("\r\nAllow: GET, HEAD, POST, OPTIONS\r\n");
    },
  );

  it("forwards a list of a thousand ids in the query", async () => {
    const ids = Array.from({ length: 1000 }, () => `ids=${ID}`).join("&");
    await bytes(`GET /api/v1/hosts?${ids} HTTP/1.1`, "Host: a", bearer(), "", "");
    expect(world.stub.forwarded).toHaveLength(1);
  });

  it("accepts only the methods of a literal path, also when a parameter could match it", async () => {
    const response = await bytes("PUT /api/v1/hosts/bulk-delete HTTP/1.1", "Host: a", bearer(), "", "");
    expectFailure(response, 405, "method_not_allowed");
    expect(response).toContain("\r\nAllow: POST, OPTIONS\r\n");
  });

  it("responds to OPTIONS with the methods, and no body", async () => {
    const response = await bytes("OPTIONS /openapi.json HTTP/1.1", "Host: a", "", "");
    expect(response).toMatch(/^HTTP\/1\.1 204 /);
    expect(response).toContain("\r\nAllow: GET, HEAD, OPTIONS\r\n");
  });
});

describe("the edge of the gateway: forwarded headers", () => {
  it("replaces the client's internal headers with its own, and forwards no credential", async () => {
    await bytes(
      `PUT /api/v1/hosts/${ID}?a=%2F&a=//b HTTP/1.1`,
      "Host: a",
      bearer(),
      "Cookie: session_id=x; other=1",
      "X-Tenancy: forged",
      "X_Tenancy: forged",
      "X-Client-Address: 6.6.6.6",
      "X-Request-Id: mine",
      "X-Forwarded-For: 6.6.6.6",
      "X-List-Total: 3",
      "Connection: keep-alive, X-Hop",
      "X-Hop: 1",
      "TE: trailers",
      "Accept-Encoding: gzip",
      'If-Match: "3"',
      `traceparent: ${TRACEPARENT}`,
      "Content-Type: application/json",
      "Content-Length: 12",
      "",
      '{"a" : "\u00e4"}\n',
    );
    const [passed] = world.stub.forwarded;
    expect(passed).toMatchObject({ method: "PUT", url: `/api/v1/hosts/${ID}?a=%2F&a=//b` });
    const { "x-tenancy": tenancy, "x-request-id": requestId, ...others } = passed!.headers;
    expect(others).toEqual({
      host: new URL(world.stub.url).host,
      connection: "keep-alive",
      "x-client-address": "127.0.0.1",
      "if-match": '"3"',
      traceparent: TRACEPARENT,
      "content-type": "application/json",
      "content-length": "12",
    });
    expect(String(tenancy).split(".")).toHaveLength(3);
    expect(requestId).toMatch(/^[0-9a-f-]{14}7/);
  });

  it("sends a client's own request id back if it is one, beside ours in a failure", async () => {
    const idsOf = async (own: string): Promise<unknown[]> => {
      const response = await fetch(`${world.url}/api/v1/nothing`, { headers: { "x-request-id": own } });
      const { meta } = (await response.json()) as { meta: { request_id: string } };
      return [response.headers.get("x-request-id"), meta.request_id];
    };
    const ours = expect.stringMatching(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/) as unknown;
    for (const own of [ID.toUpperCase(), "01ARZ3NDEKTSV4RRFFQ69G5FAV", "4bf92f3577b34da6a3ce929d0e0e4736"])
      expect(await idsOf(own)).toEqual([own, ours]);
    for (const other of ["mine", "nts_u_0123456789ab_0123456789abcdef", "é"])
      expect(await idsOf(other)).toEqual([ours, ours]);
  });
});

describe("the edge of the gateway: bodies", () => {
  it("forwards no body where an operation takes none, so that it cannot be read as another request", async () => {
    const hidden = "GET /api/v1/hosts HTTP/1.1\r\nHost: a\r\n\r\n";
    for (const method of ["GET", "DELETE"]) {
      await bytes(
        `${method} /api/v1/hosts/${ID} HTTP/1.1`,
        "Host: a",
        bearer(),
        `Content-Length: ${hidden.length}`,
        "",
        hidden,
      );
      await bytes(
        `${method} /api/v1/hosts/${ID} HTTP/1.1`,
        "Host: a",
        bearer(),
        "Transfer-Encoding: chunked",
        "",
        hidden.length.toString(16),
        hidden,
        "0",
        "",
        "",
      );
    }
    expect(world.stub.forwarded.map(({ method, url, body }) => [method, url, body])).toEqual(
      ["GET", "GET", "DELETE", "DELETE"].map((method) => [method, `/api/v1/hosts/${ID}`, ""]),
    );
  });

  it.each([
    ["announced", { "content-length": String(MIB + 1) }],
    ["chunked", {}],
  ])("rejects a body of more than a mebibyte that is %s", async (_how, headers) => {
    const response = await fetch(`${world.url}/api/v1/hosts`, {
      method: "POST",
      headers: { ...key.headers, "content-type": "application/json", ...headers },
      body: new ReadableStream({
        start(controller) {
          for (let sent = 0; sent <= MIB; sent += 65_536) controller.enqueue(Buffer.alloc(65_536, " "));
          if ("content-length" in headers) controller.enqueue(Buffer.alloc(1));
          controller.close();
        },
      }),
      duplex: "half",
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      success: false,
      code: "payload_too_large",
      params: { limit_bytes: 1_048_576 },
    });
  });

  it("forwards a body of exactly a mebibyte", async () => {
    const response = await fetch(`${world.url}/api/v1/hosts`, {
      method: "POST",
      headers: { ...key.headers, "content-type": "application/json" },
      body: " ".repeat(MIB),
    });
    expect(response.status).toBe(200);
    expect(world.stub.forwarded[0]?.body).toHaveLength(MIB);
  });
});
