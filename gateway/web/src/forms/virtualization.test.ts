import { describe, expect, it } from "@jest/globals";
import { detailsFault, virtualizationOf, virtualizationValues } from "./virtualization.js";

describe("virtualization in a form", () => {
  it.each([
    null,
    { type: "vm", details: {} },
    { type: "container", details: { image: "nginx:1", limits: { memory: [1, null] } } },
  ])("is sent unchanged: %j", (virtualization) => {
    expect(virtualizationOf(virtualizationValues(virtualization))).toEqual(virtualization);
  });

  it("is sent without a type so that the API rejects it, and omitted when nothing is filled in", () => {
    expect(virtualizationOf({ type: "", details: '{"a": 1}' })).toEqual({ type: "", details: { a: 1 } });
    expect(virtualizationOf({ type: " ", details: "\n" })).toBeNull();
  });

  it.each([
    ["", null],
    ['{"a": 1}', null],
    ["[]", "This must be an object, { … }."],
    ["null", "This must be an object, { … }."],
    ["{a: 1}", "This is not JSON."],
  ])("with the details %j: %j", (details, fault) => {
    expect(detailsFault({ type: "vm", details })).toBe(fault);
  });
});
