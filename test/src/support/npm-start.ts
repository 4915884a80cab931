/** `npm start` as a process, with all that it prints. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { forgetRun, recordRun } from "@nts/local/processes/run-records";
import { ROOT } from "@nts/local/processes/system";

/** A started process; `output` grows while it runs. */
export interface NpmStart {
  readonly pid: number;
  output(): string;
  /** Waits until it has printed the text. @throws Error when it ends without */
  untilPrinted(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits for its end. @returns the exit code; null when a signal ended it */
  ended(): Promise<number | null>;
}

/**
 * Starts the script of `npm start`, with a minimal environment. It is recorded in `<folder>/starts`, so that it is
 * stopped also when the test is killed.
 */
export function spawnNpmStart(folder: string, env: Record<string, string>, args: readonly string[] = []): NpmStart {
  const { PATH = "", HOME = "", XDG_CACHE_HOME = "" } = process.env;
  const command = [join(ROOT, "deploy/local/start.mjs"), ...args];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    detached: true,
    env: { PATH, HOME, XDG_CACHE_HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("npm start could not be started");
  const starts = join(folder, "starts");
  recordRun(starts, { name: String(pid), tier: "gateway", pid, command: [process.execPath, ...command].join(" ") });
  let output = "";
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const one of all) one();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      wake();
    });
  }
  let hasEnded = false;
  const exit = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      hasEnded = true;
      forgetRun(starts, String(pid));
      resolve(code);
      wake();
    });
  });
  return {
    pid,
    output: () => output,
    async untilPrinted(text) {
      while (!output.includes(text)) {
        if (hasEnded) throw new Error(`npm start ended without printing "${text}". It printed:\n${output}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    signal: (name) => child.kill(name),
    ended: () => exit,
  };
}
