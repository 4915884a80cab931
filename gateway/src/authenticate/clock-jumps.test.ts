import { afterEach, describe, expect, it } from "@jest/globals";
import type { KeyChanges, Verification } from "@nts/shared/contract/internal";
import { createLog } from "@nts/shared/log";
import { createManualClock } from "./testing/manual-clock.js";
import { createChangeLog } from "./change-log.js";
import type { Credential } from "./credential.js";
import { createKeyCache } from "./key-cache.js";
import { followKeyChanges, type KeyChangeFollower } from "./key-changes.js";
import { createLease } from "./lease.js";
import { createVerifier } from "./verifier.js";

// The gateway's lease, cache, verifier and change log on a machine whose wall clock is set, and whose monotonic clock
// stands still while it is suspended.

const HOUR_MS = 3_600_000;
const key: Credential = { kind: "key", hash: "a" };
const cause = { requestId: "request-1", traceparent: "" };
const request = { cause, clientAddress: "192.0.2.1" };
const free = () => null;
const started: KeyChangeFollower[] = [];

afterEach(() => {
  for (const follower of started.splice(0)) follower.stop();
});

const nothingNew: KeyChanges = { changes: [], highest: 0, reset: false, live_gateways: 1 };

function valid(expires_in_ms: number | null): Verification {
  const ids = {
    credential_id: "key-1",
    organization_id: "organization-1",
    user_id: "user-1",
    email: "ada@example.com",
  };
  const principal = { kind: "key", ...ids, permission: "Member", networks: "all" } as const;
  return { status: "valid", number: 0, expires_in_ms, principal };
}

/** A gateway with a fresh lease and one cached key; `respondToPull` decides the results of further polls. */
async function aGateway(expiresInMs: number | null = null) {
  const clock = createManualClock();
  const lease = createLease(clock);
  const changes = createChangeLog();
  const cache = createKeyCache(clock);
  const log = createLog("test", "silent");
  const observer = { lookedUp: () => undefined, verified: () => undefined, servedStale: () => undefined };
  let questions = 0;
  const verifier = createVerifier({
    atATime: 64,
    ask: () => {
      questions += 1;
      return Promise.resolve(valid(expiresInMs));
    },
    ...{ cache, lease, changes, clock, staleMs: 30_000, log, observer },
  });
  const pulls: ((response: KeyChanges) => void)[] = [];
  const bus = { publish: () => undefined, subscribe: () => undefined };
  const pull = (): Promise<KeyChanges> => new Promise((resolve) => pulls.push(resolve));
  const options = {
    gatewayId: "g",
    pull,
    pullAtRest: pull,
    hasStreams: () => true,
    verifier,
    changes,
    lease,
    bus,
    clock,
    log,
  };
  started.push(followKeyChanges(options));
  /** Responds to the pending poll, and waits for the next one. */
  const respondToPull = async (response: KeyChanges = nothingNew): Promise<void> => {
    const count = pulls.length;
    pulls.at(-1)?.(response);
    while (pulls.length === count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await respondToPull();
  await verifier.verify(key, request, free);
  return { clock, verifier, respondToPull, questions: () => questions };
}

describe("a gateway whose clocks jump", () => {
  it("does not extend the lifetime of cached credentials when its wall clock is set back by an hour", async () => {
    const { clock, verifier } = await aGateway();
    clock.passOnWall(-HOUR_MS);
    expect(verifier.recall(key)).not.toBeNull();
    clock.pass(1_000);
    expect(verifier.recall(key)).toBeNull();
  });

  it("verifies again when its wall clock is set forward, and serves again under the next lease", async () => {
    const { clock, verifier, respondToPull, questions } = await aGateway();
    clock.passOnWall(1_000);
    clock.pass(200);
    expect(verifier.recall(key)).toBeNull();
    await respondToPull();
    expect(verifier.recall(key)).toBeNull();
    await respondToPull();
    expect(verifier.recall(key)).not.toBeNull();
    expect(questions()).toBe(1);
  });

  it("gets no lease from a response that was in flight while it was suspended", async () => {
    const { clock, verifier, respondToPull } = await aGateway();
    clock.passOnWall(10_000);
    await respondToPull();
    expect(verifier.recall(key)).toBeNull();
  });

  it("applies changes made during its suspension before it serves anything", async () => {
    const { clock, verifier, respondToPull } = await aGateway();
    clock.passOnWall(10_000);
    await respondToPull();
    await respondToPull({ ...nothingNew, changes: [{ number: 1, subjects: ["key-1"] }], highest: 1 });
    expect(verifier.recall(key)).toBeNull();
  });

  it("respects the expiry of a key, whichever clock stops or goes back", async () => {
    for (const jumpMs of [-HOUR_MS, 0]) {
      const { clock, verifier, respondToPull } = await aGateway(5_000);
      clock.passOnWall(jumpMs);
      clock.pass(4_999);
      await respondToPull();
      await respondToPull();
      expect(verifier.recall(key)).not.toBeNull();
      clock.pass(1);
      expect(verifier.recall(key)).toBeNull();
    }
    const suspended = await aGateway(5_000);
    suspended.clock.passOnWall(5_000);
    await suspended.respondToPull();
    await suspended.respondToPull();
    expect(suspended.verifier.recall(key)).toBeNull();
  });

  it("still gets leases after its wall clock was set back", async () => {
    const { clock, verifier, respondToPull } = await aGateway();
    clock.passOnWall(-HOUR_MS);
    clock.pass(200);
    await respondToPull();
    await respondToPull();
    clock.pass(900);
    expect(verifier.recall(key)).not.toBeNull();
  });
});
