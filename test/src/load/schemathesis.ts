/**
 * Schemathesis generates requests from the OpenAPI document and checks the responses; `test/fuzz` adapts it to the API.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { preparePythonTool } from "../support/python-tools.js";

const FOLDER = fileURLToPath(new URL("../../fuzz/", import.meta.url));

/** Which requests are sent, and where to. */
export interface FuzzRun {
  readonly url: string;
  readonly credential: "key" | "session";
  readonly seed: number;
  /** Random requests per operation, in addition to those at the limits of its schemas. */
  readonly examples: number;
  /** A file for the counts, in a folder of this run. */
  readonly countsFile: string;
}

export interface FuzzResult {
  readonly passed: boolean;
  /** The output of schemathesis. */
  readonly output: string;
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** The program, installed if necessary. @throws StartProblem when there is no sufficiently new Python */
export function prepareSchemathesis(report: (line: string) => void): Promise<string> {
  return preparePythonTool({ name: "schemathesis", requirements: join(FOLDER, "requirements.txt"), report });
}

/** Sends random requests to a gateway; a seed repeats them, as far as the responses are the same. */
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
  const cwd = dirname(run.countsFile); // for files that the program leaves
  const { exitCode, all } = await execa(program, options, { env, cwd, all: true, reject: false, stdin: "ignore" });
  const counts = await readFile(run.countsFile, "utf8").catch(() => "{}");
  return { passed: exitCode === 0, output: all, statuses: JSON.parse(counts) as Record<string, number> };
}
