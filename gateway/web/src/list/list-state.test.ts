import { describe, expect, it } from "@jest/globals";
import { fieldOf, filtersIn, withChanges } from "./list-state.js";

describe("the address of a list", () => {
  it("returns to the first page when another parameter changes", () => {
    const before = new URLSearchParams("page=3&q=nas&tag=a&tag=b");
    expect(withChanges(before, { q: "web" }).toString()).toBe("tag=a&tag=b&q=web");
    expect(withChanges(before, { page: "4" }).toString()).toBe("q=nas&tag=a&tag=b&page=4");
  });

  it("contains no empty values", () => {
    expect(withChanges(new URLSearchParams("q=nas&tag=a"), { q: "", tag: ["b", ""], group: null }).toString()).toBe(
      "tag=b",
    );
  });

  it("names what is searched and filtered for", () => {
    expect(filtersIn(new URLSearchParams("page=2&q=nas&tag=a&tag=b&order=name&size=50&without=DNS"))).toEqual([
      "q",
      "tag",
      "without",
    ]);
  });

  it("ignores unknown sort fields", () => {
    expect([fieldOf(["name"], "name"), fieldOf(["name"], "password"), fieldOf(["name"], null)]).toEqual([
      "name",
      undefined,
      undefined,
    ]);
  });
});
