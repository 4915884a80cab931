/**
 * Writes with idempotency keys while connections are cut and processes are killed. `npm run long -- retries` is the long
 * form, with RETRIED_WRITES creates and updates, and RETRIED_KILLS kills.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { aKey, anAccount, type ApiResponse, type Caller, callerOf } from "../support/api.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { aNetworkWithAHost } from "../support/world.js";
import { until } from "../support/until.js";

const WRITES = Number(process.env["RETRIED_WRITES"] ?? 100);
const KILLS = Number(process.env["RETRIED_KILLS"] ?? 3);
const CLIENTS = 8;
const SERVICES_OF_HOST = 900;
const TIMEOUT_MS = 60_000;
const BETWEEN_TRIES_MS = 20;

/**
 * Responses that a client retries, as docs/errors.md says. With seven other writers of one host, that may take long.
 */
const RETRIED_CODES = new Set(["idempotency_in_progress", "write_conflict"]);

let stack: Stack;
let owner: Caller;
let headers: Record<string, string>;
let ids: { host_id: string; network_id: string };

beforeAll(async () => {
  stack = await startStack({ gateways: 2, topologies: 2, env: UNLIMITED });
  const key = await aKey(stack.url, await anAccount(stack.url));
  owner = key.caller;
  headers = { authorization: `Bearer ${key.secret}` };
  const { host, network } = await aNetworkWithAHost(owner);
  ids = { host_id: host.id, network_id: network.id };
});
afterAll(() => stack.stop());

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

/** Sends a write until it gets a response, alternating between the gateways, and sometimes disconnects early. */
async function sendUntilResponse({ method, path, body, key }: Write, found: string[]): Promise<ApiResponse["body"]> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (let attempt = Math.floor(Math.random() * 2); performance.now() < untilMs; attempt++) {
    const { url } = stack.gateways[attempt % 2]!;
    const isHasty = Math.random() < 0.3;
    try {
      const response = await fetch(url + path, {
        method,
        headers: { ...headers, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
        ...(isHasty && { signal: AbortSignal.timeout(1 + Math.floor(Math.random() * 30)) }),
      });
      const envelope = (await response.json()) as ApiResponse["body"];
      if (response.status === 200) return envelope;
      const mayRetry = response.status >= 500 || RETRIED_CODES.has(envelope.code);
      if (!mayRetry) found.push(`${key}: ${response.status} ${envelope.code}`);
    } catch {
      // The connection was lost: a retry with the same key shows whether the write was done.
    }
    await sleep(BETWEEN_TRIES_MS);
  }
  throw new Error(`${key} was not answered`);
}

/** Kills one process after another until the work is done. */
async function killProcessesDuring(work: Promise<unknown>, kills: number): Promise<void> {
  const state = { isDone: false };
  const over = work.finally(() => (state.isDone = true));
  const victims = [...stack.topologies, ...stack.gateways];
  for (let n = 0; n < kills && !state.isDone; n++) {
    await sleep(Math.random() * 200);
    const victim = victims[n % victims.length]!;
    await victim.kill();
    await victim.restart();
  }
  await over;
}

describe(`${WRITES} creates and ${WRITES} updates with idempotency keys, ${KILLS} processes killed`, () => {
  it(
    "take effect exactly once each, and get the same response whenever they are repeated",
    async () => {
      const found: string[] = [];
      const hosts = [ids];
      for (let room = SERVICES_OF_HOST; room < WRITES; room += SERVICES_OF_HOST) {
        const { network_id } = ids;
        const { id } = await owner.data<{ id: string }>("post", "/api/v1/hosts", { network_id, name: "more" });
        hosts.push({ network_id, host_id: id });
      }
      const create = (n: number): Write => ({
        ...{ method: "POST", path: "/api/v1/services", key: `create-${n}` },
        body: { ...hosts[n % hosts.length], name: `s${n}`, service_definition: "x", bindings: [], tags: [] },
      });
      const client = async (own: number): Promise<void> => {
        for (let n = own; n < WRITES; n += CLIENTS) {
          const { data } = (await sendUntilResponse(create(n), found)) as { data: { id: string } };
          const path = `/api/v1/services/${data.id}`;
          const update = { method: "PUT", path, key: `update-${n}`, body: { ...(data as object), name: `u${n}` } };
          const updated = await sendUntilResponse(update, found);
          const again = await sendUntilResponse(create(n), found);
          const updatedAgain = await sendUntilResponse(update, found);
          if (JSON.stringify([again.data, updatedAgain.data]) !== JSON.stringify([data, updated.data]))
            found.push(`${n} was answered otherwise`);
        }
      };
      await killProcessesDuring(Promise.all(Array.from({ length: CLIENTS }, (_, own) => client(own))), KILLS);
      expect(found).toEqual([]);
      const all = await owner.data<{ id: string; name: string }[]>("get", "/api/v1/services?limit=0");
      const listed = all.filter(({ name }) => name !== "web");
      expect(listed.map(({ name }) => name).sort()).toEqual(Array.from({ length: WRITES }, (_, n) => `u${n}`).sort());
      // Created once and updated once.
      for (const { id } of listed.slice(0, 20))
        expect((await owner.send("get", `/api/v1/services/${id}`)).headers.get("etag")).toBe('"2"');
    },
    Math.max(90_000, WRITES * 100 + KILLS * 5_000),
  );
});

describe("a killed topology", () => {
  it("fails no write with an idempotency key: the gateway repeats it", async () => {
    const victim = stack.topologies[0]!;
    const gateway = callerOf(stack.url, "keyed", headers);
    const before = performance.now();
    let isKilled = false;
    const responses: string[] = [];
    const client = async (own: number): Promise<void> => {
      for (let n = 0; !isKilled || n < 10; n++) {
        if (performance.now() > before + TIMEOUT_MS) return;
        const body = { ...ids, number: own * 1_000 + n + 1, protocol: "Tcp" };
        const key = { "idempotency-key": `port-${own}-${n}` };
        const { status, text } = await gateway.send("post", "/api/v1/ports", body, key);
        responses.push(status === 200 ? "200" : text);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, own) => client(own)));
    await until(() => responses.length > CLIENTS, 10, TIMEOUT_MS);
    await victim.kill();
    const atKill = responses.length;
    await until(() => responses.length > atKill + CLIENTS, 10, TIMEOUT_MS);
    isKilled = true;
    await clients;
    await victim.restart();
    expect(responses.filter((one) => one !== "200")).toEqual([]);
    expect(responses.length).toBeGreaterThan(CLIENTS * 2);
  });
});
