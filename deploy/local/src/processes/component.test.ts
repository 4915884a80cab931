import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Child } from "./child.js";
import { type Component, spawnComponent, untilReady } from "./component.js";

const TIMEOUT_MS = 300;
const POLLS = 20;

let dataDir: string;
let child: Child;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "component-"));
});

afterEach(async () => {
  await child.stop(0);
  rmSync(dataDir, { recursive: true });
});

/** A component that migrates for so many polls, and is then ready if it `ends`. */
function aComponent(polls: number, ends: boolean): Component {
  let polled = 0;
  return {
    ...{ name: "service", tier: "service", command: "sleep", args: ["60"], env: {} },
    isReady: () => Promise.resolve(ends && polled > polls),
    progress: () => Promise.resolve(++polled > polls ? null : `migrating (${polled})`),
  };
}

describe("a component that migrates", () => {
  it("is waited for as long as it moves, which is reported", async () => {
    const component = aComponent(POLLS, true);
    child = spawnComponent(component, dataDir);
    const lines: string[] = [];
    const startedAt = Date.now();
    await untilReady(component, child, { report: (line) => lines.push(line), reportEveryMs: 0, timeoutMs: TIMEOUT_MS });
    expect(Date.now() - startedAt).toBeGreaterThan(2 * TIMEOUT_MS);
    expect(lines.at(-1)).toBe(`  service is migrating (${POLLS})`);
  });

  it("is given up when it no longer moves", async () => {
    const component = aComponent(1, false);
    child = spawnComponent(component, dataDir);
    const waiting = { reportEveryMs: 0, timeoutMs: TIMEOUT_MS };
    await expect(untilReady(component, child, waiting)).rejects.toThrow("was not ready within");
  });
});
