// Which changes of rights have been applied here. Their numbers have no gaps, but notices may be lost or reordered:
// only a pull, or a notice of exactly the next number, advances `applied`.

/** Tracks applied changes. */
export interface ChangeLog {
  /** Every change up to this number has been applied. */
  applied(): number;
  /** The highest known number; what identity read before that change must not be cached. */
  newest(): number;
  /** Records a change that was applied out of order; true if all before it are applied too. */
  noticed(number: number): boolean;
  /** Records that all changes up to `highest` were applied. */
  pulled(highest: number): void;
  /** Restarts at a number, which may be lower. */
  restart(number: number): void;
}

// Bounds the notices kept while pulls fail; the next pull makes up for dropped ones.
const MOST_AHEAD = 10_000;

/** Creates a log without applied changes. */
export function createChangeLog(): ChangeLog {
  let applied = 0;
  let newest = 0;
  const ahead = new Set<number>();

  function advanceTo(number: number): void {
    applied = Math.max(applied, number);
    newest = Math.max(newest, applied);
    while (ahead.delete(applied + 1)) applied += 1;
    for (const number of ahead) if (number <= applied) ahead.delete(number);
  }

  return {
    applied: () => applied,
    newest: () => newest,
    noticed: (number) => {
      newest = Math.max(newest, number);
      if (number > applied + 1) {
        if (ahead.size < MOST_AHEAD) ahead.add(number);
        return false;
      }
      advanceTo(number);
      return true;
    },
    pulled: advanceTo,
    restart: (number) => {
      applied = number;
      newest = number;
      ahead.clear();
    },
  };
}
