import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { freePort } from "@nts/local/processes/ports";
import { execa } from "execa";
import { aKey, anAccount, type Account } from "../support/api.js";
import { startIsolatedGateways } from "../support/isolated-gateways.js";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../support/otlp-receiver.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";

let receiver: OtlpReceiver;
let stack: Stack;
let account: Account;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  stack = await startStack({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`, LOG_LEVEL: "debug" } });
  account = await anAccount(stack.url);
});

afterAll(async () => {
  await stack.stop();
  await receiver.stop();
});

/** Sends a request in a trace of its own, and waits for the spans of that trace. */
async function spansOf(path: string, headers: Record<string, string>, processes: string[]): Promise<ReceivedSpan[]> {
  const traceId = randomBytes(16).toString("hex");
  await fetch(stack.url + path, { headers: { ...headers, traceparent: `00-${traceId}-${CLIENT_SPAN}-01` } });
  const found = (): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
  await until(() => found().length >= processes.length);
  expect(
    found()
      .map(({ process }) => process)
      .sort(),
  ).toEqual(processes.sort());
  return found();
}

const of = (spans: readonly ReceivedSpan[], operation: string): ReceivedSpan =>
  spans.find(({ attributes }) => attributes["nts.operation"] === operation)!;

describe("a system with a receiver of spans", () => {
  it("sends one for every process that took part in a request, each with its caller as parent", async () => {
    const { secret } = await aKey(stack.url, account);
    const headers = { authorization: `Bearer ${secret}` };
    const spans = await spansOf("/api/v1/networks?limit=5", headers, ["gateway", "identity", "topology"]);
    const gateway = spans.find(({ process }) => process === "gateway")!;
    expect(gateway).toMatchObject({
      parentSpanId: CLIENT_SPAN,
      name: "GET /api/v1/networks",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/api/v1/networks",
        "http.response.status_code": 200,
        "nts.operation": "list_networks",
      },
    });
    expect(of(spans, "internal_verify")).toMatchObject({ process: "identity", parentSpanId: gateway.spanId });
    expect(spans.find(({ process }) => process === "topology")).toMatchObject({
      parentSpanId: gateway.spanId,
      attributes: { "nts.operation": "list_networks" },
    });
  });

  it("sends one for a call from one service to another", async () => {
    const { cookie } = account;
    // The session may have been cached before, so that identity is called once or twice.
    await fetch(`${stack.url}/api/auth/me`, { headers: { cookie } });
    const spans = await spansOf("/api/auth/me", { cookie }, ["gateway", "identity", "topology"]);
    expect(of(spans, "internal_network_ids")).toMatchObject({
      process: "topology",
      parentSpanId: spans.find(({ process }) => process === "identity")!.spanId,
    });
  });

  it("sends those of a trace that begins here, and its id is in the log of every process", async () => {
    const response = await fetch(`${stack.url}/api/v1/hosts/nothing`, { headers: { cookie: account.cookie } });
    expect(response.status).toBe(400);
    const requestId = response.headers.get("x-request-id");
    const found = (): ReceivedSpan[] =>
      receiver.spans.filter(({ attributes }) => attributes["nts.request_id"] === requestId);
    await until(() => found().length === 2);
    const [gateway] = found().filter(({ process }) => process === "gateway");
    expect(gateway).toMatchObject({ parentSpanId: undefined, attributes: { "http.response.status_code": 400 } });
    for (const { logFile } of [stack.gateways[0]!, stack.topologies[0]!]) {
      const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.includes(requestId!));
      expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
        expect.objectContaining({
          trace_id: gateway!.traceId,
          request_id: requestId,
          operation: "get_host_by_id",
          "service.name": expect.any(String),
          "http.route": "/api/v1/hosts/{id}",
          "http.request.method": "GET",
          "http.response.status_code": 400,
          duration_ms: expect.any(Number),
          "user.id": account.userId,
          organization_id: account.organizationId,
          "session.id": expect.any(String),
        }),
      ]);
    }
  });
});

describe("a system with a receiver of spans: what ends", () => {
  it("sends nothing of a trace that its beginner does not record", async () => {
    const traceId = TRACE.replace("0", "1");
    const headers = { traceparent: `00-${traceId}-${CLIENT_SPAN}-00` };
    await fetch(`${stack.url}/api/version`, { headers });
    const before = receiver.spans.length;
    await fetch(`${stack.url}/api/version`);
    await until(() => receiver.spans.length > before);
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it("flushes the remaining ones when a process stops", async () => {
    const [gateway] = stack.gateways;
    const response = await fetch(`${stack.url}/api/version`);
    expect(await gateway!.stop()).toEqual({ code: 0, signal: null });
    const requestId = response.headers.get("x-request-id");
    expect(receiver.spans.map(({ attributes }) => attributes["nts.request_id"])).toContain(requestId);
    await gateway!.restart();
  });
});

describe("a gateway whose receiver of spans is unavailable", () => {
  it("serves requests nevertheless, logs the failure, and stops", async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const world = await startIsolatedGateways({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
    try {
      const key = world.stub.aKey();
      const [gateway] = world.gateways;
      expect((await fetch(`${world.url}/api/v1/networks/x`, { headers: key.headers })).status).toBe(200);
      await until(async () => (await readFile(gateway!.logFile, "utf8")).includes("tracing: "));
      expect(await gateway!.stop()).toEqual({ code: 0, signal: null });
    } finally {
      await world.stop();
    }
  });
});

describe("a process without a receiver of spans", () => {
  it("loads no recording library", async () => {
    const script = `
      import { createRequire } from "node:module";
      import { createTracing } from "@nts/shared/tracing/tracing";
      const log = { warn() {} };
      const loaded = async (endpoint) => {
        await createTracing({ processName: "test", endpoint, share: 1, log });
        return Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("/sdk-trace/")).length;
      };
      console.log(await loaded(undefined), (await loaded("http://127.0.0.1:1")) > 0);
      process.exit();`;
    const cwd = new URL("../..", import.meta.url).pathname;
    const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", script], { cwd });
    expect(stdout).toBe("0 true");
  });
});
