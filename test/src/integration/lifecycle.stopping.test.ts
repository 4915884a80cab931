/** A whole system whose processes stop, or whose database is unavailable. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { rotateKey } from "@nts/shared/contract/keys";
import { aKey, anAccount, type ApiResponse } from "../support/api.js";
import { openEventStream } from "../support/event-stream.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

/** Between requests of one client: other suites share the processors. */
const PAUSE_MS = 100;
/** Time for requests to reach the services; the test holds in either case. */
const REQUESTS_ARRIVE_MS = 300;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, ownMongod: true, env: UNLIMITED });
});

afterAll(async () => {
  await stack.stop();
});

describe("a system whose processes stop", () => {
  it("changes permissions without waiting for a gateway that has stopped", async () => {
    const account = await anAccount(stack.url);
    const { id } = await aKey(stack.url, account);
    const rotated = async (): Promise<number> => {
      const startedAt = performance.now();
      await account.session.data("post", rotateKey.path.replace("{id}", id));
      return performance.now() - startedAt;
    };
    const [, other] = stack.gateways;
    await other!.stop();
    await until(async () => (await rotated()) < 900);
    await other!.restart();
    await rotated();
    // A killed gateway cannot deregister, and is waited for: otherwise the above would prove nothing.
    await other!.kill();
    expect(await rotated()).toBeGreaterThan(1_000);
    await other!.restart();
  });
});

describe("a system whose database is killed and started again", () => {
  const responses: ApiResponse[] = [];
  let stream: Awaited<ReturnType<typeof openEventStream>>;
  let waitedFor: number | null;
  let survives: boolean;

  beforeAll(async () => {
    const { session } = await anAccount(stack.url);
    const network = await session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const requests: (() => Promise<ApiResponse>)[] = [
      () => session.send("get", "/api/v1/networks"),
      () => session.send("get", "/api/v1/hosts?limit=0"),
      () => session.send("get", `/api/v1/networks/${network.id}`),
      () => session.send("put", `/api/v1/networks/${network.id}`, { name: `Home ${performance.now()}` }),
      () => session.send("post", "/api/v1/hosts", { network_id: network.id, name: "host" }),
      () => session.send("get", "/api/v1/users"),
      () => session.send("post", "/api/v1/organizations/profile", { job_title: `job ${performance.now()}` }),
    ];
    let ended = false;
    const askers = requests.map(async (ask) => {
      while (!ended) {
        responses.push(await ask());
        await sleep(PAUSE_MS);
      }
    });
    const servedSince = (count: number): number => responses.slice(count).filter(({ status }) => status === 200).length;
    await until(() => servedSince(0) > 20);

    // Nothing happens meanwhile in the organization whose changes are waited for.
    const { session: idle, cookie } = await anAccount(stack.url);
    stream = await openEventStream(`${stack.url}/api/v1/changes/stream`, { cookie });
    await until(() => stream.data("bookmark").length > 0);
    const { next } = (await idle.send("get", "/api/v1/changes?limit=1000")).body.meta as unknown as { next: string };
    const path = `/api/v1/changes?wait=25&after=${next}`;
    expect((await idle.send("head", path)).status).toBe(200);
    const reading = idle.send("get", path).then(
      ({ status }) => status,
      () => null,
    );
    await sleep(REQUESTS_ARRIVE_MS);

    await stack.servers.mongodb!.kill();
    // Once this one has failed, the one before has, too.
    waitedFor = await reading;
    await until(() => responses.some(({ status }) => status === 503), 10, 20_000);
    const services = [stack.identities[0]!, stack.topologies[0]!];
    const readiness = () => Promise.all(services.map(async ({ opsUrl }) => (await fetch(`${opsUrl}/readyz`)).status));
    // A request may fail before the next check of readiness.
    await until(async () => (await readiness()).every((status) => status === 503), 10, 20_000);
    await stack.servers.mongodb!.restart();
    await until(async () => (await readiness()).every((status) => status === 200), 10, 20_000);
    const before = responses.length;
    await until(() => servedSince(before) > 20, 10, 20_000);
    ended = true;
    await Promise.all(askers);
    survives = services.every((process) => process.isRunning());
    await idle.data("post", "/api/v1/tags", { name: "afterwards" });
  });

  it("survives, also while changes are waited for, whether or not their client reads them", () => {
    expect(survives).toBe(true);
    expect(waitedFor).not.toBe(200);
  });

  it("continues streams of changes", async () => {
    const names = (): string[] => stream.data<Change>("change").map(({ name }) => name);
    await until(() => names().length > 0);
    expect([names(), stream.isOpen()]).toEqual([["afterwards"], true]);
    stream.close();
  });

  it("returns 503 with Retry-After and never 500 meanwhile", () => {
    const faults = responses.filter(({ status }) => ![200, 409, 503, 504].includes(status));
    expect(faults.map(({ status, text }) => [status, text])).toEqual([]);
    const unavailable = responses.filter(({ status }) => status === 503);
    expect(unavailable.filter(({ headers }) => headers.get("retry-after") === null)).toEqual([]);
  });
});

describe("a system whose database hangs", () => {
  it("ends each process with 0 within 15 s", async () => {
    const account = await anAccount(stack.url);
    const identity = stack.identities[0]!;
    const topology = stack.topologies[0]!;
    stack.servers.mongodb!.pause();
    try {
      const hanging = [
        account.session.send("get", "/api/v1/networks"),
        account.session.send("get", "/api/v1/users"),
        account.session.send("post", "/api/v1/networks", { name: "Home" }),
      ].map((response) => response.then(({ status }) => status));
      await sleep(REQUESTS_ARRIVE_MS);
      // They would be killed after 15 s.
      expect(await Promise.all([identity.stop(), topology.stop()])).toEqual([
        { code: 0, signal: null },
        { code: 0, signal: null },
      ]);
      for (const status of await Promise.all(hanging)) expect([502, 503, 504]).toContain(status);
    } finally {
      stack.servers.mongodb!.resume();
    }
  });
});
