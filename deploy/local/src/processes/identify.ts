import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The command line of a process, joined by blanks; null if no such process lives (zombies do not). */
export async function commandLineOf(pid: number): Promise<string | null> {
  const words = process.platform === "linux" ? await fromProc(pid) : await fromPs(pid);
  return words === "" ? null : words;
}

async function fromProc(pid: number): Promise<string> {
  const raw = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return raw.split("\0").join(" ").trim();
}

async function fromPs(pid: number): Promise<string> {
  const output = await run("ps", ["-p", String(pid), "-o", "command="]).catch(() => ({ stdout: "" }));
  return output.stdout.trim();
}
