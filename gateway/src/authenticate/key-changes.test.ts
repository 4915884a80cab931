import { afterEach, describe, expect, it } from "@jest/globals";
import type { KeyChanges } from "@nts/shared/contract/internal";
import { createLog } from "@nts/shared/log";
import { createManualClock } from "./testing/manual-clock.js";
import { createChangeLog } from "./change-log.js";
import { followKeyChanges, type KeyChangeFollower } from "./key-changes.js";
import { createLease } from "./lease.js";

const UNUSED_MS = 3_000;

const started: KeyChangeFollower[] = [];
afterEach(() => {
  for (const follower of started.splice(0)) follower.stop();
});

interface Poll {
  readonly kind: "pull" | "at rest";
  readonly gateway: string;
  readonly isPatient: boolean;
  readonly respond: (response: KeyChanges) => void;
  readonly fail: (error: Error) => void;
}

function aFollower(hasStreams = false) {
  const clock = createManualClock();
  const changes = createChangeLog();
  const log = createLog("test", "silent");
  const lease = createLease(clock);
  const polls: Poll[] = [];
  const forgotten: string[] = [];
  const poll = (kind: Poll["kind"]) => (_after: number, gateway: string, isPatient: boolean) =>
    new Promise<KeyChanges>((respond, fail) => polls.push({ kind, gateway, isPatient, respond, fail }));
  const follower = followKeyChanges({
    ...{ gatewayId: "g", pull: poll("pull"), pullAtRest: poll("at rest"), hasStreams: () => hasStreams },
    verifier: { forget: (subjects) => void forgotten.push(...subjects), forgetAll: () => undefined },
    bus: { publish: () => undefined, subscribe: () => undefined },
    ...{ changes, lease, clock, log },
  });
  started.push(follower);
  return {
    ...{ clock, lease, follower, forgotten, polls },
    next,
    /** Lets time pass without requests, during which polls renew the lease. @returns the last poll */
    rest: async (): Promise<Poll> => {
      clock.pass(UNUSED_MS - 100);
      await next();
      clock.pass(100);
      return next();
    },
  };

  /** Responds to the pending poll. @returns the next one */
  async function next(changed: KeyChanges["changes"] = []): Promise<Poll> {
    const count = polls.length;
    const highest = Math.max(changes.applied(), ...changed.map(({ number }) => number));
    polls.at(-1)?.respond({ changes: changed, highest, reset: false, live_gateways: 1 });
    while (polls.length === count) await new Promise((resolve) => setTimeout(resolve, 5));
    return polls.at(-1)!;
  }
}

describe("an idle gateway", () => {
  it("releases its lease before it notifies identity, and gets none until the next request", async () => {
    const { lease, follower, next, rest } = aFollower();
    await next();
    expect(lease.isAlive()).toBe(true);
    expect(await rest()).toMatchObject({ kind: "at rest" });
    expect([lease.isAlive(), follower.isAtRest()]).toEqual([false, true]);
    follower.use();
    expect(follower.isAtRest()).toBe(false);
    // The response to the poll at rest comes after the request, and still grants nothing.
    expect(await next()).toMatchObject({ kind: "pull" });
    expect(lease.isAlive()).toBe(false);
    await next();
    expect(lease.isAlive()).toBe(true);
  });

  it("registers under a new name when it becomes active, so that a late idle poll cannot deregister it", async () => {
    const { follower, next, rest } = aFollower();
    const first = await next();
    const atRest = await rest();
    follower.use();
    const second = await next();
    expect(atRest.gateway).toBe(first.gateway);
    expect(second.gateway).not.toBe(first.gateway);
  });

  it("applies changes that it missed while idle before it gets a lease", async () => {
    const { lease, follower, forgotten, next, rest } = aFollower();
    await next();
    await rest();
    follower.use();
    await next();
    expect([forgotten, lease.isAlive()]).toEqual([[], false]);
    await next([{ number: 1, subjects: ["key-1"] }]);
    expect([forgotten, lease.isAlive()]).toEqual([["key-1"], true]);
  });

  it("keeps its lease while streams are open", async () => {
    const { lease, next, rest } = aFollower(true);
    await next();
    expect(await rest()).toMatchObject({ kind: "pull" });
    await next();
    expect(lease.isAlive()).toBe(true);
  });
});

describe("a gateway whose identity is slow", () => {
  it("waits longer after a timeout, so that identity is known to be there, but gets no lease from a late response", async () => {
    const { clock, lease, follower, polls, next } = aFollower(true);
    expect((await next()).isPatient).toBe(false);
    polls.at(-1)?.fail(new Error("timeout"));
    expect((await next()).isPatient).toBe(true);
    clock.pass(2_000);
    expect((await next()).isPatient).toBe(false);
    expect([follower.sinceResponseMs(), lease.isAlive()]).toEqual([0, false]);
  });
});
