import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { levelOf, sendMany, sendTo } from "../support/levels.js";
import { type LoneGateways, startLoneGateways } from "../support/lone-gateways.js";

// A refill of 5 a second makes "exactly" a matter of the time that passed. All tests share one address, so that the one
// that empties its bucket comes last.
const BURST = 150;
const PER_SECOND = 5;
const ADDRESS_BURST = 20;

describe("the rate limit", () => {
  let world: LoneGateways;

  beforeAll(async () => {
    // On a machine that is busy with tests Redis itself may have to wait for its turn.
    world = await startLoneGateways({ gateways: 2, env: { REDIS_PATIENCE_MS: "500" } });
  });

  afterAll(async () => {
    await world.stop();
  });

  it("lets exactly the burst of 400 requests at once pass over two gateways, then exactly what comes back", async () => {
    const key = world.neighbour.aKey();
    const first = await sendMany(world, 400, key);
    expect(first.passed).toBeGreaterThanOrEqual(BURST);
    expect(first.passed).toBeLessThanOrEqual(BURST + Math.ceil(first.seconds * PER_SECOND));

    const pause = performance.now();
    await sleep(3_000);
    const pauseSeconds = (performance.now() - pause) / 1000;
    const { passed, seconds } = await sendMany(world, 100, key);
    const wholeSeconds = first.seconds + pauseSeconds + seconds;
    expect(first.passed + passed).toBeLessThanOrEqual(BURST + Math.ceil(wholeSeconds * PER_SECOND));
    expect(passed).toBeGreaterThanOrEqual(Math.floor(pauseSeconds * PER_SECOND));
  });

  it("says the level in headers that agree with one another", async () => {
    const key = world.neighbour.aKey();
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

  it("answers 429 with the seconds after which a request succeeds", async () => {
    const key = world.neighbour.aKey();
    const { answers, bodies } = await sendMany(world, 300, key);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(levelOf(answer)).toMatchObject({ limit: 300, remaining: 0, reset: 30 });
    }
    expect(bodies).toContainEqual(
      expect.objectContaining({ success: false, code: "rate_limited", params: { retry_after_seconds: 1 } }),
    );
    await sleep(1_000);
    expect((await sendTo(world, 1, key.headers)).status).toBe(200);
  });

  it("is one for all keys and sessions of a user", async () => {
    const key = world.neighbour.aKey();
    const session = world.neighbour.aSession({ user_id: key.userId });
    await sendTo(world, 0, key.headers);
    expect(levelOf(await sendTo(world, 1, session.headers)).remaining).toBe(148);
  });

  it("counts requests without a good credential against their address, and asks identity nothing for an empty one", async () => {
    const { neighbour } = world;
    const cached = neighbour.aKey();
    const fresh = neighbour.aKey();
    await sendTo(world, 0, cached.headers);
    await sendTo(world, 1, cached.headers);
    const early = [
      () => sendTo(world, 0, {}, "/nowhere"),
      () => sendTo(world, 1, {}),
      () => sendTo(world, 0, { authorization: "Bearer nts_u_nonsense" }),
      () => fetch(`${world.url}/api/v1/networks`, { method: "PATCH" }),
    ];
    const levels = [];
    for (const request of early) levels.push(levelOf(await request()));
    expect(levels.map(({ limit }) => limit)).toEqual([60, 60, 60, 60]);
    expect(levels[3]!.remaining).toBeLessThan(levels[0]!.remaining);

    const statuses = await Promise.all(
      Array.from({ length: 2 * ADDRESS_BURST }, async (_, index) => (await sendTo(world, index, {})).status),
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(ADDRESS_BURST);
    expect(statuses).toContain(429);

    const before = neighbour.verifications();
    expect((await sendTo(world, 0, fresh.headers)).status).toBe(429);
    expect(neighbour.verifications()).toBe(before);
    expect((await sendTo(world, 0, cached.headers)).status).toBe(200);
    const health = await sendTo(world, 0, {}, "/api/health");
    expect([health.status, health.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  });
});
