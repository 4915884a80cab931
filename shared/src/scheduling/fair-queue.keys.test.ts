import { describe, expect, it } from "@jest/globals";
import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { createFairQueue, type FairQueue } from "./fair-queue.js";

interface Task {
  readonly done: Promise<unknown>;
  readonly hasStarted: () => boolean;
  readonly end: () => void;
  readonly fail: () => void;
}

/** A task that runs until it is ended. */
function aTask(queue: FairQueue, ...keys: string[]): Task {
  let isStarted = false;
  let end = (): void => undefined;
  let fail = (): void => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = () => {
      reject(new Error("failed"));
    };
  });
  const done = queue.runWithAll(keys, () => {
    isStarted = true;
    return ended;
  });
  done.catch(() => undefined);
  return { done, hasStarted: () => isStarted, end: () => end(), fail: () => fail() };
}

describe("a fair queue with one task of a key: tasks that share a key", () => {
  it("run one after another, in the order of arrival", async () => {
    const queue = createFairQueue({ ofKey: 1 });
    const tasks = [aTask(queue, "a"), aTask(queue, "a"), aTask(queue, "a")];
    const started = (): boolean[] => tasks.map((task) => task.hasStarted());
    await tick();
    expect(started()).toEqual([true, false, false]);
    tasks[0]!.end();
    await tick();
    expect(started()).toEqual([true, true, false]);
    tasks[1]!.end();
    await tick();
    expect(started()).toEqual([true, true, true]);
    tasks[2]!.end();
  });

  it("do not wait for tasks of other keys", async () => {
    const queue = createFairQueue({ ofKey: 1 });
    const a = aTask(queue, "a");
    const b = aTask(queue, "b");
    await tick();
    expect([a.hasStarted(), b.hasStarted()]).toEqual([true, true]);
  });

  it("continue after a failed one, whose error reaches its caller alone", async () => {
    const queue = createFairQueue({ ofKey: 1 });
    const first = aTask(queue, "a");
    const second = aTask(queue, "a");
    await tick();
    first.fail();
    await expect(first.done).rejects.toThrow("failed");
    await tick();
    expect(second.hasStarted()).toBe(true);
    second.end();
    await expect(second.done).resolves.toBeUndefined();
  });
});

describe("a fair queue with one task of a key: tasks of several keys", () => {
  it("wait for all of their keys, and hold them all", async () => {
    const queue = createFairQueue({ ofKey: 1 });
    const a = aTask(queue, "a");
    const both = aTask(queue, "a", "b");
    const b = aTask(queue, "b");
    await tick();
    expect([a, both, b].map((task) => task.hasStarted())).toEqual([true, false, true]);
    a.end();
    await tick();
    expect(both.hasStarted()).toBe(false);
    b.end();
    await tick();
    expect(both.hasStarted()).toBe(true);
    const late = [aTask(queue, "a"), aTask(queue, "b")];
    await tick();
    expect(late.map((task) => task.hasStarted())).toEqual([false, false]);
    both.end();
    await tick();
    expect(late.map((task) => task.hasStarted())).toEqual([true, true]);
  });

  it("all end, and never run concurrently for one key, when the keys have a common order", async () => {
    const keys = fc.subarray(["a", "b", "c", "d"]);
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 30 }), async (tasks) => {
        const queue = createFairQueue({ ofKey: 1 });
        const locked = new Set<string>();
        let ended = 0;
        const run = (own: readonly string[]): Promise<void> =>
          queue.runWithAll(own, async () => {
            for (const key of own) {
              expect(locked.has(key)).toBe(false);
              locked.add(key);
            }
            await tick();
            for (const key of own) locked.delete(key);
            ended += 1;
          });
        await Promise.all(tasks.map(run));
        expect(ended).toBe(tasks.length);
      }),
      { numRuns: 50 },
    );
  });
});
