import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { StartProblem } from "@nts/local/start-problem";

/** A Python program that a test needs. */
export interface PythonTool {
  /** Its name on the command line, and in the cache. */
  readonly name: string;
  /** A file with it and its dependencies, in exact versions. */
  readonly requirements: string;
  readonly report: (line: string) => void;
}

/**
 * The path of the program, in a virtual environment of its own in the user's cache. @throws StartProblem when there is
 * no sufficiently new Python
 */
export async function preparePythonTool({ name, requirements, report }: PythonTool): Promise<string> {
  const pinned = createHash("sha256").update(await readFile(requirements));
  const base = process.env["XDG_CACHE_HOME"] ?? "";
  const cache = join(base === "" ? join(homedir(), ".cache") : base, "network-topology-service");
  const folder = join(cache, `${name}-${pinned.digest("hex").slice(0, 16)}`);
  const program = join(folder, "bin", name);
  if (await succeeds(program, ["--version"])) return program;
  if (!(await hasPython())) throw new StartProblem(`${name} is a Python program: python3 of 3.11 or newer is needed.`);
  report(`Installing ${name} …`);
  await mkdir(cache, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await execa("python3", ["-m", "venv", folder]);
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "-r", requirements];
  await execa(join(folder, "bin", "python"), ["-m", "pip", "install", ...options], { stdio: "inherit" });
  return program;
}

export function hasPython(): Promise<boolean> {
  return succeeds("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]);
}

/** Whether a command exists and succeeds. */
export async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const { failed } = await execa(command, args, { reject: false, stdio: "ignore" });
  return !failed;
}
