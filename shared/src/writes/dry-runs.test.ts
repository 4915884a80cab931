import { describe, expect, it } from "@jest/globals";
import { createDryRuns } from "./dry-runs.js";

interface Held {
  readonly hasBegun: () => boolean;
  readonly end: () => void;
  readonly ended: Promise<unknown>;
}

/** A dry run that lasts until it is ended. */
function held(run: (task: () => Promise<unknown>) => Promise<unknown>): Held {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  let begun = false;
  const ended = run(() => {
    begun = true;
    return over;
  });
  return {
    hasBegun: () => begun,
    end: () => {
      end();
    },
    ended,
  };
}

const soon = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

describe("dry runs", () => {
  it("run one after another within an organization, and wait for no other organization", async () => {
    const dryRuns = createDryRuns();
    const [first, second] = [0, 1].map(() => held((task) => dryRuns.run("a", task))) as [Held, Held];
    const other = held((task) => dryRuns.run("b", task));
    await soon();
    expect([first, second, other].map((one) => one.hasBegun())).toEqual([true, false, true]);
    for (const one of [first, second, other]) one.end();
    await Promise.all([first.ended, second.ended, other.ended]);
    expect(second.hasBegun()).toBe(true);
  });

  it("are answered before their pause, and one that fails makes room for the next", async () => {
    const dryRuns = createDryRuns();
    await expect(dryRuns.run("a", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    expect(await dryRuns.run("a", () => Promise.resolve("answered"))).toBe("answered");
  });
});
