import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { type BatcherOptions, createBatcher } from "./batcher.js";

const LONG_MS = 20;

/** Lanes whose runs last until they are ended, in the order of their starts. */
function lanes(options: Partial<BatcherOptions<string, string>> = {}) {
  const runs: { readonly tasks: readonly string[]; readonly end: (fault?: Error) => void }[] = [];
  const batcher = createBatcher<string, string>({
    atATime: 1,
    run: (tasks) =>
      new Promise((resolve, reject) => {
        const end = (fault?: Error): void => {
          if (fault !== undefined) reject(fault);
          else resolve(tasks.map((task) => outcomeOf(task)));
        };
        runs.push({ tasks, end });
      }),
    ...options,
  });
  return { batcher, runs, started: () => runs.map(({ tasks }) => tasks.join("")) };
}

function outcomeOf(task: string): PromiseSettledResult<string> {
  return task === "x" ? { status: "rejected", reason: new Error("no") } : { status: "fulfilled", value: task };
}

describe("tasks of a key", () => {
  it("that arrive during a run are run together afterwards, and each gets its own outcome", async () => {
    const { batcher, runs, started } = lanes();
    const first = batcher("lane", "a");
    await nextTick();
    const others = Promise.allSettled(["b", "x", "c"].map((task) => batcher("lane", task)));
    await nextTick();
    expect(started()).toEqual(["a"]);
    runs[0]?.end();
    expect(await first).toBe("a");
    await nextTick();
    expect(started()).toEqual(["a", "bxc"]);
    runs[1]?.end();
    expect(await others).toEqual(["b", "x", "c"].map((task) => outcomeOf(task)));
  });

  it("that do not fit together are run one after the other, in order", async () => {
    const { batcher, runs, started } = lanes({ fits: (tasks, next) => tasks.length < 2 && next !== "c" });
    void Promise.allSettled(["a", "b", "c", "d"].map((task) => batcher("lane", task)));
    for (let n = 0; n < 3; n++) {
      await nextTick();
      runs[n]?.end();
      await nextTick();
    }
    expect(started()).toEqual(["ab", "cd"]);
  });

  it("all fail if their run fails, and further ones are run", async () => {
    const { batcher, runs, started } = lanes();
    const failed = Promise.allSettled(["a", "b"].map((task) => batcher("lane", task)));
    await nextTick();
    runs[0]?.end(new Error("down"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    void batcher("lane", "c").catch(() => undefined);
    await nextTick();
    expect(started()).toEqual(["ab", "c"]);
  });

  it("do not wait for those of other keys, nor for a run that takes long", async () => {
    const { batcher, started } = lanes({ longMs: LONG_MS });
    for (const [lane, task] of [
      ["1", "a"],
      ["2", "b"],
    ] as const)
      void batcher(lane, task).catch(() => undefined);
    await nextTick();
    expect(started()).toEqual(["a", "b"]);
    void batcher("1", "c").catch(() => undefined);
    while (started().length < 3) await delay(1);
    expect(started()).toEqual(["a", "b", "c"]);
  });
});
