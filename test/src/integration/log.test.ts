/** The log of a real process whose reader is slow, or reads nothing. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { LogReport } from "../support/log-process.js";

const LOG_PROCESS = fileURLToPath(new URL("../support/log-process.js", import.meta.url));
/** About 80 MB; much less may stay in memory. */
const LINES = 200_000;
const MOST_GROWN = 64 * 1_048_576;

let child: ChildProcess | null = null;

afterEach(() => {
  child?.kill("SIGKILL");
  child = null;
});

/** Writes lines. @returns the process, and its report when all are written */
function startWriting(lines: number) {
  const started = fork(LOG_PROCESS, [String(lines)], { stdio: ["ignore", "pipe", "inherit", "ipc"], execArgv: [] });
  child = started;
  const reported = once(started, "message").then(([report]) => report as LogReport);
  return { started, output: started.stdout!, reported };
}

/** The numbers of the lines; throws if one is not whole. */
function numbersIn(lines: string): number[] {
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { line: number }).line);
}

describe("log: a reader that is slow, or stops", () => {
  it("keeps a bounded number of lines in memory while nobody reads, drops and counts the others, and writes what it kept", async () => {
    const { started, output, reported } = startWriting(LINES);
    const { dropped, grown } = await reported;
    expect(grown).toBeLessThan(MOST_GROWN);
    expect(dropped).toBeGreaterThan(0);
    const reading = text(output);
    started.send("end");
    const numbers = numbersIn(await reading);
    expect(numbers.length + dropped).toBe(LINES);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("loses no line while it is read, including the last ones before the process ends", async () => {
    const lines = 20_000;
    const { started, output, reported } = startWriting(lines);
    const reading = text(output);
    expect((await reported).dropped).toBe(0);
    started.send("end");
    expect(numbersIn(await reading)).toEqual(Array.from({ length: lines }, (_, line) => line));
  });
});
