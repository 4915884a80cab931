import type { Surroundings, Terminal } from "./terminal.js";

/** A terminal at which nobody is, and which shows nothing. @param more what differs */
export function aTerminal(more: Partial<Terminal> = {}): Terminal {
  const nothing = (): void => undefined;
  return {
    env: {},
    isInteractive: false,
    isOutputShown: false,
    signal: new AbortController().signal,
    print: nothing,
    write: () => Promise.resolve(),
    say: nothing,
    progress: nothing,
    ask: () => Promise.resolve(""),
    input: () => Promise.resolve(""),
    outliveReader: nothing,
    finishFirst: nothing,
    ...more,
  };
}

/** The same where no other program runs. */
export function aTerminalAlone(more: Partial<Terminal> = {}): Surroundings {
  return { terminal: aTerminal(more), run: () => Promise.resolve(null) };
}
