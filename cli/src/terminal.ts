/** A command's environment besides the API. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Interactive. */
  readonly isInteractive: boolean;
  /** Standard output is a terminal. */
  readonly isOutputShown: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** A line of output, on standard output. */
  print(text: string): void;
  /** Output as it is, such as a file. */
  write(bytes: Uint8Array): Promise<void>;
  /** A message for people, on standard error. */
  say(text: string): void;
  /** Progress, which replaces earlier progress; only if interactive. */
  progress(text: string): void;
  /** @param isSecret input is not echoed */
  ask(question: string, isSecret?: boolean): Promise<string>;
  /** Reads standard input to its end. */
  input(): Promise<string>;
  /** From now on the command goes on although nobody reads its output any more: what it writes would be left half-done. */
  outliveReader(): void;
  /** The same, but its exit code says that nobody has read all: it has a session to end, and nothing to write. */
  finishFirst(): void;
}

/** What every command is given. */
export interface Surroundings {
  readonly terminal: Terminal;
  /** Runs a program. @returns its standard output; null if it is missing or fails */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<string | null>;
}

export interface RunOptions {
  /** The program gets the terminal, for example an editor; its output is not captured. */
  readonly hasTerminal?: boolean;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Asks for confirmation, unless `--yes`. @throws Problem if it is not confirmed, or not interactive */
export async function confirm(
  { isInteractive, ask, say }: Terminal,
  question: string,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  if (yes === true) return;
  if (!isInteractive) throw new Problem(EXIT.usage, "Not interactive: confirm with --yes.");
  const answer = await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  say("Nothing was changed.");
  throw new Problem(EXIT.refused, "");
}

type Chunks = AsyncIterable<Uint8Array> | readonly Uint8Array[];

/** Writes chunks to standard output. */
export async function writeAll({ write }: Pick<Terminal, "write">, chunks: Chunks): Promise<void> {
  for await (const bytes of chunks) await write(bytes);
}

/** The chunks of a response body. */
export function chunksOf({ body }: Response): Chunks {
  return body ?? [];
}

/** Exit codes. @see docs/cli.md */
export const EXIT = {
  success: 0,
  /** Rejected by the API, or not confirmed. */
  refused: 1,
  /** Invalid command line. */
  usage: 2,
  /** 401 and 403. */
  forbidden: 3,
  /** 404, or no such name. */
  missing: 4,
  /** 409 and 412: a conflict. */
  conflict: 5,
  /** 429, after retries. */
  limited: 6,
  /** Server or connection failure. */
  failed: 7,
} as const;

/** A failure. Its message is for people; an empty one is not printed. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
