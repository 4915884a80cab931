import { describe, expect, it } from "@jest/globals";
import { searchFilter, searchTextOf } from "../values/search.rules.js";
import { comparePlacesIn, meets } from "./conditions.rules.js";

describe("filter conditions on past entities", () => {
  it("match as in the database: by a value, by any of a list, or by null", () => {
    const document = { host_id: "a", tags: ["x", "y"], category: "DNS", interface_id: null };
    for (const met of [
      {},
      { host_id: "a" },
      { tags: { $in: ["y", "z"] } },
      { category: { $nin: ["VPN"] } },
      { interface_id: null },
    ])
      expect([met, meets(document, met)]).toEqual([met, true]);
    for (const unmet of [
      { host_id: "b" },
      { tags: { $in: [] } },
      { category: { $nin: ["VPN", "DNS"] } },
      { host_id: "a", tags: { $in: ["z"] } },
    ])
      expect([unmet, meets(document, unmet)]).toEqual([unmet, false]);
  });

  it("match a searched substring with any characters", () => {
    const document = { search: searchTextOf("a.b*(c) \\ Ärger", "10.0.0.1") };
    for (const part of ["A.B*(", "\\", "ärger", "0.0.1"])
      expect([part, meets(document, searchFilter(part))]).toEqual([part, true]);
    for (const part of ["axb", "rger10", "\\\\"])
      expect([part, meets(document, searchFilter(part))]).toEqual([part, false]);
  });

  it("match what lies in a range of keys", () => {
    const within = { address_keys: { $elemMatch: { $gte: "40a000000", $lte: "40affffff" } } };
    for (const address_keys of [["40a000000"], ["4c0a80001", "40affffff"]])
      expect([address_keys, meets({ address_keys }, within)]).toEqual([address_keys, true]);
    // One below the range and one above it.
    for (const address_keys of [[], ["409ffffff", "40b000000"]])
      expect([address_keys, meets({ address_keys }, within)]).toEqual([address_keys, false]);
  });

  it("that no list has are an error instead of being ignored", () => {
    expect(() => meets({ number: 1 }, { number: { $gt: 0 } })).toThrow("$gt");
  });
});

describe("positions in a sorted list", () => {
  it("follow the order of the database: null first, times and numbers by value, texts by code points, in each direction", () => {
    const texts = ["", "A", "a", "ab", "é", "\uffee", "😀"];
    const values = [null, ...texts];
    for (const [low, a] of values.entries())
      for (const [high, b] of values.entries()) {
        expect(Math.sign(comparePlacesIn({ name: 1 })([a], [b]))).toBe(Math.sign(low - high));
        expect(Math.sign(comparePlacesIn({ name: -1, _id: -1 })([a, "x"], [b, "x"]))).toBe(Math.sign(high - low) + 0);
      }
    expect(comparePlacesIn({ at: 1 })([new Date(1)], [new Date(2)])).toBeLessThan(0);
    expect(comparePlacesIn({ a: 1, position: -1 })(["x", 9], ["x", 10])).toBeGreaterThan(0);
  });
});
