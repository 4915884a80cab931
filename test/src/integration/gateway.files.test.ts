import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { exchangeBytes, type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";

const PATH = "/api/v1/topology?format=dot";
const HEADERS = {
  "content-type": "text/vnd.graphviz; charset=utf-8",
  "content-disposition": 'attachment; filename="topology.dot"',
};
const TEXT = 'digraph { "Käse 🧀" }';

describe("a file from a service", () => {
  let world: IsolatedGateways;
  let key: StubCredential;

  beforeAll(async () => {
    world = await startIsolatedGateways();
    key = world.stub.aKey();
  });

  afterAll(() => world.stop());

  const send = (path: string): Promise<Response> => fetch(world.url + path, { headers: key.headers });

  it.each([true, false])("is forwarded unchanged, with its name, type and length: %s", async (isKnown) => {
    world.stub.respondWith((_request, response) => {
      const length = isKnown ? { "content-length": Buffer.byteLength(TEXT) } : {};
      response.writeHead(200, { ...HEADERS, ...length });
      response.write(TEXT.slice(0, 8));
      setTimeout(() => response.end(TEXT.slice(8)), 20);
    });
    const received = await send(PATH);
    expect([received.status, await received.text()]).toEqual([200, TEXT]);
    expect(received.headers.get("content-type")).toBe(HEADERS["content-type"]);
    expect(received.headers.get("content-disposition")).toBe(HEADERS["content-disposition"]);
    expect(received.headers.get("cache-control")).toBe("no-store");
    expect(received.headers.get("x-content-type-options")).toBe("nosniff");
    expect(received.headers.get("content-length")).toBe(isKnown ? String(Buffer.byteLength(TEXT)) : null);
  });

  it("has only headers in the response to HEAD", async () => {
    world.stub.respondWith((_request, response) => void response.writeHead(200, HEADERS).end());
    const request = `HEAD ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`;
    const head = await exchangeBytes(world.url, request);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toContain(`Content-Type: ${HEADERS["content-type"]}\r\n`);
    expect(head.endsWith("\r\n\r\n")).toBe(true);
  });

  it("never looks complete when the service aborts", async () => {
    world.stub.respondWith((_request, response) => {
      response.writeHead(200, HEADERS).write(TEXT);
      setTimeout(() => response.write(TEXT), 20);
      setTimeout(() => response.socket?.destroy(), 60);
    });
    await expect(send(PATH).then((received) => received.text())).rejects.toThrow();
  });

  it.each([
    ["with a content type that the operation does not declare", PATH, 200, "text/html"],
    [
      "from an operation that declares none",
      "/api/v1/tags/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
      200,
      HEADERS["content-type"],
    ],
    ["as a failure", PATH, 400, HEADERS["content-type"]],
  ])("is rejected %s", async (_what, path, status, type) => {
    world.stub.respondWith((_request, response) => void response.writeHead(status, { "content-type": type }).end(TEXT));
    const received = await send(path);
    expect([received.status, ((await received.json()) as { code: string }).code]).toEqual([502, "upstream_failed"]);
  });
});
