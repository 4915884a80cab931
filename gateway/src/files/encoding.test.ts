import { describe, expect, it } from "@jest/globals";
import { chooseEncoding, type Encoding } from "./encoding.js";

const ALL = new Set<Encoding>(["br", "gzip", "identity"]);

describe("the content encoding of a file", () => {
  it.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.000, gzip; q=0", "identity"],
    ["*", "br"],
    ["*;q=0.1, br;q=0", "gzip"],
    ["identity", "identity"],
    ["brotli", "identity"],
    ["", "identity"],
    ["br;q=nonsense", "identity"],
    ["br;q=0.5, gzip", "gzip"],
    ["*;q=0", "identity"],
  ])("for %j is %s", (accepted, expected) => {
    expect(chooseEncoding(accepted, ALL)).toBe(expected);
  });

  it("is one of the available ones", () => {
    expect(chooseEncoding("gzip, br", new Set<Encoding>(["gzip", "identity"]))).toBe("gzip");
    expect(chooseEncoding(undefined, ALL)).toBe("identity");
  });
});
