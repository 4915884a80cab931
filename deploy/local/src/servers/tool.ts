// Without packages: servers are fetched while those are being installed.
import { execFile, type ExecFileException } from "node:child_process";

const TOOL_TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** A helper program (pip, apt-get, …) failed; the message is its last line. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

export interface ToolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a helper program and returns its standard output.
 *
 * @throws ToolFailure if it is missing, fails, or is aborted
 */
export async function runTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const given = {
      timeout: TOOL_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...process.env, LC_ALL: "C", ...options.env },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    const child = execFile(command, args, given, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new ToolFailure(reasonOf(command, error, stderr)));
    });
    child.stdin?.end();
  });
}

const OFFLINE =
  /could not resolve|temporary failure|name resolution|connection (?:error|refused|timed out|broken)|unreachable/i;

function reasonOf(command: string, { code, message }: ExecFileException, stderr: string): string {
  if (code === "ENOENT") return `${command} is not installed`;
  if (OFFLINE.test(stderr)) return `${command} cannot reach the network`;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const relevant = lines.findLast((line) => /^(E|ERROR|Error):?\s/.test(line)) ?? lines.at(-1);
  return relevant?.trim() ?? message;
}
