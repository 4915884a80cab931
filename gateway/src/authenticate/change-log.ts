// Which changes of rights have been applied here. Their numbers have no gaps, but notices of them may be lost or overtake
// one another: only pulling, or a notice of exactly the next number, moves `applied`.

/** Keeps count of applied changes. */
export interface ChangeLog {
  /** Every change up to this number has been applied. */
  applied(): number;
  /** The highest number heard of; what identity read before that change must not be kept. */
  newest(): number;
  /** Notes a change that was applied out of the row; true when all before it are applied too. */
  noticed(number: number): boolean;
  /** Notes that all changes up to `highest` were applied. */
  pulled(highest: number): void;
  /** Begins again at a number, which may be lower. */
  restart(number: number): void;
}

// A gateway that cannot pull for long must not collect notices without end; pulling makes good for those dropped.
const MOST_AHEAD = 10_000;

/** A log that has applied nothing. */
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
