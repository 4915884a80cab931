import { describe, expect, it } from "@jest/globals";
import { batchPerTick } from "./batching.js";

describe("calls batched within one tick of the event loop", () => {
  function counting() {
    const calls: [string, number][] = [];
    const ask = batchPerTick(({ key, count }) => {
      calls.push([key, count]);
      if (key === "broken") return Promise.reject(new Error("gone"));
      return Promise.resolve(Array.from({ length: count }, (_, index) => `${key} ${index}`));
    });
    return { calls, ask };
  }

  it("are made once per key, with results in the order of the calls", async () => {
    const { calls, ask } = counting();
    expect(await Promise.all([ask("a"), ask("b"), ask("a"), ask("a")])).toEqual(["a 0", "b 0", "a 1", "a 2"]);
    expect(calls).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });

  it("do not wait for calls of a later tick", async () => {
    const { calls, ask } = counting();
    await ask("a");
    await ask("a");
    expect(calls).toEqual([
      ["a", 1],
      ["a", 1],
    ]);
  });

  it("fail for all callers of the batch, and for no others", async () => {
    const { ask } = counting();
    const ends = await Promise.allSettled([ask("broken"), ask("a"), ask("broken")]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
  });
});
