import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVER_PROGRAMS } from "./catalogue.js";
import { findOrFetch } from "./find.js";

const before = { ...process.env };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "find-"));
  process.env["PATH"] = `${folder}:${before["PATH"] ?? ""}`;
});

afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

describe("an installed MongoDB", () => {
  it.each([
    ["6.0.5", [expect.stringContaining("MongoDB 6.0 gets no security fixes any more")]],
    ["7.0.30", []],
    ["8.0.4", []],
  ])("of version %s is used, and it is said when it is not supported any more", async (version, said) => {
    const command = join(folder, "mongod");
    writeFileSync(command, `#!/bin/sh\necho db version v${version}\n`, { mode: 0o755 });
    const lines: string[] = [];
    const found = await findOrFetch(SERVER_PROGRAMS.mongodb, { report: (line) => lines.push(line) });
    expect([found.command, lines]).toEqual([command, said]);
  });
});
