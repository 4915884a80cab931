import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { freePort } from "@nts/local/processes/ports";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { type ServiceStub, sendJson, startServiceStub, type StubCredential } from "../support/service-stub.js";
import { startBlackHole } from "../support/black-hole.js";
import { until } from "../support/until.js";

const ONE = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const LIMITS = { RATE_LIMIT_BURST: "1000", RATE_LIMIT_PER_MINUTE: "60000" };

let world: IsolatedGateways;
let second: ServiceStub;
let key: StubCredential;

beforeAll(async () => {
  second = await startServiceStub();
  const unusedUrl = `http://127.0.0.1:${await freePort()}`;
  world = await startIsolatedGateways({ env: LIMITS, otherTopologies: [unusedUrl, second.url] });
  key = world.stub.aKey();
});

afterAll(async () => {
  await world.stop();
  await second.stop();
});

const send = (method = "GET", path = ONE, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(world.url + path, { method, headers: { ...key.headers, "content-type": "application/json", ...headers } });

function respondAgain(): void {
  for (const stub of [world.stub, second])
    stub.respondWith((_request, response) => {
      sendJson(response, {});
    });
}

describe("the replicas of a service", () => {
  it("share the requests, and one that cannot be reached costs no read", async () => {
    const statuses = [];
    for (let round = 0; round < 60; round++) statuses.push((await send()).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(world.stub.forwarded.length).toBeGreaterThan(10);
    expect(second.forwarded.length).toBeGreaterThan(10);
  });

  it("get a read again after an aborted response, and no write without an idempotency key", async () => {
    const tries: string[] = [];
    for (const stub of [world.stub, second])
      stub.respondWith((request) => {
        tries.push(request.method ?? "");
        request.socket.destroy();
      });
    try {
      await send();
      expect((await send()).status).toBe(502);
      expect(tries.filter((method) => method === "GET").length).toBeLessThanOrEqual(4);
      expect((await send("DELETE")).status).toBe(502);
      expect(tries.filter((method) => method === "DELETE")).toHaveLength(1);
    } finally {
      respondAgain();
    }
  });

  it("get a write with an idempotency key again after an aborted response", async () => {
    // So that the gateway has noticed which connections have ended.
    for (let round = 0; round < 12; round++) await send();
    for (let n = 0; n < 4; n++) {
      let tries = 0;
      for (const stub of [world.stub, second])
        stub.respondWith((request, response) => {
          if (request.method === "DELETE" && ++tries === 1) request.socket.destroy();
          else sendJson(response, null, { "idempotency-replayed": "true" });
        });
      const received = await send("DELETE", ONE, { "idempotency-key": `kept-${n}` });
      expect([received.status, received.headers.get("idempotency-replayed"), tries]).toEqual([200, "true", 2]);
    }
    respondAgain();
  });

  it("get a write that could not even be sent to one of them", async () => {
    const before = [world.stub, second].map(({ forwarded }) => forwarded.length);
    for (let round = 0; round < 30; round++) expect((await send("DELETE")).status).toBe(200);
    const writes = [world.stub, second].map(({ forwarded }, i) => forwarded.length - (before[i] ?? 0));
    expect(writes[0]! + writes[1]!).toBe(30);
  });

  it("have ten seconds to begin a response", async () => {
    for (const stub of [world.stub, second]) stub.respondWith(() => undefined);
    const startedAt = performance.now();
    const received = await send();
    expect([received.status, await received.json()]).toMatchObject([504, { code: "upstream_timeout" }]);
    expect(performance.now() - startedAt).toBeGreaterThan(9_900);
    expect(performance.now() - startedAt).toBeLessThan(18_000);
  });
});

describe("a hanging replica", () => {
  it("loses its pending reads to another one, and gets no more until a probe succeeds", async () => {
    const hanging = await startServiceStub();
    const world = await startIsolatedGateways({ env: LIMITS, otherTopologies: [hanging.url] });
    try {
      const key = world.stub.aKey();
      const send = (): Promise<Response> => fetch(world.url + ONE, { headers: key.headers });
      for (let round = 0; round < 4; round++) await send();
      hanging.setHanging(true);
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send()).status));
      expect(new Set(statuses)).toEqual(new Set([200]));
      const before = hanging.forwarded.length;
      for (let round = 0; round < 20; round++) expect((await send()).status).toBe(200);
      expect(hanging.forwarded.length).toBe(before);
      hanging.setHanging(false);
      await until(async () => {
        await send();
        return hanging.forwarded.length > before;
      });
    } finally {
      await world.stop();
      await hanging.stop();
    }
  });
});

describe("a replica that has just stopped", () => {
  it("costs no write of either service its body", async () => {
    const stopped = await startServiceStub();
    const others = { otherTopologies: [stopped.url], otherIdentities: [stopped.url] };
    const world = await startIsolatedGateways({ env: LIMITS, ...others });
    try {
      // Only one of the two identities knows a key, and a rejection is cached: a new key each time finds that one.
      let headers: Record<string, string> = {};
      await until(async () => {
        headers = { ...world.stub.aKey().headers, "content-type": "application/json" };
        return (await fetch(world.url + ONE, { headers })).status === 200;
      });
      await stopped.stop();
      const paths = [ONE, "/api/v1/organizations/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f"];
      // At once, before a gateway has noticed by another request.
      const sent = paths.flatMap((path) =>
        Array.from({ length: 6 }, (_, round) => [path, JSON.stringify({ name: `${path}, round ${round}` })] as const),
      );
      const write = async ([path, body]: readonly [string, string]): Promise<number> =>
        (await fetch(world.url + path, { method: "PUT", headers, body })).status;
      expect(await Promise.all(sent.map(write))).toEqual(sent.map(() => 200));
      const came = world.stub.forwarded.filter(({ method }) => method === "PUT").map(({ body }) => body);
      expect(came.sort()).toEqual(sent.map(([, body]) => body).sort());
    } finally {
      await world.stop();
    }
  });
});

describe("a replica that accepts no connections", () => {
  it("costs a second, and loses neither reads nor writes", async () => {
    const hole = await startBlackHole();
    const world = await startIsolatedGateways({
      env: LIMITS,
      otherTopologies: [hole.url],
      otherIdentities: [hole.url],
    });
    try {
      const key = world.stub.aKey();
      for (const [method, path] of [
        ["GET", ONE],
        ["DELETE", ONE],
        ["GET", "/api/v1/organizations"],
        ["POST", "/api/v1/auth/keys/" + key.credentialId + "/rotate"],
      ] as const) {
        const send = (): Promise<Response> =>
          fetch(world.url + path, {
            method,
            headers: { ...world.stub.aSession().headers, origin: "https://topology.example.com" },
          });
        const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await send()).status));
        expect([method, path, new Set(statuses)]).toEqual([method, path, new Set([200])]);
      }
    } finally {
      await world.stop();
      await hole.stop();
    }
  });
});

describe("a hanging service", () => {
  it("has at most 256 pending requests, of each organization at most as many as are left; then others are rejected, and the other service is unaffected; without a replica it is unavailable", async () => {
    const hanging = await startServiceStub();
    const names = [
      "IN_FLIGHT_PER_USER",
      "IN_FLIGHT_PER_ORGANIZATION",
      "AT_SERVICES_PER_USER",
      "AT_SERVICES_PER_ORGANIZATION",
      // All of them come from one address here.
      "IN_FLIGHT_PER_CLIENT",
      "IN_FLIGHT_PER_SITE",
      "AT_SERVICES_PER_CLIENT",
      "AT_SERVICES_PER_SITE",
    ];
    const env = { ...LIMITS, ...Object.fromEntries(names.map((name) => [name, "1000"])) };
    const world = await startIsolatedGateways({ env, topologies: [hanging.url] });
    try {
      const send = (path: string, { headers }: StubCredential): Promise<Response> =>
        fetch(world.url + path, { headers });
      const [late, ...keys] = Array.from({ length: 10 }, () => world.stub.aKey());
      for (const key of [late!, ...keys]) expect((await send(ONE, key)).status).toBe(200);
      hanging.forwarded.length = 0;
      hanging.respondWith(() => undefined);
      const all: Promise<Response>[] = [];
      const arrived: number[] = [];
      for (const [n, key] of keys.entries()) {
        all.push(...Array.from({ length: (128 >> n) + 2 }, () => send(ONE, key)));
        const most = 256 - (128 >> n);
        await until(() => hanging.forwarded.length === Math.min(256, most));
        arrived.push(hanging.forwarded.length);
      }
      expect(arrived).toEqual([128, 192, 224, 240, 248, 252, 254, 255, 256]);
      const rejected = await send(ONE, late!);
      expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "1"]);
      expect((await send("/api/v1/organizations", late!)).status).toBe(200);
      hanging.respondWith((_request, response) => {
        sendJson(response, {});
      });
      hanging.dropConnections();
      await Promise.all(all);
      expect((await send(ONE, late!)).status).toBe(200);

      // Without a replica that can be reached it is unavailable.
      await hanging.stop();
      const received = await send(ONE, late!);
      expect([received.status, received.headers.get("retry-after"), await received.json()]).toMatchObject([
        503,
        "1",
        { success: false, code: "unavailable" },
      ]);
    } finally {
      await world.stop();
      await hanging.stop();
    }
  });
});
