import { describe, expect, it } from "@jest/globals";
import { createManualClock } from "../manual-clock.js";
import { createLease } from "./lease.js";

describe("a lease", () => {
  it("is dead until it is renewed", () => {
    expect(createLease(createManualClock()).isAlive()).toBe(false);
  });

  it("lasts one second from the moment of asking, not of the answer", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    const askedAt = clock.now();
    clock.pass(400);
    lease.renew(askedAt);
    clock.pass(599);
    expect(lease.isAlive()).toBe(true);
    clock.pass(1);
    expect(lease.isAlive()).toBe(false);
  });

  it("is dead after a suspension, during which the monotonic clock stood still", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    lease.renew(clock.now());
    clock.passOnWall(1_000);
    expect(lease.isAlive()).toBe(false);
  });

  it("is not prolonged by a wall clock that is set back", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    lease.renew(clock.now());
    clock.passOnWall(-60_000);
    expect(lease.isAlive()).toBe(true);
    clock.pass(1_000);
    expect(lease.isAlive()).toBe(false);
  });

  it("is not shortened by an answer that was overtaken", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    const early = clock.now();
    clock.pass(900);
    lease.renew(clock.now());
    lease.renew(early);
    clock.pass(500);
    expect(lease.isAlive()).toBe(true);
  });

  it("never lives again once it was given up", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    lease.renew(clock.now());
    lease.end();
    expect(lease.isAlive()).toBe(false);
    clock.pass(1);
    lease.renew(clock.now());
    expect(lease.isAlive()).toBe(false);
  });
});
