import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { StartProblem } from "../start-problem.js";

/** What to run, and the file that receives everything it prints. */
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

// Not by execa, whose output to a file goes through the parent: a child here writes its log itself, also when we are killed.

/** A running process of ours, in a process group of its own: a Ctrl-C at the terminal does not reach it. */
export interface Child {
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Sends a signal; nothing happens when the process has already ended. */
  signal(name: NodeJS.Signals): void;
  /** Asks politely, then kills after the grace; resolves when the process is gone. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a program. The log of its previous run is kept beside the new one as `<name>.log.1`.
 *
 * @throws StartProblem when the program cannot be executed
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
      signal("SIGCONT"); // a paused process hears SIGTERM only once it continues
      if (await endedWithin(exited, graceMs)) return;
      if (running) sendSignal(-pid, "SIGKILL");
      await exited;
    },
  };
}

/** Sends a signal to a process, or to a whole group when the id is negative; a process that is gone is no error. */
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
