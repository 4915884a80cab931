/** Hostile requests over raw sockets: the response to each, and every byte that reaches a service. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { createTenancyVerifier } from "@nts/shared/http/tenancy";
import { parseResponses } from "../support/parse-responses.js";
import { type Arrival, HOSTILE_REQUESTS, type HostileRequest } from "../support/hostile-requests.js";
import { exchangeBytes, type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";
import { type RawService, startRawService } from "../support/raw-service.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

/** Sent after each request: its response shows how the gateway parsed what came before. */
const NEXT = "GET /api/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

let service: RawService;
let world: IsolatedGateways;
let key: StubCredential;

beforeAll(async () => {
  service = await startRawService();
  world = await startIsolatedGateways({ topologies: [service.url], env: UNLIMITED });
  key = world.stub.aKey();
});

afterAll(async () => {
  await world.stop();
  await service.stop();
});

beforeEach(() => {
  service.takeBytes();
});

describe("a hostile request", () => {
  it("is one of at least 60", () => {
    expect(new Set(HOSTILE_REQUESTS.map(({ bytes }) => bytes)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(
    HOSTILE_REQUESTS.map((request): [string, HostileRequest] => [`${request.what}: ${request.response}`, request]),
  )("of %s", async (_title, request) => {
    const received = await exchangeBytes(world.url, request.bytes.replace("<key>", key.secret) + NEXT, 10_000);
    const [first, ...others] = parseResponses(received);
    expect(`${first!.status} ${first!.body.code ?? "ok"}`).toBe(request.response);
    expect(first!.fields["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(first!.fields["x-ratelimit-limit"]).toBe("1000000");
    expect(first!.fields["cache-control"]).toBe("no-store");
    if (first!.status !== 200) {
      const meta = { request_id: first!.fields["x-request-id"] };
      expect(first!.body).toMatchObject({ success: false, params: expect.any(Object) as unknown, meta });
    }
    expect(others.map(({ status, body }) => [status, body.data])).toEqual(
      request.goesOn ? [[200, { status: "ok" }]] : [],
    );
    expect(inNormalForm(service.takeBytes())).toBe(request.arrives === null ? "" : messageOf(request.arrives));
  });

  it("leaves only lines of JSON in the log", async () => {
    const [last] = parseResponses(await exchangeBytes(world.url, NEXT, 10_000));
    const read = (): Promise<string> => readFile(world.gateways[0]!.logFile, "utf8");
    await until(async () => (await read()).includes(last!.fields["x-request-id"]!));
    const lines = (await read()).trimEnd().split("\n");
    const requests = lines.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => msg === "request");
    expect(requests.length).toBeGreaterThan(HOSTILE_REQUESTS.length);
  });
});

/** All bytes that must reach the service. */
function messageOf({ line, fields, body }: Arrival): string {
  const { host } = new URL(service.url);
  const ours = ["x-client-address: 127.0.0.1", "x-request-id: <id>", "x-tenancy: <signed>", "traceparent: <trace>"];
  const all = [...fields, ...ours, `host: ${host}`, "connection: keep-alive"];
  return [line, ...all.sort(), "", body].join("\r\n");
}

/**
 * The bytes of a message with sorted, lower-case header fields, whose order and case the HTTP client chooses, and
 * without what varies per request.
 */
function inNormalForm(bytes: string): string {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return bytes;
  const [line = "", ...fields] = bytes.slice(0, end).split("\r\n");
  const verify = createTenancyVerifier({ users: world.tenancySecrets.gatewayToTopology, processes: [] }, "topology");
  const forwardedFields = fields.map((field) =>
    field
      .replace(/^[^:]*/, (name) => name.toLowerCase())
      .replace(/^(x-request-id: )[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/, "$1<id>")
      .replace(/^(traceparent: )00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/, "$1<trace>")
      .replace(/^(x-tenancy: )(.*)$/, (_all, name: string, token: string) => {
        const principal = verify(token);
        return principal?.kind === "key" && principal.userId === key.userId ? `${name}<signed>` : `${name}${token}`;
      }),
  );
  return [line, ...forwardedFields.sort(), ""].join("\r\n") + bytes.slice(end + 2);
}
