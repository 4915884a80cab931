import { describe, expect, it } from "@jest/globals";
import { attributeRows, attributesFault, attributesOf, linkIn } from "./attributes.js";

describe("the form of attributes", () => {
  it("keeps the types of values that nobody has changed", () => {
    const attributes = { rack: "A3", height: 2, spare: false, asset: "0042", number: "2" };
    expect(attributesOf(attributeRows(attributes))).toEqual(attributes);
  });

  it("takes new numbers and booleans for what they are, and leaves empty rows out", () => {
    const rows = [
      { key: " height ", text: "3" },
      { key: "spare", text: "true" },
      { key: "asset", text: "0042" },
      { key: "", text: " " },
    ];
    expect(attributesOf(rows)).toEqual({ height: 3, spare: true, asset: "0042" });
  });

  it("rejects two attributes with one key", () => {
    const rows = [
      { key: "rack", text: "A" },
      { key: "rack ", text: "B" },
    ];
    expect(attributesFault(rows)).toBe("There are two attributes called rack.");
    expect(attributesFault(rows.slice(1))).toBeNull();
  });

  it.each([
    ["https://wiki.example/nas", true],
    ["HTTP://10.0.0.5:8080/", true],
    ["javascript:alert(1)", false],
    ["see https://wiki.example", false],
    ["https://", false],
    [5, false],
  ])("shows %j as a link: %j", (value, isLink) => {
    expect(linkIn(value)).toBe(isLink ? value : null);
  });
});
