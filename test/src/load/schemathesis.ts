/** Schemathesis, which makes requests from the OpenAPI document and judges the answers; `test/fuzz` teaches it our API. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { StartProblem } from "@nts/local/start-problem";

const FOLDER = fileURLToPath(new URL("../../fuzz/", import.meta.url));
const REQUIREMENTS = join(FOLDER, "requirements.txt");

/** Which requests are sent, and where to. */
export interface FuzzRun {
  readonly url: string;
  readonly credential: "key" | "session";
  readonly seed: number;
  /** Random requests per operation, beside those that go to the limits of its schemas. */
  readonly examples: number;
  /** A file for the counts, in a folder of this run. */
  readonly countsFile: string;
}

export interface FuzzResult {
  readonly passed: boolean;
  /** What schemathesis printed. */
  readonly output: string;
  /** How many requests were answered with which status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * The program: in the pinned version, in a virtual environment of its own in the user's cache folder.
 *
 * @throws StartProblem when there is no Python that is new enough
 */
export async function prepareSchemathesis(report: (line: string) => void): Promise<string> {
  const pinned = createHash("sha256").update(await readFile(REQUIREMENTS));
  const base = process.env["XDG_CACHE_HOME"] ?? "";
  const cache = join(base === "" ? join(homedir(), ".cache") : base, "network-topology-service");
  const folder = join(cache, `schemathesis-${pinned.digest("hex").slice(0, 16)}`);
  const program = join(folder, "bin", "schemathesis");
  if (await succeeds(program, ["--version"])) return program;
  if (!(await succeeds("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"])))
    throw new StartProblem("The random requests are made by a Python program: python3 of 3.11 or newer is needed.");
  report("Installing schemathesis …");
  await mkdir(cache, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await execa("python3", ["-m", "venv", folder]);
  const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "-r", REQUIREMENTS];
  await execa(join(folder, "bin", "python"), ["-m", "pip", "install", ...options], { stdio: "inherit" });
  return program;
}

/** Sends random requests to a gateway; those of one seed are the same each time, as far as the answers are. */
export async function runSchemathesis(program: string, run: FuzzRun): Promise<FuzzResult> {
  const options = [
    ...["--config-file", join(FOLDER, "schemathesis.toml")],
    ...["run", `${run.url}/openapi.json`, "--no-color"],
    ...["--phases", "examples,coverage,fuzzing", "--continue-on-failure"],
    ...["--seed", String(run.seed), "--max-examples", String(run.examples), "--generation-database", "none"],
  ];
  const env = {
    FUZZ_URL: run.url,
    FUZZ_CREDENTIAL: run.credential,
    FUZZ_COUNTS: run.countsFile,
    PYTHONPATH: FOLDER,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const cwd = dirname(run.countsFile); // for what the program leaves behind
  const { exitCode, all } = await execa(program, options, { env, cwd, all: true, reject: false, stdin: "ignore" });
  const counts = await readFile(run.countsFile, "utf8").catch(() => "{}");
  return { passed: exitCode === 0, output: all, statuses: JSON.parse(counts) as Record<string, number> };
}

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const { failed } = await execa(command, args, { reject: false, stdio: "ignore" });
  return !failed;
}
