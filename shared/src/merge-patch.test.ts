import { describe, expect, it } from "@jest/globals";
import { merged } from "./merge-patch.js";

describe("merge-patch: what a patch makes of an entity", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: ["b"] }, { a: ["c", "d"] }, { a: ["c", "d"] }],
    [{ a: { b: "c", d: "e" } }, { a: { b: "f", d: null } }, { a: { b: "f" } }],
    [{ a: ["b"] }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
    [{ a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, {}, {}],
  ])("%j with %j is %j", (current, patch, expected) => {
    expect(merged(current, patch)).toEqual(expected);
  });

  it("leaves null at the outside, where the operation says whether a member may be cleared", () => {
    expect(merged({ description: "old" }, { description: null })).toEqual({ description: null });
  });

  it("takes tags away and adds others, and keeps the order of those that stay", () => {
    const tags = { add: ["d", "b"], remove: ["a", "x"] };
    expect(merged({ tags: ["a", "b", "c"] }, { tags })).toEqual({ tags: ["b", "c", "d"] });
    expect(merged({ tags: ["a"] }, { tags: { add: ["a"], remove: ["a"] } })).toEqual({ tags: ["a"] });
  });

  it("takes a member of any name for a member, and touches no prototype", () => {
    const patch = JSON.parse('{"details": {"__proto__": {"isAdmin": true}, "constructor": 1}}') as object;
    const made = merged({ details: {} }, patch)["details"] as object;
    expect(Object.entries(made)).toEqual([
      ["__proto__", { isAdmin: true }],
      ["constructor", 1],
    ]);
    expect((made as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
