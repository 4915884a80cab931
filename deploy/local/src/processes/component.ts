import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartProblem } from "../start-problem.js";
import { type Child, type Exit, spawnChild } from "./child.js";
import { lastLines } from "./log-tail.js";
import { forgetRun, recordRun, type Tier } from "./run-records.js";

/** A process of the system as data, so that it can be restarted identically. */
export interface Component {
  readonly name: string;
  readonly tier: Tier;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Polled after the start until true. */
  readonly isReady: () => Promise<boolean>;
  /** What it does before it can be ready, such as a migration, while that moves; null otherwise. */
  readonly progress?: () => Promise<string | null>;
}

const POLL_MS = 50;
const READY_TIMEOUT_MS = 60_000;
/** Between two reports of progress; what takes less is not worth a line. */
const REPORT_MS = 3_000;
const QUOTED_LINES = 5;

/** Grace period before a stopping process is killed. */
export const STOP_GRACE_MS = 12_000;

/** The log of a component in a data folder. */
export function logFileOf(dataDir: string, name: string): string {
  return join(dataDir, "logs", `${name}.log`);
}

/** The folder that lists the processes running on a data folder. */
export function runFolderOf(dataDir: string): string {
  return join(dataDir, "run");
}

/** Starts a component and records it; it is not ready yet. */
export function spawnComponent(component: Component, dataDir: string): Child {
  const { name, tier, command, args, env } = component;
  const child = spawnChild({ command, args, env, logFile: logFileOf(dataDir, name) });
  recordRun(runFolderOf(dataDir), { name, tier, pid: child.pid, command: [command, ...args].join(" ") });
  void child.exited.then(() => {
    forgetRun(runFolderOf(dataDir), name);
  });
  return child;
}

interface Waiting {
  readonly report?: (line: string) => void;
  /** Between two questions for its progress. */
  readonly reportEveryMs?: number;
  readonly timeoutMs?: number;
}

/**
 * Waits until a started component is ready; the time during which it reports progress does not count.
 *
 * @throws StartProblem with its last log lines if it ends first or takes longer than a minute
 */
export async function untilReady(
  component: Component,
  child: Child,
  { report = () => undefined, reportEveryMs = REPORT_MS, timeoutMs = READY_TIMEOUT_MS }: Waiting = {},
): Promise<void> {
  let deadline = Date.now() + timeoutMs;
  let reportAt = Date.now() + reportEveryMs;
  while (child.isRunning()) {
    if (await component.isReady()) return;
    if (Date.now() > reportAt) {
      const progress = (await component.progress?.()) ?? null;
      reportAt = Date.now() + reportEveryMs;
      if (progress !== null) {
        deadline = Date.now() + timeoutMs;
        report(`  ${component.name} is ${progress}`);
      }
    }
    if (Date.now() > deadline) throw await startFailure(component, child, "was not ready within a minute");
    await sleep(POLL_MS);
  }
  throw await startFailure(component, child, endedHow(await child.exited));
}

/** Starts a component and waits until it is ready; a failed one is stopped before the error is thrown. */
export async function launch(component: Component, dataDir: string): Promise<Child> {
  const child = spawnComponent(component, dataDir);
  try {
    await untilReady(component, child);
    return child;
  } catch (error) {
    await child.stop(STOP_GRACE_MS);
    throw error;
  }
}

/** A predicate such as "ended with exit code 1" or "was ended by SIGKILL". */
export function endedHow(exit: Exit): string {
  return exit.signal === null ? `ended with exit code ${exit.code ?? "unknown"}` : `was ended by ${exit.signal}`;
}

async function startFailure(component: Component, child: Child, what: string): Promise<StartProblem> {
  const lines = await lastLines(child.logFile, QUOTED_LINES);
  const quoted = lines.map((line) => `\n    ${line}`).join("");
  const said = quoted === "" ? "It printed nothing." : `Its last lines:${quoted}`;
  return new StartProblem(`${component.name} ${what} while starting; its log is ${child.logFile}. ${said}`);
}
