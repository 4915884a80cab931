import { describe, expect, it } from "@jest/globals";
import { isFresh, preconditionOf } from "./conditions.js";

describe("conditions: If-None-Match", () => {
  it.each([
    ['"7"', true],
    ['W/"7"', true],
    ['"6", "7"', true],
    ["*", true],
    ['"6"', false],
    [undefined, false],
  ])("compares %s weakly with the current ETag, whatever the client's Cache-Control", (known, expected) => {
    for (const cache of [{}, { "cache-control": "no-cache", pragma: "no-cache" }])
      expect(isFresh({ ...cache, ...(known !== undefined && { "if-none-match": known }) }, '"7"')).toBe(expected);
  });
});

describe("conditions: If-Match", () => {
  it.each([
    [undefined, null],
    ["*", ["*"]],
    ['"3"', ["3"]],
    ['W/"3", "4"', ["4"]],
    ['"*"', []],
  ])("reads %s", (value, expected) => {
    expect(preconditionOf(value === undefined ? {} : { "if-match": value })?.match ?? null).toEqual(expected);
  });

  it("reads If-None-Match beside it, weakly", () => {
    const headers = { "if-match": '"3"', "if-none-match": 'W/"3", "4", "*"' };
    expect(preconditionOf(headers)).toEqual({ match: ["3"], noneMatch: ["3", "4"] });
    expect(preconditionOf({ "if-none-match": "*" })).toEqual({ match: null, noneMatch: ["*"] });
  });
});
