import { execa, ExecaError } from "execa";

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
  const { signal, env } = options;
  try {
    const { stdout } = await execa(command, args, {
      stdin: "ignore",
      timeout: TOOL_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { LC_ALL: "C", ...env },
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
    return stdout;
  } catch (error) {
    throw error instanceof ExecaError ? new ToolFailure(reasonOf(command, error as ExecaError)) : error;
  }
}

const OFFLINE =
  /could not resolve|temporary failure|name resolution|connection (?:error|refused|timed out|broken)|unreachable/i;

function reasonOf(command: string, { code, stderr, shortMessage }: ExecaError): string {
  if (code === "ENOENT") return `${command} is not installed`;
  const said = typeof stderr === "string" ? stderr : "";
  if (OFFLINE.test(said)) return `${command} cannot reach the network`;
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const relevant = lines.findLast((line) => /^(E|ERROR|Error):?\s/.test(line)) ?? lines.at(-1);
  return relevant?.trim() ?? shortMessage;
}
