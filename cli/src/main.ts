import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { createProgressLine } from "./progress.js";
import { run } from "./program.js";
import type { RunOptions, Terminal } from "./terminal.js";

/** Inserted by the bundler. */
declare const NTS_VERSION: string | undefined;
const version = typeof NTS_VERSION === "string" ? NTS_VERSION : "of sources";

const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());
process.once("SIGTERM", () => stopping.abort());
// The reader of our output may stop early, like `head`. What only reads ends with it, as programs in a shell do.
const listener = { isOutlived: false, isWaitedFor: false, isGone: false };
process.stdout.on("error", () => {
  if (listener.isOutlived) return;
  listener.isGone = true;
  if (!listener.isWaitedFor) process.exit(READER_GONE);
});
// What it does goes on without a reader of its messages.
process.stderr.on("error", () => undefined);

/** What shells call a program that a closed pipe has ended: 128 and the number of SIGPIPE. */
const READER_GONE = 141;

const isInteractive = process.stdin.isTTY && process.stderr.isTTY;
const progress = createProgressLine(process.stderr);

const terminal: Terminal = {
  env: process.env,
  isInteractive,
  isOutputShown: process.stdout.isTTY,
  signal: stopping.signal,
  print: (text) => {
    progress.clear();
    process.stdout.write(`${text}\n`);
  },
  write: (bytes) => new Promise((resolve) => process.stdout.write(bytes, () => resolve())),
  say: (text) => {
    progress.clear();
    process.stderr.write(`${text}\n`);
  },
  progress: (text) => progress.show(text),
  ask,
  outliveReader: () => {
    listener.isOutlived = true;
  },
  finishFirst: () => {
    listener.isWaitedFor = true;
  },
  input: async () => {
    const parts: Uint8Array[] = [];
    for await (const part of process.stdin) parts.push(part as Uint8Array);
    return Buffer.concat(parts).toString("utf8");
  },
};

/** Secrets are not echoed. */
async function ask(question: string, isSecret = false): Promise<string> {
  progress.clear();
  process.stderr.write(question);
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  try {
    return await reader.question("", { signal: stopping.signal });
  } finally {
    reader.close();
    if (isSecret) process.stderr.write("\n");
  }
}

function runProgram(
  program: string,
  args: readonly string[],
  { hasTerminal = false, signal }: RunOptions = {},
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: hasTerminal ? "inherit" : ["ignore", "pipe", "ignore"],
      ...(signal !== undefined && { signal }),
    });
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code === 0 ? text : null));
  });
}

const exitCode = await run({ terminal, run: runProgram }, version, process.argv.slice(2));
process.exitCode = listener.isGone ? READER_GONE : exitCode;
progress.clear();
