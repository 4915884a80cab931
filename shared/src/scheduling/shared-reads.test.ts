import { describe, expect, it } from "@jest/globals";
import { createSharedReads } from "./queued-reads.js";

/** A read that takes some milliseconds, and logs its beginning and end. */
function aRead(log: string[], name: string, ms: number) {
  return async (): Promise<number> => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    log.push(`${name} ends`);
    return log.filter((line) => line === `${name} begins`).length;
  };
}

describe("shared-reads: concurrent reads of the same data", () => {
  it("are shared by callers that arrive before the read begins, and repeated for later callers", async () => {
    const log: string[] = [];
    const read = createSharedReads(0.5);
    const ask = (): Promise<number> => read("group", "a", aRead(log, "a", 5));
    const first = [ask(), ask()];
    await Promise.resolve();
    await Promise.resolve();
    expect(log).toEqual(["a begins"]);
    const later = [ask(), ask(), ask()];
    expect(await Promise.all([...first, ...later])).toEqual([1, 1, 2, 2, 2]);
  });

  it("are serialized within a group, and independent of other groups", async () => {
    const log: string[] = [];
    const read = createSharedReads(0.9);
    const slow = ["a", "b"].map((key) => read("group", key, aRead(log, key, 20)));
    const other = read("other", "a", aRead(log, "other", 1));
    await Promise.all([...slow, other]);
    expect(log).toEqual(["a begins", "other begins", "other ends", "a ends", "b begins", "b ends"]);
  });

  it("pause after each read in proportion to its duration, also after a failed one", async () => {
    const read = createSharedReads(0.25);
    let started = 0;
    let ended = 0;
    const failing = read("group", "a", async () => {
      started = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended = performance.now();
      throw new Error("unavailable");
    });
    await expect(failing).rejects.toThrow("unavailable");
    const next = await read("group", "a", () => Promise.resolve(performance.now()));
    expect((next - ended) / (ended - started)).toBeGreaterThan(2.5);
  });
});
