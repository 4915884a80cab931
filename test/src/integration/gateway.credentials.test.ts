import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { createBus } from "@nts/shared/bus/bus";
import { keyApplied, keyChanged } from "@nts/shared/contract/messages";
import { createLog } from "@nts/shared/log";
import { type IsolatedGateways, metricOf, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";
import { until } from "../support/until.js";

const PATH = "/api/v1/networks/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

let world: IsolatedGateways;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: { STALE_CREDENTIAL_SECONDS: "8", ANONYMOUS_RATE_LIMIT_BURST: "1000" } });
  await untilLeased();
});

afterAll(async () => {
  await world.stop();
});

afterEach(async () => {
  world.stub.setIdentity("there");
  await untilLeased();
});

/** Without a lease, each request is verified. */
async function untilLeased(): Promise<void> {
  await until(async () => {
    await fetch(`${world.url}/api/version`); // an idle gateway has none
    return (await metricOf(world.gateways[0]!, "nts_key_lease_alive")) === 1;
  });
}

const send = async ({ headers }: StubCredential): Promise<number> =>
  (await fetch(world.url + PATH, { headers })).status;

describe("cached credentials", () => {
  it("are verified by identity once, also for many concurrent requests", async () => {
    const { stub } = world;
    const key = stub.aKey();
    const before = stub.verifications();
    await Promise.all(Array.from({ length: 50 }, () => send(key)));
    await send(key);
    expect(stub.verifications()).toBe(before + 1);
  });

  it("do not include malformed keys, which are never looked up", async () => {
    const { stub } = world;
    const { secret } = stub.aKey();
    const before = stub.verifications();
    const wrong = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
    expect((await fetch(world.url + PATH, { headers: { authorization: `Bearer ${wrong}` } })).status).toBe(401);
    expect(stub.verifications()).toBe(before);
  });

  it("are evicted once a revocation is polled, without any notice", async () => {
    const { stub } = world;
    const key = stub.aKey();
    expect(await send(key)).toBe(200);
    const number = stub.revoke(key);
    await until(() => stub.applied() >= number);
    expect(await send(key)).toBe(401);
  });

  it("are evicted as soon as the notice of a revocation is acknowledged", async () => {
    const { stub, servers } = world;
    const log = createLog("test", "silent");
    const bus = createBus(servers.urls.nats.identity, "test", log);
    const speaker = createBus(servers.urls.nats.gateway, "test", log);
    const acknowledged: number[] = [];
    const durationsMs: number[] = [];
    bus.subscribe(keyApplied, ({ number }) => acknowledged.push(number));
    try {
      await until(() => {
        speaker.publish(keyApplied, { gateway: "test", number: 0 });
        return bus.isConnected() && acknowledged.includes(0);
      });
      for (let round = 0; round < 20; round++) {
        const key = stub.aKey();
        expect(await send(key)).toBe(200);
        const number = stub.revoke(key);
        const startedAt = performance.now();
        bus.publish(keyChanged, { number, subjects: [key.credentialId] });
        await until(() => acknowledged.some((applied) => applied >= number), 1);
        expect(await send(key)).toBe(401);
        durationsMs.push(performance.now() - startedAt);
      }
      // Without the notice it would wait for a poll every time.
      expect(Math.min(...durationsMs)).toBeLessThan(100);
    } finally {
      await Promise.all([bus.close(), speaker.close()]);
    }
  });
});

describe("cached credentials: without the bus or identity", () => {
  it("work without the bus", async () => {
    const { stub, servers } = world;
    await servers.nats.kill();
    try {
      const key = stub.aKey();
      expect(await send(key)).toBe(200);
      const number = stub.revoke(key);
      await until(() => stub.applied() >= number);
      expect(await send(key)).toBe(401);
    } finally {
      await servers.nats.restart();
    }
  });

  it("have their use reported, at the latest at shutdown", async () => {
    const { stub, gateways } = world;
    const key = stub.aKey();
    expect(await send(key)).toBe(200);
    await gateways[0]!.stop();
    expect(stub.usedKeys).toContain(key.credentialId);
    await gateways[0]!.restart();
  });

  it("are verified again at the first request after an idle period, during which identity does not wait for the gateway", async () => {
    const { stub, gateways } = world;
    const kept = stub.aKey();
    const revoked = stub.aKey();
    expect([await send(kept), await send(revoked)]).toEqual([200, 200]);
    const usedAt = performance.now();
    await until(async () => (await metricOf(gateways[0]!, "nts_gateway_idle")) === 1);
    expect(await metricOf(gateways[0]!, "nts_key_lease_alive")).toBe(0);
    await until(() => (stub.deregisteredAt() ?? 0) > usedAt);
    expect((await fetch(`${gateways[0]!.opsUrl}/readyz`)).status).toBe(200);
    stub.revoke(revoked); // without a notice
    expect([await send(revoked), await send(kept)]).toEqual([401, 200]);
    await until(async () => (await metricOf(gateways[0]!, "nts_key_lease_alive")) === 1);
  });

  it.each(["broken", "silent"] as const)(
    "are accepted for a limited time, and unknown ones get 503, while identity is %s",
    async (state) => {
      const { stub, gateways } = world;
      const checked = stub.aKey();
      const fresh = stub.aKey();
      expect(await send(checked)).toBe(200);
      stub.setIdentity(state);
      await until(async () => (await metricOf(gateways[0]!, "nts_key_lease_alive")) === 0);
      expect(await send(checked)).toBe(200);
      const response = await fetch(world.url + PATH, { headers: fresh.headers });
      expect([response.status, response.headers.get("retry-after"), await response.json()]).toMatchObject([
        503,
        "1",
        { code: "unavailable" },
      ]);
      await until(async () => (await send(checked)) === 503, 500, 30_000);
      await until(async () => (await fetch(`${gateways[0]!.opsUrl}/readyz`)).status === 503);
      expect((await fetch(`${world.url}/api/version`)).status).toBe(200);
    },
  );
});

describe("cached credentials: shutdown", () => {
  it("have their use reported at shutdown even if identity did not respond to the previous report", async () => {
    const { stub, gateways } = world;
    const key = stub.aKey();
    await send(key);
    stub.unanswered.length = 0;
    stub.setIdentity("silent");
    await send(key);
    await until(() => stub.unanswered.includes("/internal/key-uses"));
    stub.setIdentity("there");
    await gateways[0]!.stop();
    expect(stub.usedKeys).toContain(key.credentialId);
    await gateways[0]!.restart();
  });

  it("do not delay the exit with status 0 after SIGTERM and open requests", async () => {
    const { stub, gateways } = world;
    const key = stub.aKey();
    stub.respondWith((_request, response) => {
      setTimeout(() => response.setHeader("content-type", "application/json").end("{}"), 500);
    });
    const before = stub.forwarded.length;
    const open = send(key);
    await until(() => stub.forwarded.length > before);
    const exit = await gateways[0]!.stop();
    expect(await open).toBe(200);
    expect(exit).toMatchObject({ code: 0 });
    await gateways[0]!.restart();
  });
});
