/**
 * The rate limit with Redis faults. Waits for Redis are counted by the gateways themselves, since a busy machine delays
 * requests for other reasons.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { levelOf, sendMany, sendTo } from "../support/levels.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { metricOf } from "../support/metrics.js";
import type { StubCredential } from "../support/service-stub.js";
import { REDIS_FAULTS, sendToRedis } from "../support/redis-faults.js";
import type { ProcessHandle } from "../support/stack.js";
import { until } from "../support/until.js";

/** The long tier has all faults and disturbances, and a limit for how long the gateways take to notice their end. */
const FAULTS = Number(process.env["REDIS_FAULTS"] ?? 1);
const BACK_MS = FAULTS > 1 ? 2_000 : 20_000;

/** A small bucket, which few requests empty. */
const BURST = 60;
const PER_SECOND = 5;
/** More than two gateways admit together. */
const MANY = 160;
/** Two tokens are refilled in 400 ms. */
const REFILLED_MS = 600;

/**
 * The levels that each gateway has reported since its start, by source: Redis, local after waiting for Redis, local at
 * once.
 */
async function levelCountsOf({ gateways }: IsolatedGateways): Promise<number[][]> {
  const sources = ["redis", "local_after_redis", "local"];
  return Promise.all(
    gateways.map((gateway) =>
      Promise.all(sources.map((source) => metricOf(gateway, "nts_rate_limit_duration_seconds_count", { source }))),
    ),
  );
}

/** The increase from the first to the second. */
function growth(before: number[][], after: number[][]): number[][] {
  return after.map((counts, index) => counts.map((count, source) => count - before[index]![source]!));
}

async function areLocal({ gateways }: IsolatedGateways): Promise<number[]> {
  return Promise.all(gateways.map((gateway) => metricOf(gateway, "nts_rate_limit_local")));
}

/** When a gateway last logged that Redis is back, in milliseconds of the epoch; the log is written a moment later. */
async function backAt({ logFile }: ProcessHandle): Promise<number> {
  let last: string | undefined;
  await until(async () => {
    const lines = (await readFile(logFile, "utf8")).split("\n");
    last = lines.findLast((line) => /"redis is (unavailable|available again)/.test(line));
    return last?.includes("redis is available again") === true;
  });
  return Date.parse((JSON.parse(last ?? "") as { time: string }).time);
}

/** Steps from Redis's return to its use that may be delayed: reconnecting, its pause, a probe and its timeout. */
const STEPS = 5;

let world: IsolatedGateways;

beforeAll(async () => {
  // On a busy machine even a healthy Redis may be slow.
  world = await startIsolatedGateways({
    gateways: 2,
    redisNetwork: true,
    env: { REDIS_PATIENCE_MS: "500", RATE_LIMIT_BURST: String(BURST) },
  });
});

afterAll(async () => {
  await world.stop();
});

/** Sends requests sequentially, to both gateways in turn. */
async function sendOneByOne(count: number, headers: Record<string, string>): Promise<number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn++) statuses.push((await sendTo(world, turn, headers)).status);
  return statuses;
}

/** A key with a full bucket that both gateways have verified. */
async function aCheckedKey(): Promise<StubCredential> {
  const key = world.stub.aKey();
  expect(await sendOneByOne(2, key.headers)).toEqual([200, 200]);
  await sleep(REFILLED_MS);
  return key;
}

async function expectLimit(key: StubCredential, gateways: number, share: number): Promise<void> {
  const { passed, seconds } = await sendMany(world, MANY, key);
  expect(passed).toBeGreaterThanOrEqual(gateways * BURST * share);
  expect(passed).toBeLessThanOrEqual(gateways * Math.ceil((BURST + seconds * PER_SECOND) * share));
}

/** Over both gateways together, by Redis alone: a late response of Redis on a busy machine voids the attempt. */
async function expectExactLimit(): Promise<void> {
  for (;;) {
    await untilNoneIsLocal();
    const key = await aCheckedKey();
    const before = await levelCountsOf(world);
    const { passed, seconds } = await sendMany(world, MANY, key);
    if (growth(before, await levelCountsOf(world)).some(([, late, local]) => late! + local! > 0)) continue;
    expect(passed).toBeGreaterThanOrEqual(BURST);
    expect(passed).toBeLessThanOrEqual(BURST + Math.ceil(seconds * PER_SECOND));
    return;
  }
}

/** The metric includes the time between its samples. */
const LAG_SAMPLES_SECONDS = 0.1;

/** @returns the longest event loop delay of a gateway meanwhile, in seconds */
async function untilNoneIsLocal(): Promise<number> {
  let longest = 0;
  await until(async () => {
    for (const gateway of world.gateways)
      longest = Math.max(longest, (await metricOf(gateway, "nodejs_eventloop_lag_max_seconds")) - LAG_SAMPLES_SECONDS);
    return (await areLocal(world)).every((local) => local === 0);
  }, 100);
  return longest;
}

async function expectBack(since: number): Promise<void> {
  const late = await untilNoneIsLocal();
  for (const gateway of world.gateways)
    expect((await backAt(gateway)) - since).toBeLessThanOrEqual(BACK_MS + STEPS * 1_000 * late);
}

describe("the rate limit without Redis: shares", () => {
  it.each(REDIS_FAULTS.slice(0, FAULTS))(
    "fails no request while Redis $what, delays one per gateway, shares the limit, and is exact soon after its return",
    async (fault) => {
      await untilNoneIsLocal();
      const [known, fresh] = await Promise.all([aCheckedKey(), aCheckedKey()]);
      const before = await levelCountsOf(world);
      await fault.begin(world);
      try {
        expect(await sendOneByOne(20, known.headers)).toEqual(Array(20).fill(200));
        for (const [redis, waited, local] of growth(before, await levelCountsOf(world))) {
          expect([redis, waited]).toEqual([0, 1]);
          expect(local).toBeGreaterThanOrEqual(9);
        }
        expect(await areLocal(world)).toEqual([1, 1]);
        await expectLimit(fresh, 2, 1 / 2);
      } finally {
        await fault.end(world);
      }
      await expectBack(Date.now());
      await expectExactLimit();
    },
  );

  it("enforces each gateway's share of the last known level, by the number of gateways from the lease", async () => {
    const { servers, stub, gateways } = world;
    await untilNoneIsLocal();
    const known = await aCheckedKey();
    const fresh = await Promise.all([aCheckedKey(), aCheckedKey(), aCheckedKey()]);
    const startedAt = performance.now();
    await sendMany(world, 20, known);
    // Each gateway knows the last level that Redis returned to it, possibly before the other gateway's last request.
    expect(await sendOneByOne(2, known.headers)).toEqual([200, 200]);
    await servers.redis.kill();
    try {
      for (const turn of [0, 1]) {
        const { remaining } = levelOf(await sendTo(world, turn, known.headers));
        const refilled = ((performance.now() - startedAt) / 1000) * PER_SECOND;
        expect(remaining).toBeLessThanOrEqual(Math.ceil((BURST - 20 + refilled) / 2));
      }
      for (const live of [3, 1, 2]) {
        stub.setLiveGateways(live);
        for (const gateway of gateways)
          await until(async () => (await metricOf(gateway, "nts_gateways_active")) === live);
        await expectLimit(fresh.pop()!, 2, 1 / live);
      }
    } finally {
      stub.setLiveGateways(2);
      await servers.redis.restart();
    }
  });
});

describe("the rate limit without Redis: recovery", () => {
  it("stays on Redis while it is flushed, and is exact", async () => {
    await untilNoneIsLocal();
    const key = await aCheckedKey();
    const before = await levelCountsOf(world);
    const statuses = sendOneByOne(30, key.headers);
    for (let time = 0; time < 5; time++) await sendToRedis(world, ["FLUSHALL"], ["SCRIPT", "FLUSH"]);
    expect(await statuses).toEqual(Array(30).fill(200));
    for (const [, waited, local] of growth(before, await levelCountsOf(world))) expect([waited, local]).toEqual([0, 0]);
    await sendToRedis(world, ["FLUSHALL"], ["SCRIPT", "FLUSH"]);
    await expectExactLimit();
  });

  const disturbances = [
    ["is restarted", () => world.servers.redis.kill().then(() => world.servers.redis.restart())],
    ["is stopped and started", () => world.servers.redis.stop().then(() => world.servers.redis.restart())],
    ["resets its connections", () => world.redisNetwork?.cut()],
  ] as const;
  it.each(disturbances.slice(0, FAULTS))(
    "fails no request while Redis %s, and is exact soon",
    async (_what, disturb) => {
      await untilNoneIsLocal();
      const key = await aCheckedKey();
      const returned = { at: 0 };
      const disturbance = Promise.resolve(disturb()).then(() => (returned.at = Date.now()));
      while (returned.at === 0) {
        expect(await sendOneByOne(2, key.headers)).toEqual([200, 200]);
        await sleep(50); // its own limit is not tested here
      }
      await disturbance;
      expect(await sendOneByOne(20, key.headers)).toEqual(Array(20).fill(200));
      await expectBack(returned.at);
      await expectExactLimit();
    },
  );
});

describe("a gateway with the default Redis timeout", () => {
  it("starts without Redis, delays the first request by 25 ms, and the next ones not at all", async () => {
    const world = await startIsolatedGateways();
    try {
      const [gateway] = world.gateways;
      const { headers } = world.stub.aKey();
      await world.servers.redis.kill();
      await gateway!.restart();
      expect((await sendTo(world, 0, headers)).status).toBe(200);
      await world.servers.redis.restart();

      // Repeated on a machine that is too busy: then Redis does not respond before, or the gateway is late.
      await until(async () => {
        await until(async () => (await areLocal(world))[0] === 0);
        const before = await waitsOf(gateway!);
        world.servers.redis.pause();
        expect((await sendTo(world, 0, headers)).status).toBe(200);
        const after = await waitsOf(gateway!);
        world.servers.redis.resume();
        if (after.count - before.count !== 1) return false;
        const waited = after.seconds - before.seconds;
        expect(waited).toBeGreaterThan(0.024);
        return waited < 0.045;
      });
    } finally {
      await world.stop();
    }
  });

  /** Timed out waits. */
  async function waitsOf(gateway: ProcessHandle): Promise<{ count: number; seconds: number }> {
    const source = "local_after_redis";
    return {
      count: await metricOf(gateway, "nts_rate_limit_duration_seconds_count", { source }),
      seconds: await metricOf(gateway, "nts_rate_limit_duration_seconds_sum", { source }),
    };
  }
});
