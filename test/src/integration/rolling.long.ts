import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Mailbox, startMailbox } from "../support/mailbox.js";
import { inRolloutOrder, GRACEFUL_SHUTDOWN, restartOneOfEachKind } from "../support/rolling.js";
import { startStack, type Stack } from "../support/stack.js";
import { startSteadyLoad } from "../support/steady-load.js";

// Two replicas of each process, under load. `npm run long -- rolling` has ten rounds, each process separately; killed
// replicas are in the short tier.

/** Other suites share the processors. */
const LOAD = { workers: 4, pauseMs: 500 };
/** The minimum number of requests of a load. */
const RESPONSES = 100;

let stack: Stack;
let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
  stack = await startStack({
    gateways: 2,
    identities: 2,
    topologies: 2,
    env: { ...GRACEFUL_SHUTDOWN, ...mailbox.env },
  });
});

afterAll(async () => {
  await stack.stop();
  await mailbox.stop();
});

describe("a rolling restart of every process", () => {
  it("loses no request and no mail, admits and rejects the same credentials, and ends each process with 0", async () => {
    const load = await startSteadyLoad(stack, { ...LOAD, archives: true, mailbox });
    const exits = await restartOneOfEachKind(stack);
    await load.untilResponses(RESPONSES);
    const report = await load.stop();
    expect(report.lost).toEqual([]);
    expect(report.lostWrites).toEqual([]);
    expect(exits).toEqual(inRolloutOrder(stack).map(() => ({ code: 0, signal: null })));
  });
});
