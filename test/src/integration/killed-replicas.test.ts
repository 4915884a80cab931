import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startStack, type Stack, type StackProcess } from "../support/stack.js";
import { isWriteThatMayBeLost, startSteadyLoad } from "../support/steady-load.js";
import { UNLIMITED } from "../support/unlimited.js";

// Two replicas of each process, under load. `npm run long -- rolling` restarts them, and the long tier limits how long a
// kill is noticed.

/** Other suites share the processors. */
const LOAD = { workers: 4, pauseMs: 500 };
/** Requests before and after each kill. */
const RESPONSES = 20;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, identities: 2, topologies: 2, env: UNLIMITED });
});

afterAll(async () => {
  await stack.stop();
});

describe("a killed replica", () => {
  it("of each service loses no read and no acknowledged write, one of the gateways no acknowledged write", async () => {
    const load = await startSteadyLoad(stack, LOAD);
    let responses = 0;
    const killAndRestart = async (replica: StackProcess): Promise<number> => {
      await load.untilResponses((responses += RESPONSES));
      const killedAt = performance.now();
      await replica.kill();
      await load.untilResponses((responses += RESPONSES));
      await replica.restart();
      return killedAt;
    };
    await killAndRestart(stack.topologies[0]!);
    await killAndRestart(stack.identities[0]!);
    const gatewayKilledAt = await killAndRestart(stack.gateways[0]!);
    await load.untilResponses((responses += RESPONSES));
    const { lost, lostWrites } = await load.stop();
    const ofServices = lost.filter(({ endedAt }) => endedAt < gatewayKilledAt);
    const writes = ofServices.filter(isWriteThatMayBeLost);
    expect(ofServices).toEqual(writes);
    expect(lostWrites).toEqual([]);
  });
});
