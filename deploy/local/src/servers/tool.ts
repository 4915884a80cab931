import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const TOOL_TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** A helper program (pip, apt-get, …) failed; the message is its own last line. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}

/**
 * Runs a helper program to its end and answers what it printed on standard output.
 *
 * @throws ToolFailure when it is missing, fails, or is stopped by the signal
 */
export async function runTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<string> {
  const { signal, env } = options;
  try {
    const answer = await run(command, args, {
      timeout: TOOL_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...process.env, LC_ALL: "C", ...env },
      ...(signal === undefined ? {} : { signal }),
    });
    return answer.stdout;
  } catch (error) {
    throw new ToolFailure(reasonOf(command, error as ExecFileError));
  }
}

export interface ToolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

const OFFLINE =
  /could not resolve|temporary failure|name resolution|connection (?:error|refused|timed out|broken)|unreachable/i;

interface ExecFileError {
  readonly code?: string | number;
  readonly stderr?: string;
  readonly message: string;
}

function reasonOf(command: string, error: ExecFileError): string {
  if (error.code === "ENOENT") return `${command} is not installed`;
  if (OFFLINE.test(error.stderr ?? "")) return `${command} cannot reach the network`;
  const lines = (error.stderr ?? "").split("\n").filter((line) => line.trim() !== "");
  const telling = lines.findLast((line) => /^(E|ERROR|Error):?\s/.test(line)) ?? lines.at(-1);
  return telling?.trim() ?? error.message;
}
