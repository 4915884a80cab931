import { describe, expect, it } from "@jest/globals";
import { createDryRuns } from "./dry-runs.js";

interface Pending {
  readonly hasStarted: () => boolean;
  readonly end: () => void;
  readonly ended: Promise<unknown>;
}

/** A dry run that lasts until it is ended. */
function pending(run: (task: () => Promise<unknown>) => Promise<unknown>): Pending {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  let started = false;
  const ended = run(() => {
    started = true;
    return over;
  });
  return {
    hasStarted: () => started,
    end: () => {
      end();
    },
    ended,
  };
}

const soon = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe("dry runs", () => {
  it("are serialized within an organization, and do not wait for other organizations", async () => {
    const dryRuns = createDryRuns();
    const [first, second] = [0, 1].map(() => pending((task) => dryRuns.run("a", task))) as [Pending, Pending];
    const other = pending((task) => dryRuns.run("b", task));
    await soon();
    expect([first, second, other].map((one) => one.hasStarted())).toEqual([true, false, true]);
    for (const one of [first, second, other]) one.end();
    await Promise.all([first.ended, second.ended, other.ended]);
    expect(second.hasStarted()).toBe(true);
  });

  it("return before their pause, and one that fails makes room for the next", async () => {
    const dryRuns = createDryRuns();
    await expect(dryRuns.run("a", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    expect(await dryRuns.run("a", () => Promise.resolve("answered"))).toBe("answered");
  });
});
