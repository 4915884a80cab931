/** Where somebody may see how far something is, such as standard error. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line that is written over. */
export interface ProgressLine {
  /** Nothing where there is no screen. */
  show(text: string): void;
  /** Makes room for other lines. */
  clear(): void;
}

export function createProgressLine(screen: Screen): ProgressLine {
  let shown = "";
  return {
    show: (text) => {
      // A line that wraps could not be written over; some terminals say that they have no columns.
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

/** How much has come of something whose size nobody knows, such as `1.2 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** How many hosts an import is done with, by what has come of its answer. */
export function hostsIn(answer: string): number {
  return answer.split('"matched_by":').length - 1;
}
