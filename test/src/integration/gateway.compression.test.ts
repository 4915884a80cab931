/** Responses are compressed for clients that accept it, and arrive as whole and as early as others. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { get as httpGet, type IncomingMessage } from "node:http";
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type RequestHandler, type StubCredential, sendJson } from "../support/service-stub.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const ONE = `/api/v1/hosts/${ID}`;
const LIST = "/api/v1/hosts";
const PAGE = { "x-list-total": 200, "x-list-limit": 200, "x-list-offset": 0 };
const ROWS = Array.from({ length: 200 }, (_, n) => ({ id: n, name: `host-${n} „Käse“` }));

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

/** A response whose body is not decoded. */
function open(path: string, accepted?: string): Promise<IncomingMessage> {
  const headers = { ...key.headers, ...(accepted !== undefined && { "accept-encoding": accepted }) };
  return new Promise((resolve, reject) => {
    httpGet(world.url + path, { headers, agent: false }, resolve).once("error", reject);
  });
}

async function send(path: string, accepted?: string) {
  const message = await open(path, accepted);
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return { headers: message.headers, body: Buffer.concat(pieces) };
}

function decoded({ headers, body }: { headers: IncomingMessage["headers"]; body: Buffer }): string {
  const encoding = headers["content-encoding"];
  return (encoding === "br" ? brotliDecompressSync(body) : encoding === "gzip" ? gunzipSync(body) : body).toString();
}

describe("a response of some size", () => {
  it.each([
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1, br;q=0.5", "gzip"],
    ["br;q=0, *", "gzip"],
    ["deflate", undefined],
    ["identity", undefined],
    ["gzip;q=0", undefined],
    [undefined, undefined],
  ])("is compressed as the client accepts it: %s", async (accepted, encoding) => {
    respondWith((_request, response) => {
      sendJson(response, ROWS, PAGE);
    });
    const received = await send(LIST, accepted);
    expect([received.headers["content-encoding"], received.headers["vary"]]).toEqual([encoding, "Accept-Encoding"]);
    expect(Number(received.headers["content-length"])).toBe(received.body.length);
    expect(JSON.parse(decoded(received))).toMatchObject({ data: ROWS, meta: { pagination: { total_count: 200 } } });
    if (encoding !== undefined) expect(received.body.length).toBeLessThan(decoded(received).length / 3);
  });

  it("is compressed in pieces when it is a stream, with its total", async () => {
    respondWith((_request, response) => {
      response.writeHead(200, {
        ...{ "content-type": "application/json", trailer: "x-list-total" },
        ...{ "x-list-limit": 0, "x-list-offset": 0 },
      });
      response.write("[0");
      for (let row = 1; row < 5_000; row++) response.write(`,{"row":${row},"text":"${"x".repeat(100)}"}`);
      response.addTrailers({ "x-list-total": "5000" });
      response.end("]");
    });
    for (const encoding of ["gzip", "br"]) {
      const received = await send(`${LIST}?limit=0`, encoding);
      expect(received.headers["content-encoding"]).toBe(encoding);
      const { data, meta } = JSON.parse(decoded(received)) as { data: unknown[]; meta: object };
      expect([data.length, meta]).toMatchObject([5_000, { pagination: { total_count: 5_000 } }]);
    }
  });

  it("is compressed if it is a file, whose tag is weak then, as other encodings have other bytes", async () => {
    const table = `name\n${"nas\n".repeat(5_000)}`;
    respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "text/csv", etag: '"3.x"' });
      response.end(table);
    });
    const tags = { br: 'W/"3.x"', gzip: 'W/"3.x"', identity: '"3.x"' };
    for (const [accepted, tag] of Object.entries(tags)) {
      const received = await send("/api/v1/exports/csv", accepted);
      expect([received.headers["etag"], received.headers["vary"], decoded(received)]).toEqual([
        tag,
        "Accept-Encoding",
        table,
      ]);
      expect(received.body.length < 2_000).toBe(accepted !== "identity");
    }
  });

  it("arrives while the service still works", async () => {
    respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-list-limit": 0, "x-list-offset": 0 });
      response.write(`[${"1,".repeat(3_000)}1`);
      // A piece is sent when the next one has arrived.
      setTimeout(() => response.write(",2"), 50);
    });
    const message = await open(`${LIST}?limit=0`, "gzip");
    const pieces: Buffer[] = [];
    for await (const piece of message) {
      pieces.push(piece as Buffer);
      const text = gunzipSync(Buffer.concat(pieces), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
      if (text.includes("1,1,1")) break;
    }
    expect(pieces.length).toBeGreaterThan(0);
  });

  it("never seems complete when the service breaks off", async () => {
    respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-list-limit": 0, "x-list-offset": 0 });
      response.write(`[${"1,".repeat(100_000)}1`);
      setTimeout(() => response.socket?.destroy(), 50);
    });
    for (const encoding of ["gzip", "br"]) await expect(send(`${LIST}?limit=0`, encoding)).rejects.toThrow(/aborted/);
  });
});

describe("a response stays as it is", () => {
  it.each<[string, string, RequestHandler]>([
    ["if it is small", LIST, (_request, response) => sendJson(response, ROWS.slice(0, 20), PAGE)],
    [
      "if it is an entity with an ETag, which is that of what it says",
      ONE,
      (_request, response) => sendJson(response, { ROWS }, { etag: '"7"' }),
    ],
    [
      "if it is a failure",
      LIST,
      (_request, response) => sendJson(response, { error: "x".repeat(9_000), code: "forbidden", params: {} }, {}, 403),
    ],
  ])("%s", async (_when, path, handler) => {
    respondWith(handler);
    const received = await send(path, "gzip, br");
    expect(received.headers["content-encoding"]).toBeUndefined();
    expect(Number(received.headers["content-length"])).toBe(received.body.length);
  });

  it("if it answers a write, which may show a secret", async () => {
    respondWith((_request, response) => {
      sendJson(response, { api_key: {}, secret: "s".repeat(9_000) });
    });
    const init = { method: "POST", body: "{}", headers: { ...key.headers, "content-type": "application/json" } };
    const received = await fetch(`${world.url}/api/v1/networks`, init);
    expect([received.status, received.headers.get("content-encoding")]).toEqual([200, null]);
  });
});
