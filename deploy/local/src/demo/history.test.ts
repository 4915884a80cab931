import { describe, expect, it } from "@jest/globals";
import { HOSTS } from "@nts/shared/sample/bodies";
import { CHANGES } from "./history.js";

describe("the demo", () => {
  it("has a history about its own hosts, by several people and with valid comments", () => {
    const names = new Set(HOSTS.map(({ name }) => name));
    expect(CHANGES.filter(({ host }) => !names.has(host))).toEqual([]);
    expect(CHANGES.filter(({ comment }) => comment.length > 200)).toEqual([]);
    expect(new Set(CHANGES.map(({ by }) => by)).size).toBe(3);
  });
});
