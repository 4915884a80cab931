import { describe, expect, it } from "@jest/globals";
import { createFairQueue } from "./fair-queue.js";

/** A task that runs until it is ended. */
function aTask(name: string, log: string[]) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async (): Promise<string> => {
    log.push(`${name} begins`);
    await ended;
    return name;
  };
  return { run, end: () => end() };
}

describe("a fair queue", () => {
  it("rests after a task as long as it is told by then", async () => {
    const rests = [0, 60_000];
    const queue = createFairQueue({
      atATime: 1,
      duty: 1e-9,
      longestRestMs: () => rests.shift() ?? 0,
      longestWaitMs: 50,
    });
    const task = (): Promise<string> => Promise.resolve("done");
    expect(await Promise.all([queue.run(task), queue.run(task)])).toEqual(["done", "done"]);
    await expect(queue.run(task)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("run up to the concurrency limit, and the others in order of arrival", async () => {
    const log: string[] = [];
    const queue = createFairQueue({ atATime: 2, mostWaiting: 5 });
    const tasks = ["a", "b", "c", "d"].map((name) => aTask(name, log));
    const results = tasks.map(({ run }) => queue.run(run));
    expect(log).toEqual(["a begins", "b begins"]);
    tasks[1]!.end();
    await results[1];
    await Promise.resolve();
    expect(log).toEqual(["a begins", "b begins", "c begins"]);
    for (const { end } of tasks) end();
    expect(await Promise.all(results)).toEqual(["a", "b", "c", "d"]);
  });

  it("are rejected while the queue is full, and accepted again later", async () => {
    const queue = createFairQueue({ atATime: 1, mostWaiting: 1 });
    const first = aTask("first", []);
    const second = aTask("second", []);
    const results = [queue.run(first.run), queue.run(second.run)];
    await expect(queue.run(() => Promise.resolve("third"))).rejects.toMatchObject({ code: "unavailable" });
    first.end();
    second.end();
    await Promise.all(results);
    expect(await queue.run(() => Promise.resolve("third"))).toBe("third");
  });

  it("take turns by caller, each of which has at most as many waiting as there is room left", async () => {
    const log: string[] = [];
    const queue = createFairQueue({ atATime: 1, mostWaiting: 6 });
    const first = aTask("first", log);
    const results = [queue.run(first.run, "busy")];
    const wait = (name: string, caller: string): void => {
      const task = aTask(name, log);
      task.end();
      results.push(queue.run(task.run, caller));
    };
    for (const name of ["b1", "b2", "b3"]) wait(name, "busy");
    await expect(queue.run(() => Promise.resolve("b4"), "busy")).rejects.toMatchObject({ code: "unavailable" });
    wait("c1", "calm");
    wait("c2", "calm");
    await expect(queue.run(() => Promise.resolve("c3"), "calm")).rejects.toMatchObject({ code: "unavailable" });
    wait("l1", "late");
    first.end();
    await Promise.all(results);
    expect(log.map((line) => line.split(" ")[0])).toEqual(["first", "b1", "c1", "l1", "b2", "c2", "b3"]);
  });

  it("release their slot when they fail", async () => {
    const queue = createFairQueue({ atATime: 1, mostWaiting: 1 });
    await expect(queue.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await queue.run(() => Promise.resolve("next"))).toBe("next");
  });

  it("time out when they have waited too long, and occupy no slot afterwards", async () => {
    const queue = createFairQueue({ atATime: 1, mostWaiting: 1, longestWaitMs: 5 });
    const first = aTask("first", []);
    const running = queue.run(first.run);
    await expect(queue.run(() => Promise.resolve("second"))).rejects.toMatchObject({ code: "unavailable" });
    const third = queue.run(() => Promise.resolve("third"));
    first.end();
    expect([await running, await third]).toEqual(["first", "third"]);
  });
});
