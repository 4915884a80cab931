/** `npm start` as a person uses it, for tests: a process to talk to, with all that it prints. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "@nts/local/processes/system";

/** A start that has been given; `output` grows while it runs. */
export interface StartedByHand {
  readonly pid: number;
  output(): string;
  /** Waits until it has printed the text; fails when it ends without. */
  untilPrinted(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits for its end and answers the exit code; null when a signal ended it. */
  ended(): Promise<number | null>;
}

/** Starts the script behind `npm start`, with nothing of the test's own environment but what finding programs needs. */
export function startByHand(env: Record<string, string>, args: readonly string[] = []): StartedByHand {
  const { PATH = "", HOME = "", XDG_CACHE_HOME = "" } = process.env;
  const child = spawn(process.execPath, [join(ROOT, "deploy/local/start.mjs"), ...args], {
    cwd: ROOT,
    env: { PATH, HOME, XDG_CACHE_HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
      resolve(code);
      wake();
    });
  });
  return {
    pid: child.pid ?? 0,
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
