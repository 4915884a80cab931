import { describe, expect, it } from "@jest/globals";
import { createShares } from "./shares.js";

describe("shares: background work", () => {
  it("begins at once while no request is in progress", async () => {
    const startedAt = performance.now();
    await createShares().idle(60_000);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it("begins when the last request of any organization has ended", async () => {
    const shares = createShares();
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const requests = ["one", "other"].map((organization) =>
      shares
        .use(organization, () => new Promise<void>((resolve) => ends.push(resolve)))
        .then(() => log.push(organization)),
    );
    const sweep = shares.idle(60_000).then(() => log.push("sweep"));
    ends[0]?.();
    await requests[0];
    ends[1]?.();
    await Promise.all([...requests, sweep]);
    expect(log[0]).toBe("one");
    expect(log.slice(1).sort()).toEqual(["other", "sweep"]);
  });

  it("begins after a while although there are always requests", async () => {
    const shares = createShares();
    let end = (): void => undefined;
    const request = shares.use("one", () => new Promise<void>((resolve) => (end = resolve)));
    await shares.idle(10);
    end();
    await request;
  });
});

describe("shares: streams of one organization", () => {
  it("wait for each other, and not for those of others", async () => {
    const shares = createShares({ streams: 1 });
    const close = await shares.openStream("one");
    const next = shares.openStream("one");
    (await shares.openStream("other"))();
    close();
    (await next)();
  });

  it("are rejected with the rate limit when they have waited too long, although none has ended", async () => {
    const shares = createShares({ streams: 1, streamWaitMs: 20 });
    await shares.openStream("one");
    await expect(shares.openStream("one")).rejects.toMatchObject({
      code: "rate_limited",
      params: { retry_after_seconds: 1 },
    });
  });
});

describe("shares: a task that waits for too long", () => {
  const WAIT_MS = 40;
  const forever = () => new Promise<never>(() => undefined);

  it("fails as unavailable if none of its organization ends meanwhile", async () => {
    const shares = createShares({ operations: 1, waitMs: WAIT_MS });
    void shares.use("one", forever);
    await expect(shares.use("one", forever)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("is rejected with the rate limit if others end, for which it waits", async () => {
    const shares = createShares({ operations: 1, waitMs: WAIT_MS });
    let end = (): void => undefined;
    const first = shares.use("one", () => new Promise<void>((resolve) => (end = resolve)));
    void shares.use("one", forever);
    const last = shares.use("one", forever);
    end();
    await first;
    await expect(last).rejects.toMatchObject({ code: "rate_limited", params: { retry_after_seconds: 1 } });
  });
});
