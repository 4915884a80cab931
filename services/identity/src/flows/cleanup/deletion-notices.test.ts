import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { collectingNotices } from "./deletion-notices.js";

describe("networks.notices", () => {
  it("are handled for one organization at a time, those that arrive meanwhile together", async () => {
    const begun: [string, readonly string[]][] = [];
    const ends: (() => void)[] = [];
    const add = collectingNotices((organizationId, ids) => {
      begun.push([organizationId, ids]);
      return new Promise((resolve) => ends.push(resolve));
    }, fail);
    add("first", "a");
    for (const id of ["b", "c", "b"]) add("first", id);
    add("second", "d");
    expect(begun).toEqual([["first", ["a"]]]);
    for (let n = 0; n < 3; n++) {
      ends[n]?.();
      await nextTurn();
    }
    expect(begun).toEqual([
      ["first", ["a"]],
      ["first", ["b", "c"]],
      ["second", ["d"]],
    ]);
    add("first", "e");
    expect(begun.at(-1)).toEqual(["first", ["e"]]);
  });

  it("are reported when they cannot be handled, and do not keep others waiting", async () => {
    const failed: string[] = [];
    const done: string[] = [];
    const task = (organizationId: string): Promise<void> =>
      organizationId === "first" ? Promise.reject(new Error("no topology")) : Promise.resolve(void done.push("second"));
    const add = collectingNotices(task, (_error, organizationId) => failed.push(organizationId));
    add("first", "a");
    add("second", "b");
    await nextTurn();
    expect([failed, done]).toEqual([["first"], ["second"]]);
  });
});

const fail = (error: unknown): never => {
  throw error;
};
