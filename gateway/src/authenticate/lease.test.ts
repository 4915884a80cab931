import { describe, expect, it } from "@jest/globals";
import { createManualClock } from "./testing/manual-clock.js";
import { createLease } from "./lease.js";

describe("a lease", () => {
  it("is invalid until it is renewed", () => {
    expect(createLease(createManualClock()).isAlive()).toBe(false);
  });

  it("lasts one second from the request for it, not from the response", () => {
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

  it("is invalid after a suspension during which the monotonic clock stood still", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    lease.renew(clock.now());
    clock.passOnWall(1_000);
    expect(lease.isAlive()).toBe(false);
  });

  it("is not extended when the wall clock is set back", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    lease.renew(clock.now());
    clock.passOnWall(-60_000);
    expect(lease.isAlive()).toBe(true);
    clock.pass(1_000);
    expect(lease.isAlive()).toBe(false);
  });

  it("is not shortened by a late response", () => {
    const clock = createManualClock();
    const lease = createLease(clock);
    const early = clock.now();
    clock.pass(900);
    lease.renew(clock.now());
    lease.renew(early);
    clock.pass(500);
    expect(lease.isAlive()).toBe(true);
  });

  it("never becomes valid again once it was released permanently", () => {
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
