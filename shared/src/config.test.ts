import { describe, expect, it } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { OriginList, readConfig } from "./config.js";

describe("a setting", () => {
  const schema = z.object({ SECRET: z.string().min(4) });

  it("can be in a file, without the trailing line break", () => {
    const folder = mkdtempSync(join(tmpdir(), "config-"));
    try {
      writeFileSync(join(folder, "secret"), "kettle\n");
      const SECRET_FILE = join(folder, "secret");
      expect(readConfig(schema, { SECRET_FILE })).toEqual({ SECRET: "kettle" });
      expect(() => readConfig(schema, { SECRET_FILE, SECRET: "other" })).toThrow("SECRET: is given twice");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is reported as missing when its file cannot be read", () => {
    expect(() => readConfig(schema, { SECRET_FILE: "/nowhere" })).toThrow("SECRET_FILE: cannot be read");
    expect(() => readConfig(schema, {})).toThrow("SECRET:");
  });
});

describe("a list of origins", () => {
  it("contains them as browsers send them", () => {
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
  ])("rejects %s, which no browser sends", (origin) => {
    expect(OriginList.safeParse(origin).success).toBe(false);
  });
});
