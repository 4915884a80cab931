import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { commandLineOf } from "@nts/local/processes/identify";
import { ROOT } from "@nts/local/processes/system";
import { until } from "../support/until.js";

/** "within seconds", on a busy machine. */
const ENDED_MS = 15_000;
const STARTED_MS = 120_000;

interface Started {
  readonly pid: number;
  readonly command: string;
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(process.env["NTS_TEST_DIR"] ?? tmpdir(), "interrupted-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A test run whose only suite has started a system of its own. */
async function aRun(): Promise<{
  run: ChildProcessByStdio<null, Readable, null>;
  output: Promise<string>;
  started: Started[];
}> {
  const file = join(folder, "held");
  const run = spawn(process.execPath, [join(ROOT, "test/run.mjs"), "support/waiting.held"], {
    env: { ...process.env, NTS_SUITES: "held", HELD_FILE: file },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const output = text(run.stdout);
  await until(() => existsSync(file), 50, STARTED_MS);
  return { run, output, started: await descendantsOf(run.pid ?? 0) };
}

async function descendantsOf(ancestor: number): Promise<Started[]> {
  const parents = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === ancestor || (parent > 1 && isBelow(parent));
  };
  const all = [...parents.keys()].filter(isBelow);
  return Promise.all(all.map(async (pid) => ({ pid, command: (await commandLineOf(pid)) ?? "" })));
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0; // it has ended
  }
}

async function untilNoneIsLeft(started: readonly Started[]): Promise<void> {
  let left: readonly Started[] = started;
  const look = async (): Promise<boolean> => {
    const commands = await Promise.all(left.map(({ pid }) => commandLineOf(pid)));
    left = left.filter(({ command }, index) => commands[index] === command);
    return left.length === 0;
  };
  await until(look, 50, ENDED_MS).catch(() => undefined);
  expect(left).toEqual([]);
}

const onLinux = process.platform === "linux" ? describe : describe.skip;

onLinux("an interrupted test run", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("leaves no process and no database after %s", async (signal) => {
    const { run, output, started } = await aRun();
    const databases = started.flatMap(({ command }) => / --dbpath (\S+)/.exec(command)?.[1] ?? []);
    expect(databases).toHaveLength(1);
    expect(started.filter(({ command }) => command.includes("--data-dir="))).toHaveLength(3);

    run.kill(signal);
    const [code] = (await once(run, "exit")) as [number | null];
    await untilNoneIsLeft(started);

    await until(() => !databases.some((database) => existsSync(database)));
    expect(code).toBe(signal === "SIGKILL" ? null : 1);
    if (signal === "SIGTERM") expect((await output).trimEnd()).toMatch(/0 passed, 1 failed$/);
  });
});
