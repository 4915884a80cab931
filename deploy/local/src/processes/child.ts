import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { StartProblem } from "../start-problem.js";

/** The program to run, and the file for its output. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/** How a process ended: one of the two is set. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

// Not execa, whose file output goes through the parent: children must keep logging when we are killed.

/** A running process in its own process group, so that Ctrl-C in the terminal does not reach it. */
export interface Child {
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Sends a signal; no effect if the process has ended. */
  signal(name: NodeJS.Signals): void;
  /** Terminates, then kills after the grace period; resolves when the process has ended. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a program. The log of its previous run is kept as `<name>.log.1`.
 *
 * @throws StartProblem if the program cannot be executed
 */
export function spawnChild(program: Program): Child {
  const log = openLog(program.logFile);
  const child = spawn(program.command, program.args, {
    detached: true,
    stdio: ["ignore", log, log],
    env: program.env,
  });
  closeSync(log);
  const { pid } = child;
  let running = pid !== undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("error", () => {
      running = false;
      resolve({ code: null, signal: null });
    });
    child.once("exit", (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
  });
  if (pid === undefined) {
    throw new StartProblem(`${program.command} could not be executed; check that it exists and that you may run it.`);
  }

  const signal = (name: NodeJS.Signals): void => {
    if (running) sendSignal(pid, name);
  };
  return {
    pid,
    logFile: program.logFile,
    exited,
    isRunning: () => running,
    signal,
    async stop(graceMs) {
      signal("SIGTERM");
      signal("SIGCONT"); // a paused process receives SIGTERM only once it continues
      if (await endedWithin(exited, graceMs)) return;
      if (running) sendSignal(-pid, "SIGKILL");
      await exited;
    },
  };
}

/** Sends a signal to a process, or to a process group if the id is negative; ignores ended processes. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function endedWithin(exited: Promise<Exit>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, ms);
  });
  const ended = await Promise.race([exited.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}
