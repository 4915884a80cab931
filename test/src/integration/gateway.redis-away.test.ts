import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import { levelOf, sendMany, sendTo } from "../support/levels.js";
import { type LoneGateways, metricOf, startLoneGateways } from "../support/lone-gateways.js";

const BURST = 150;

// What a first request may wait beyond its usual time, on a machine that is busy with tests.
const SOON_MS = 250;

describe("the rate limit without Redis", () => {
  let world: LoneGateways;

  beforeAll(async () => {
    world = await startLoneGateways({ gateways: 2 });
  });

  afterAll(async () => {
    await world.stop();
  });

  it("serves on while Redis is away, sharing the allowance, and is exact again within two seconds of its return", async () => {
    const { servers, neighbour, gateways } = world;
    const known = neighbour.aKey();
    const unseen = neighbour.aKey();
    await sendMany(world, 60, known);
    await servers.redis.kill();
    try {
      const first = performance.now();
      expect((await sendTo(world, 0, known.headers)).status).toBe(200);
      expect(performance.now() - first).toBeLessThan(SOON_MS);
      expect(await metricOf(gateways[0]!, "nts_rate_limit_local")).toBe(1);
      const { passed } = await sendMany(world, 400, unseen);
      expect(passed).toBeGreaterThanOrEqual(BURST);
      expect(passed).toBeLessThanOrEqual(BURST + 15);
      expect(levelOf(await sendTo(world, 0, known.headers)).remaining).toBeLessThanOrEqual(65);
    } finally {
      await servers.redis.restart();
    }
    await sleep(2_000);
    for (const gateway of gateways) expect(await metricOf(gateway, "nts_rate_limit_local")).toBe(0);
  });

  it("fails no request while Redis hangs", async () => {
    const { servers, neighbour, gateways } = world;
    const key = neighbour.aKey();
    await sendMany(world, 4, key);
    servers.redis.pause();
    try {
      const begun = performance.now();
      expect((await sendTo(world, 0, key.headers)).status).toBe(200);
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      const again = performance.now();
      for (let index = 0; index < 20; index += 2) expect((await sendTo(world, index, key.headers)).status).toBe(200);
      expect(performance.now() - again).toBeLessThan(500);
    } finally {
      servers.redis.resume();
    }
    await sleep(2_000);
    expect(await metricOf(gateways[0]!, "nts_rate_limit_local")).toBe(0);
  });
});
