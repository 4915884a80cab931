/** Rotation of signing secrets by a script, with simulated containers. */
import { describe, expect, it } from "@jest/globals";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execaSync } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { settingsIn } from "../support/env-file.js";

const SIGNING = ["GATEWAY_TO_IDENTITY_SECRETS", "GATEWAY_TO_TOPOLOGY_SECRETS", "IDENTITY_TO_TOPOLOGY_SECRETS"];

describe("deployment.secrets: rotate-secrets", () => {
  it("rolls out new and old signing secrets, then the new ones alone, also when it is resumed after an interruption", () => {
    const folder = mkdtempSync(join(tmpdir(), "rotate-secrets-"));
    const run = () => execaSync(join(folder, "rotate-secrets"), { reject: false });
    const seen = () => readFileSync(join(folder, "seen"), "utf8").split("---\n").filter(Boolean).map(settingsIn);
    try {
      cpSync(join(ROOT, "deploy/rotate-secrets"), join(folder, "rotate-secrets"));
      writeFileSync(join(folder, ".env"), [...SIGNING.map((name) => `${name}=old`), "OTHER=kept"].join("\n"));
      const roll = (more: string) =>
        writeFileSync(join(folder, "roll"), `#!/bin/sh\necho "$@"\ncat .env >>seen\necho --- >>seen\n${more}`, {
          mode: 0o755,
        });
      roll("exit 1");
      expect(run().exitCode).toBe(1);
      roll("");
      const { exitCode, stdout } = run();
      expect([exitCode, stdout.split("\n").slice(0, 2)]).toEqual([0, Array(2).fill("topology identity gateway")]);
      const [first, both, last] = seen();
      expect(both).toEqual(first);
      for (const name of SIGNING) {
        expect(both![name]).toMatch(/^[0-9a-f]{64},old$/);
        expect([`${last![name]},old`, stdout.includes(last![name]!)]).toEqual([both![name], false]);
      }
      expect(last!["OTHER"]).toBe("kept");
      expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
