import { describe, expect, it } from "@jest/globals";
import { createFillTimes, createLocalBuckets } from "./local.js";

const allowance = { perMinute: 300, burst: 150 };

function buckets(sharers = 1) {
  let now = 5_000;
  return {
    ...createLocalBuckets(
      allowance,
      () => sharers,
      () => now,
    ),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

function takeAll(from: ReturnType<typeof buckets>): number {
  let taken = 0;
  while (from.take("a").allowed) taken++;
  return taken;
}

describe("local buckets", () => {
  it("release a full burst at once, then one token every 200 ms", () => {
    const bucket = buckets();
    expect(takeAll(bucket)).toBe(150);
    bucket.pass(199);
    expect(takeAll(bucket)).toBe(0);
    bucket.pass(1);
    expect(takeAll(bucket)).toBe(1);
  });

  it("release this gateway's share of the allowance", () => {
    const bucket = buckets(3);
    expect(takeAll(bucket)).toBe(50);
    bucket.pass(6_000);
    expect(takeAll(bucket)).toBe(10);
  });

  it("start from the level that Redis reported last", () => {
    const bucket = buckets(2);
    bucket.learn("a", 20_000);
    expect(bucket.take("a")).toMatchObject({ allowed: true, remaining: 24, fullInMs: 20_400 });
    expect(takeAll(bucket)).toBe(24);
  });

  it("report the level, and the wait when no token is left", () => {
    const bucket = buckets();
    expect(bucket.take("a")).toEqual({
      allowed: true,
      limit: 300,
      burst: 150,
      remaining: 149,
      waitMs: 0,
      fullInMs: 200,
    });
    takeAll(bucket);
    expect(bucket.take("a")).toEqual({
      allowed: false,
      limit: 300,
      burst: 150,
      remaining: 0,
      waitMs: 200,
      fullInMs: 30_000,
    });
  });

  it("have plenty while half of a full bucket is left of the last known level", () => {
    const bucket = buckets(2);
    expect(bucket.hasPlenty("a")).toBe(false);
    bucket.learn("a", 15_000);
    expect(bucket.hasPlenty("a")).toBe(false);
    bucket.pass(1);
    expect(bucket.hasPlenty("a")).toBe(true);
    bucket.take("a");
    expect(bucket.hasPlenty("a")).toBe(false);
  });

  it("release one token also when the share is less than one", () => {
    const bucket = buckets(1_000);
    expect(takeAll(bucket)).toBe(1);
  });

  it("take returned tokens back, and never exceed their capacity", () => {
    const bucket = buckets(3);
    expect(takeAll(bucket)).toBe(50);
    bucket.giveBack("a", 2);
    expect(takeAll(bucket)).toBe(2);
    bucket.giveBack("a", 1_000);
    expect(takeAll(bucket)).toBe(50);
  });

  it("keep the level of a caller whose limit is changed, who waits for one token at most", () => {
    const fullAt = createFillTimes();
    const [wide, narrow] = [allowance, { perMinute: 10, burst: 1 }].map((one) =>
      createLocalBuckets(
        one,
        () => 1,
        () => 5_000,
        fullAt,
      ),
    );
    for (let taken = 0; taken < 100; taken++) wide?.take("a");
    expect(narrow?.take("a")).toEqual({
      allowed: false,
      limit: 10,
      burst: 1,
      remaining: 0,
      waitMs: 6_000,
      fullInMs: 6_000,
    });
    expect(narrow?.take("b")).toMatchObject({ allowed: true });
  });
});
