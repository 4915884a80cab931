import { describe, expect, it } from "@jest/globals";
import { OriginList } from "./config.js";

describe("a list of origins", () => {
  it("has them as browsers send them", () => {
    expect(OriginList.parse("https://app.example.com, http://localhost:5173,")).toEqual([
      "https://app.example.com",
      "http://localhost:5173",
    ]);
  });

  it.each([
    "*",
    "null",
    "app.example.com",
    "https://app.example.com/",
    "https://app.example.com/path",
    "https://App.example.com",
    "https://app.example.com:443",
    "https://me@app.example.com",
    "ftp://app.example.com",
    "https://*.example.com",
  ])("does not have %s, which no browser sends", (origin) => {
    expect(OriginList.safeParse(origin).success).toBe(false);
  });
});
