/** Files uploaded to the gateway: size and time limits. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { importArchive, importNmap } from "@nts/shared/contract";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { PROBE_PATH } from "@nts/shared/http/probe";
import { parseResponses } from "../support/parse-responses.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type StubCredential, sendJson } from "../support/service-stub.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";
import { until } from "../support/until.js";

const LIMIT = importNmap.upload!.limitBytes;
const JOB_LIMIT = importNmap.upload!.jobLimitBytes!;
const KIB = 1_024;

let world: IsolatedGateways;
let service: Server;
let key: StubCredential;

/** Bytes of each file that have reached the service, by name. */
const arrived = new Map<string, number>();

/** Names of aborted files. */
const aborted: string[] = [];

/** The responses for files that the service did not read or respond to. */
let responsesToUnread: Promise<string[]>;

beforeAll(async () => {
  service = createServer(
    { maxHeaderSize: INTERNAL_HEADER_LIMIT_BYTES, keepAliveTimeout: 65_000 },
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://service");
      const name = searchParams.get("network_id") ?? "";
      if (pathname === PROBE_PATH) response.end();
      else if (name === "early") sendJson(response, { error: "", code: "validation_failed", params: {} }, {}, 400);
      else if (name !== "deaf") {
        request.on("error", () => aborted.push(name));
        request.on("data", (piece: Buffer) => arrived.set(name, (arrived.get(name) ?? 0) + piece.length));
        if (name !== "silent")
          request.once("end", () => {
            sendJson(response, { name });
          });
      }
    },
  );
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  world = await startIsolatedGateways({ topologies: [url], env: { UPLOADS_PER_ORGANIZATION: "20" } });
  key = world.stub.aKey();
  responsesToUnread = sendUnread(); // they are awaited while the other tests run
  responsesToUnread.catch(() => undefined);
});

afterAll(async () => {
  await world.stop();
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
});

async function begin(name: string, framing: string, path: string = importNmap.path): Promise<RawSocket> {
  const socket = await openRawSocket(world.url);
  const type = path === importNmap.path ? "application/xml" : "application/x-ndjson";
  const fields = `Host: a\r\nAuthorization: Bearer ${key.secret}\r\nContent-Type: ${type}\r\n${framing}`;
  socket.write(`POST ${path}?network_id=${name} HTTP/1.1\r\n${fields}\r\n\r\n`);
  return socket;
}

const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;

async function outcomeOf(socket: RawSocket): Promise<string> {
  await socket.receives(/\}$/);
  const { status, body } = parseResponses(socket.received()).at(-1)!;
  socket.close();
  return `${status} ${body.code ?? "ok"}`;
}

async function sendUnread(): Promise<string[]> {
  const silent = await begin("silent", `Content-Length: ${KIB}`);
  silent.write("x".repeat(KIB));
  const unread = await begin("deaf", `Content-Length: ${LIMIT}`);
  unread.write("x".repeat(LIMIT));
  const outcomes = [silent, unread].map(async (socket) => {
    await until(() => socket.received().endsWith("}"), 50, 40_000);
    return outcomeOf(socket);
  });
  return Promise.all(outcomes);
}

describe("a file uploaded to the gateway: limits", () => {
  it("is forwarded to the service while it arrives, up to its last byte", async () => {
    const socket = await begin("whole", "Transfer-Encoding: chunked");
    socket.write(chunk(KIB));
    await until(() => arrived.get("whole") === KIB);
    for (let sent = KIB; sent < LIMIT; sent += KIB * KIB) socket.write(chunk(Math.min(KIB * KIB, LIMIT - sent)));
    socket.write("0\r\n\r\n");
    expect(await outcomeOf(socket)).toBe("200 ok");
    expect(arrived.get("whole")).toBe(LIMIT);
  });

  it("is rejected with one byte more, announced or not", async () => {
    const announced = await begin("large", `Content-Length: ${LIMIT + 1}`);
    expect(await outcomeOf(announced)).toBe("413 payload_too_large");
    expect(arrived.get("large")).toBe(undefined);
    const archive = await begin("large", `Content-Length: ${importArchive.upload!.limitBytes + 1}`, importArchive.path);
    expect(await outcomeOf(archive)).toBe("413 payload_too_large");
    const chunked = await begin("large", "Transfer-Encoding: chunked");
    for (let sent = 0; sent <= LIMIT; sent += KIB * KIB) chunked.write(chunk(Math.min(KIB * KIB, LIMIT + 1 - sent)));
    expect(await outcomeOf(chunked)).toBe("413 payload_too_large");
  });

  it("may be larger as a job", async () => {
    const asJob = (length: number) => begin("early", `Prefer: respond-async\r\nContent-Length: ${length}`);
    const largest = await asJob(JOB_LIMIT);
    largest.write("x".repeat(64 * KIB));
    expect(await outcomeOf(largest)).toBe("400 validation_failed");
    expect(await outcomeOf(await asJob(JOB_LIMIT + 1))).toBe("413 payload_too_large");
  });

  it("does not change the limit of other bodies", async () => {
    const { headers } = key;
    const body = "x".repeat(KIB * KIB + 1);
    const response = await fetch(`${world.url}/api/v1/hosts`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(413);
  });

  it("gets its response before all of it has arrived when the service rejects it", async () => {
    const socket = await begin("early", `Content-Length: ${LIMIT}`);
    socket.write("x".repeat(64 * KIB));
    expect(await outcomeOf(socket)).toBe("400 validation_failed");
  });
});

describe("a file uploaded to the gateway: slow and aborted uploads", () => {
  it.each([
    [
      "disconnects",
      (socket: RawSocket) => {
        socket.close();
      },
    ],
    [
      "sends invalid HTTP",
      (socket: RawSocket) => {
        socket.write("zz\r\n");
      },
    ],
  ])("is aborted at the service, too, when its client %s", async (what, end) => {
    const name = what.slice(0, 4);
    const socket = await begin(name, "Transfer-Encoding: chunked");
    socket.write(chunk(1));
    await until(() => arrived.get(name) === 1);
    end(socket);
    await until(() => aborted.includes(name));
    socket.close();
  });

  it("may take long while bytes arrive, and times out like other requests when they do not", async () => {
    const steady = await begin("steady", "Transfer-Encoding: chunked");
    const silent = await begin("held", "Transfer-Encoding: chunked");
    const half = await begin("held", `Content-Length: ${KIB}`);
    half.write("x");
    const slow = await begin("held", "Transfer-Encoding: chunked");
    const startedAt = performance.now();
    const writing = setInterval(() => {
      steady.write(chunk(128 * KIB));
      slow.write(chunk(1));
    }, 500);
    expect(await Promise.all([silent, half, slow].map(outcomeOf))).toEqual(Array(3).fill("408 malformed_request"));
    // Longer than every timeout on the way: of a whole request, of the service, and of the first byte.
    await until(() => performance.now() - startedAt > 11_000, 50, 20_000);
    clearInterval(writing);
    steady.write("0\r\n\r\n");
    expect(await outcomeOf(steady)).toBe("200 ok");
  });

  it("gets 504 when the service does not read it, or does not respond", async () => {
    expect(await responsesToUnread).toEqual(Array(2).fill("504 upstream_timeout"));
  });
});
