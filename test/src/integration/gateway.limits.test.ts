import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiKey } from "@nts/shared/api-key";
import { levelOf, sendMany, sendTo } from "../support/levels.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { sendToRedis } from "../support/redis-faults.js";
import { sendJson, type StubCredential } from "../support/service-stub.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";

// With 5 refilled tokens a second, "exactly" depends on the elapsed time. All tests share one address, so the one that
// empties its bucket is last.
const BURST = 150;
const PER_SECOND = 5;
/** Time in which some tokens are refilled. */
const REFILL_MS = 3_000;
/** As the response says. */
const RETRY_AFTER_MS = 1_000;
const ADDRESS_BURST = 20;
const LOOKUP_BURST = 60;
/** On a busy machine even a healthy Redis may be slow. */
const PATIENCE_MS = 500;

let world: IsolatedGateways;

beforeAll(async () => {
  world = await startIsolatedGateways({ gateways: 2, env: { REDIS_PATIENCE_MS: String(PATIENCE_MS) } });
});

afterAll(async () => {
  await world.stop();
});

const unknownKey = () => ({ authorization: `Bearer ${createApiKey().secret}` });

describe("the rate limit: of a user", () => {
  it("admits exactly the burst of 400 concurrent requests over two gateways, then exactly what is refilled", async () => {
    const key = world.stub.aKey();
    const startedAt = performance.now();
    const maxBy = (time: number): number => BURST + Math.ceil(((time - startedAt) / 1000) * PER_SECOND);
    const known = await verifyEverywhere(key);
    const first = known + (await sendMany(world, 400, key)).passed;
    const pause = performance.now();
    expect(first).toBeGreaterThanOrEqual(BURST);
    expect(first).toBeLessThanOrEqual(maxBy(pause));

    await sleep(REFILL_MS);
    const pauseSeconds = (performance.now() - pause) / 1000;
    const { passed } = await sendMany(world, 100, key);
    expect(first + passed).toBeLessThanOrEqual(maxBy(performance.now()));
    expect(passed).toBeGreaterThanOrEqual(Math.floor(pauseSeconds * PER_SECOND));
  });

  it("is reported in consistent headers", async () => {
    const key = world.stub.aKey();
    const levels = [];
    for (let index = 0; index < 12; index++) levels.push(levelOf(await sendTo(world, index, key.headers)));
    expect(levels[0]).toEqual({ limit: 300, remaining: 149, reset: 1 });
    for (const { remaining, reset } of levels) {
      const missing = BURST - remaining;
      expect(reset).toBeGreaterThanOrEqual(Math.floor((missing - 1) / PER_SECOND));
      expect(reset).toBeLessThanOrEqual(Math.ceil(missing / PER_SECOND));
    }
    expect(levels.at(-1)!.remaining).toBeLessThan(145);
  });

  it("is reported in the fields of the IETF, for addresses too", async () => {
    const fieldsOf = ({ headers }: Response) => [headers.get("ratelimit"), headers.get("ratelimit-policy")];
    const known = await sendTo(world, 0, world.stub.aKey().headers);
    expect(fieldsOf(known)).toEqual(['"user";r=149;t=1', '"user";q=150;w=30']);
    const [state, policy] = fieldsOf(await sendTo(world, 0, {}));
    expect(state).toMatch(/^"address";r=\d+;t=\d+$/);
    expect(policy).toBe('"address";q=20;w=20');
  });

  it("returns 429 with the seconds after which a request succeeds", async () => {
    const key = world.stub.aKey();
    await verifyEverywhere(key);
    const { responses, bodies } = await sendMany(world, 300, key);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expect(response.headers.get("retry-after")).toBe("1");
      expect(levelOf(response)).toMatchObject({ limit: 300, remaining: 0, reset: 30 });
    }
    expect(bodies).toContainEqual(
      expect.objectContaining({ success: false, code: "rate_limited", params: { retry_after_seconds: 1 } }),
    );
    await sleep(RETRY_AFTER_MS);
    expect((await sendTo(world, 1, key.headers)).status).toBe(200);
  });

  it("is shared by all keys and sessions of a user", async () => {
    const key = world.stub.aKey();
    const session = world.stub.aSession({ user_id: key.userId });
    await sendTo(world, 0, key.headers);
    expect(levelOf(await sendTo(world, 1, session.headers)).remaining).toBe(148);
  });
});

describe("reads that are forwarded while they are counted", () => {
  const path = "/api/v1/networks/held-back";
  const forwarded = (): number => world.stub.forwarded.filter(({ url }) => url === path).length;

  it("pass exactly as long as the limit allows, one after another over two gateways", async () => {
    const key = world.stub.aKey();
    const startedAt = performance.now();
    const before = forwarded();
    let passed = 0;
    // A busy machine may respond with 503 meanwhile.
    for (let turn = 0, status = 0; status !== 429; turn++) {
      ({ status } = await sendTo(world, turn, key.headers, path));
      if (status === 200) passed++;
    }
    expect(passed).toBeLessThanOrEqual(BURST + Math.ceil(((performance.now() - startedAt) / 1000) * PER_SECOND));
    expect(passed).toBeGreaterThan(BURST - 10);
    expect(forwarded() - before).toBe(passed);
  });

  it("have no response before Redis has counted them", async () => {
    const { stub, servers } = world;
    // Until Redis was paused for less than gateways wait for it.
    await until(async () => {
      const { headers } = stub.aKey();
      await sendTo(world, 0, headers);
      const before = forwarded();
      const pausedAt = performance.now();
      let isAnswered = false;
      servers.redis.pause();
      const response = sendTo(world, 0, headers, path).finally(() => (isAnswered = true));
      try {
        await until(() => forwarded() > before);
        for (let n = 0; n < 3; n++) await sendTo(world, 0, {}, "/api/health");
        if (performance.now() - pausedAt > PATIENCE_MS - 100) return false;
        expect(isAnswered).toBe(false);
      } finally {
        servers.redis.resume();
      }
      const { status } = await response;
      expect(status).toBe(200);
      expect(levelOf(await sendTo(world, 0, headers)).remaining).toBeLessThan(BURST - 1);
      return true;
    });
  });

  it("show nothing to a caller who has used up the limit elsewhere, and are forwarded once", async () => {
    const { stub } = world;
    const { headers, userId } = stub.aKey();
    await sendTo(world, 0, headers);
    // As another gateway would leave it.
    await sendToRedis(world, ["SET", `nts:user:${userId}`, String(Date.now() + 60_000)]);
    const before = forwarded();
    let isAborted = false;
    stub.respondWith((_request, response) => {
      response.once("close", () => (isAborted ||= !response.writableFinished));
      response.writeHead(200, { "content-type": "application/json", "content-length": 100 }).write('{"secret":');
    });
    const refused = await sendTo(world, 0, headers, path);
    stub.respondWith((_request, response) => {
      sendJson(response, {});
    });
    expect([refused.status, levelOf(refused).remaining]).toEqual([429, 0]);
    const retry_after_seconds = Number(refused.headers.get("retry-after"));
    expect(await refused.json()).toMatchObject({ code: "rate_limited", params: { retry_after_seconds } });
    await until(() => isAborted);
    const more = await Promise.all(Array.from({ length: 10 }, () => sendTo(world, 0, headers, path)));
    expect(new Set(more.map(({ status }) => status))).toEqual(new Set([429]));
    expect(forwarded() - before).toBe(1);
  });
});

describe("the rate limit: of an address", () => {
  it("counts requests without a valid credential", async () => {
    const early = [
      () => sendTo(world, 0, {}, "/nowhere"),
      () => sendTo(world, 1, {}),
      () => sendTo(world, 0, { authorization: "Bearer nts_u_nonsense" }),
      () => fetch(`${world.url}/api/v1/networks`, { method: "PATCH" }),
      () => sendTo(world, 1, unknownKey()),
    ];
    const levels = [];
    for (const request of early) levels.push(levelOf(await request()));
    expect(levels.map(({ limit }) => limit)).toEqual([60, 60, 60, 60, 60]);
    expect(levels[4]!.remaining).toBeLessThan(levels[0]!.remaining - 2);
    const health = await sendTo(world, 0, {}, "/api/health");
    expect([health.status, health.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  });

  it("refunds the token of the lookup for a valid credential", async () => {
    const { stub } = world;
    const before = levelOf(await sendTo(world, 0, {})).remaining;
    for (let index = 0; index < 8; index++) expect((await sendTo(world, index, stub.aKey().headers)).status).toBe(200);
    expect(levelOf(await sendTo(world, 0, {})).remaining).toBeGreaterThanOrEqual(before - 1);
  });

  it("never charges a valid credential for its neighbours", async () => {
    const { stub } = world;
    await emptyTheAddress();
    // Invalid credentials are rejected, and use up the lookups of their address.
    expect((await sendTo(world, 0, unknownKey())).status).toBe(429);
    for (let index = 0; index < 2 * LOOKUP_BURST; index++) {
      const { status } = await sendTo(world, index, stub.aKey().headers);
      expect([index, status]).toEqual([index, 200]);
    }
    // Concurrent requests with one key are one lookup on each gateway.
    const { passed } = await sendMany(world, 120, stub.aKey());
    expect(passed).toBe(120);
  });

  it("stops lookups at identity for an address that has no tokens left", async () => {
    const { stub } = world;
    const cached = stub.aKey();
    for (const index of [0, 1]) await sendTo(world, index, cached.headers);
    await emptyTheAddress();
    const before = stub.verifications();
    const responses = await Promise.all(
      Array.from({ length: 3 * LOOKUP_BURST }, (_, n) => sendTo(world, n, unknownKey())),
    );
    // Meanwhile the address gets one token back per second.
    expect(responses.filter(({ status }) => status !== 429).length).toBeLessThanOrEqual(ADDRESS_BURST);
    const lookups = stub.verifications() - before;
    expect(lookups).toBeGreaterThanOrEqual(LOOKUP_BURST);
    expect(lookups).toBeLessThan(2 * LOOKUP_BURST);
    expect((await sendTo(world, 0, cached.headers)).status).toBe(200);
  });
});

/**
 * Sends a request with the key to each gateway. @returns how many were sent; a lease may lapse while this process is
 * busy, so that requests look the key up again
 */
async function verifyEverywhere(key: StubCredential): Promise<number> {
  for (const turn of world.gateways.keys()) expect((await sendTo(world, turn, key.headers)).status).toBe(200);
  return world.gateways.length;
}

async function emptyTheAddress(): Promise<void> {
  for (let refused = false; !refused;) {
    const responses = await Promise.all(Array.from({ length: ADDRESS_BURST }, (_, n) => sendTo(world, n, {})));
    refused = responses.some(({ status }) => status === 429);
  }
}

describe("credential lookups", () => {
  it("run a limited number at a time, and the others wait", async () => {
    const world = await startIsolatedGateways({ env: { ...UNLIMITED, MAX_VERIFICATIONS: "2" } });
    try {
      const { stub } = world;
      stub.setIdentity("silent");
      const responses = Array.from({ length: 12 }, () => sendTo(world, 0, stub.aKey().headers));
      await until(() => stub.unanswered.filter((path) => path === "/internal/verify").length === 2);
      const statuses = (await Promise.all(responses)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([503]));
    } finally {
      await world.stop();
    }
  });
});
