import { describe, expect, it } from "@jest/globals";
import { merged } from "./merge-patch.js";

describe("merge-patch: the result of a patch", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: ["b"] }, { a: ["c", "d"] }, { a: ["c", "d"] }],
    [{ a: { b: "c", d: "e" } }, { a: { b: "f", d: null } }, { a: { b: "f" } }],
    [{ a: ["b"] }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
    [{ a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, {}, {}],
  ])("for %j with %j is %j", (current, patch, expected) => {
    expect(merged(current, patch)).toEqual(expected);
  });

  it("contains top-level nulls, since the operation decides whether a member may be cleared", () => {
    expect(merged({ description: "old" }, { description: null })).toEqual({ description: null });
  });

  it("removes and adds tags, and keeps the order of those that stay", () => {
    const tags = { add: ["d", "b"], remove: ["a", "x"] };
    expect(merged({ tags: ["a", "b", "c"] }, { tags })).toEqual({ tags: ["b", "c", "d"] });
    expect(merged({ tags: ["a"] }, { tags: { add: ["a"], remove: ["a"] } })).toEqual({ tags: ["a"] });
  });

  it("treats a member of any name as a member, and never changes a prototype", () => {
    const patch = JSON.parse('{"details": {"__proto__": {"isAdmin": true}, "constructor": 1}}') as object;
    const made = merged({ details: {} }, patch)["details"] as object;
    expect(Object.entries(made)).toEqual([
      ["__proto__", { isAdmin: true }],
      ["constructor", 1],
    ]);
    expect((made as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
