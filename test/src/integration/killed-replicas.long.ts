import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startStack, type Stack } from "../support/stack.js";
import { isWriteThatMayBeLost, startSteadyLoad } from "../support/steady-load.js";
import { UNLIMITED } from "../support/unlimited.js";

// Two replicas of each process, under load; rolling restarts are in the long tier.

const NORMAL_AFTER_MS = 2_000;

/** Other suites share the processors. */
const LOAD = { workers: 4, pauseMs: 500 };
/** The minimum number of requests of a load. */
const RESPONSES = 100;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, identities: 2, topologies: 2, env: UNLIMITED });
});

afterAll(async () => {
  await stack.stop();
});

describe("a killed replica", () => {
  it.each(["topologies", "identities", "gateways"] as const)(
    "loses no acknowledged write, and %s are back to normal 2 s later",
    async (kind) => {
      const load = await startSteadyLoad(stack, LOAD);
      const [replica] = stack[kind];
      await sleep(500);
      const killedAt = performance.now();
      await replica!.kill();
      await sleep(1.5 * NORMAL_AFTER_MS);
      await replica!.restart();
      await sleep(1_000);
      await load.untilResponses(RESPONSES);
      const report = await load.stop();
      const normalAt = killedAt + NORMAL_AFTER_MS;
      expect(report.lost.filter(({ endedAt }) => endedAt < killedAt || endedAt > normalAt)).toEqual([]);
      if (kind !== "gateways") {
        const writes = report.lost.filter(isWriteThatMayBeLost);
        expect(report.lost).toEqual(writes);
      }
      expect(report.lostWrites).toEqual([]);
    },
  );
});
