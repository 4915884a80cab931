/** The stream that progress is written to. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A line that overwrites itself. */
export interface ProgressLine {
  /** Writes nothing unless the stream is a terminal. */
  show(text: string): void;
  /** Removes the line, before other output. */
  clear(): void;
}

export function createProgressLine(screen: Screen): ProgressLine {
  let shown = "";
  return {
    show: (text) => {
      // A wrapped line could not be overwritten. Some terminals report a width of 0.
      const { columns = 0 } = screen;
      const line = text.slice(0, (columns > 0 ? columns : 80) - 1);
      if (screen.isTTY !== true || line === shown) return;
      screen.write(`\r${line}${CLEAR_REST}`);
      shown = line;
    },
    clear: () => {
      if (shown === "") return;
      screen.write(`\r${CLEAR_REST}`);
      shown = "";
    },
  };
}

const CLEAR_REST = "\u001b[K";
const WIDTH = 30;

/** Such as `[###       ] 3 of 10`. */
export function bar(done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * WIDTH);
  return `[${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${done} of ${all}`;
}

/** Progress of a transfer of unknown size, such as `1.2 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Number of hosts that an import has processed. @param text the response so far */
export function hostsIn(text: string): number {
  return text.split('"matched_by":').length - 1;
}
