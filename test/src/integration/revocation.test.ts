import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { REVOCATIONS, type Prepare } from "../support/right-changes.js";
import { runPass } from "../support/revocation-pass.js";
import { startRevocableSystem, type RevocableSystem } from "../support/revocable.js";

// The short form of `npm run long -- revocation`.

const UNLIMITED = { RATE_LIMIT_BURST: "1000000", ANONYMOUS_RATE_LIMIT_BURST: "1000000" };

const kinds = [...REVOCATIONS.values()].filter((prepare): prepare is Prepare => prepare !== null);
let system: RevocableSystem;
let urls: string[];

beforeAll(async () => {
  system = await startRevocableSystem({ gateways: 2, identities: 2, env: UNLIMITED });
  urls = system.stack.gateways.map(({ url }) => url);
});

afterAll(async () => {
  await system.stop();
});

/** Every change succeeds at once, and revokes what it should. */
async function expectRevoked(faults: { fault?: () => void; recover?: () => void }): Promise<void> {
  const outcomes = await runPass({ urls, kinds, tools: system.tools, through: system.stack.url, ...faults });
  expect(outcomes.filter(({ attempts }) => attempts > 1)).toEqual([]);
  expect(outcomes.filter(({ after, unanswered }) => after - unanswered < 8)).toEqual([]);
  expect(outcomes.filter(({ accepted }) => accepted > 0)).toEqual([]);
}

describe("a revocation is effective on every gateway when its response arrives", () => {
  it("while all components are available", async () => {
    await expectRevoked({});
  });

  it("while the bus hangs, and leases end instead", async () => {
    const { nats } = system.stack.servers;
    await expectRevoked({ fault: nats.pause, recover: nats.resume });
  });
});
