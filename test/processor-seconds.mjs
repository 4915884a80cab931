// Processor seconds of a test run. Linux adds those of an ended process to the process that started it; elsewhere, only
// the workers themselves are measured.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "./checks.mjs";

const REPORT = join(ROOT, "test/dist/processor-seconds.json");
const SHOWN = 20;

/** Fields of `/proc/<pid>/stat` after the name: user and system time, its own and of ended children. */
const TIMES = [11, 12, 13, 14];
const TICKS_PER_SECOND = 100;

/** Spent by this process, and by the processes it started that have ended. */
export function processorSeconds() {
  if (process.platform !== "linux") {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TIMES.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
}

/** Adds a suite to the file of the run, if there is one. */
export function noteSuite(suite, seconds) {
  const file = process.env.NTS_PROCESSOR_SECONDS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ suite: relative(ROOT, suite), seconds })}\n`);
}

/** Collects the suites of this run, which starts now; `write` writes the report and prints the dearest. */
export function startReport(folder) {
  const file = join(folder, "processor-seconds.jsonl");
  process.env.NTS_PROCESSOR_SECONDS = file;
  const before = processorSeconds();
  const parts = [];
  return {
    /** What has ended since the last part, or the start, belongs to this one. */
    part(name) {
      const noted = parts.reduce((sum, { seconds }) => sum + seconds, before);
      parts.push({ name, seconds: processorSeconds() - noted });
    },
    write() {
      const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
      const suites = lines.map((line) => JSON.parse(line)).toSorted((a, b) => b.seconds - a.seconds);
      const total = processorSeconds() - before;
      const ofSuites = suites.reduce((sum, { seconds }) => sum + seconds, 0);
      rmSync(file, { force: true });
      mkdirSync(dirname(REPORT), { recursive: true });
      writeFileSync(REPORT, JSON.stringify({ total, ofSuites, parts, suites }, undefined, 2));
      const shown = parts.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)}`).join(", ");
      console.log(`\nProcessor seconds: ${total.toFixed(0)} (${shown}); the suites themselves ${ofSuites.toFixed(0)}.`);
      console.log(`The dearest (all: ${relative(ROOT, REPORT)}):`);
      for (const { suite, seconds } of suites.slice(0, SHOWN))
        console.log(`${seconds.toFixed(1).padStart(7)}  ${suite}`);
    },
  };
}
