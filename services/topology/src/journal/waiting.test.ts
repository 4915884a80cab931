import { describe, expect, it } from "@jest/globals";
import { createWaiting, waitFor } from "./waiting.js";

describe("waiting for changes", () => {
  const isOver = (): boolean => false;
  const isThere = (found: number): boolean => found > 0;

  it("finds a change whose notice arrived before the wait", async () => {
    const waiting = createWaiting();
    waiting.wake("organization", null);
    const waiter = waiting.begin("user", "organization", "all");
    let looks = 0;
    const look = (): Promise<number> => Promise.resolve(++looks);
    expect(await waitFor(waiter, { seconds: 0.1, isOver, look, isThere })).toBe(1);
  });

  it("reads again when it is woken, also during a read", async () => {
    const waiting = createWaiting();
    const waiter = waiting.begin("user", "organization", "all");
    let looks = 0;
    const look = (): Promise<number> => {
      waiting.wake("organization", null);
      return Promise.resolve(++looks < 3 ? 0 : looks);
    };
    expect(await waitFor(waiter, { seconds: 4, isOver, look, isThere })).toBe(3);
  });

  it("returns nothing at the timeout, and wakes no waiter of other networks", async () => {
    const waiting = createWaiting();
    const waiter = waiting.begin("user", "organization", new Set(["home"]));
    let looks = 0;
    const look = (): Promise<number> => {
      looks += 1;
      waiting.wake("organization", new Set(["office"]));
      return Promise.resolve(0);
    };
    expect(await waitFor(waiter, { seconds: 0.05, isOver, look, isThere })).toBe(0);
    expect(looks).toBe(2);
  });
});
