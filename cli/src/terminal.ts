/** What a command can see and do of the world around it, besides the API. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Somebody is there who can be asked. */
  readonly isInteractive: boolean;
  /** Ended by Ctrl-C. */
  readonly signal: AbortSignal;
  /** A line of what was asked for, on standard output. */
  print(text: string): void;
  /** What was asked for as it is, such as a file. */
  write(bytes: Uint8Array): Promise<void>;
  /** A line for people, on standard error. */
  say(text: string): void;
  /** How far it is, over what was said of that before; nothing where nobody is. */
  progress(text: string): void;
  /** @param isSecret what is typed is not shown */
  ask(question: string, isSecret?: boolean): Promise<string>;
  /** All of standard input. */
  input(): Promise<string>;
}

/** What every command is given. */
export interface Surroundings {
  readonly terminal: Terminal;
  /** Runs a program and waits for it. @returns its standard output; null when it is not there or fails */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<string | null>;
}

export interface RunOptions {
  /** The program has the terminal, such as an editor; its output is not taken. */
  readonly hasTerminal?: boolean;
}

/** Who has to say yes: a person at the terminal, or `--yes`. @throws Problem where nobody can be asked */
export async function confirm(
  { isInteractive, ask, say }: Terminal,
  question: string,
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  if (yes === true) return;
  if (!isInteractive) throw new Problem(EXIT.usage, "Nobody is there to confirm it: add --yes.");
  const answer = await ask(`${question} [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return;
  say("Nothing was changed.");
  throw new Problem(EXIT.refused, "");
}

/** The body of an answer as it is, on standard output. */
export async function writeFile({ write }: Pick<Terminal, "write">, { body }: Response): Promise<void> {
  // Bodies are iterable in Node, which the types of the web do not know.
  if (body !== null) for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) await write(bytes);
}

/** What a program ends with. @see docs/cli.md */
export const EXIT = {
  success: 0,
  /** The API refused it, or it was not confirmed. */
  refused: 1,
  /** The command line says something that there is not. */
  usage: 2,
  /** 401 and 403. */
  forbidden: 3,
  /** 404, or nothing of that name. */
  missing: 4,
  /** 409 and 412: something stands against it, or has changed meanwhile. */
  conflict: 5,
  /** 429, after the repeats. */
  limited: 6,
  /** The server, or the way to it, has failed. */
  failed: 7,
} as const;

/** An end that is not a success. The message is for people; nothing is printed for an empty one. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
