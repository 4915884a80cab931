import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startStack, type Stack, type StackProcess } from "../support/stack.js";
import { startSteadyLoad } from "../support/steady-load.js";
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

/** The allowed failures of a killed service: a write that was not sent, or that may have happened; no read. */
const WRITE_THAT_MAY_BE_LOST = /^(?:502 .*"code":"upstream_failed"|503 .*"code":"unavailable")/;

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
    const writes = ofServices.filter(({ what, how }) => !what.startsWith("GET") && WRITE_THAT_MAY_BE_LOST.test(how));
    expect(ofServices).toEqual(writes);
    expect(lostWrites).toEqual([]);
  });
});
