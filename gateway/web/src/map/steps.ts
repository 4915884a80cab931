import type { Change } from "@nts/shared/contract";
import { groupsOf } from "../activity/entries.js";

/** A selectable time: directly after a request, or further back at a fixed interval. */
export interface Step {
  readonly at: string;
  /** The newest entry of the request. */
  readonly change: Change | null;
}

/** Maximum number of steps on the slider, and the minimum distance as a share of its length. */
const MOST_EACH = 60;
const LEAST_SHARE = 1 / 200;
/** Times before those with known changes. */
const MOST_EARLIER = 60;
const LEAST_APART_MS = 60_000;

/**
 * Steps from the earliest to the last before the present.
 *
 * @param changes the latest, newest first
 * @param oldestAt time of the oldest retained change; null if all are given
 */
export function stepsOf(changes: readonly Change[], oldestAt: string | null): readonly Step[] {
  const steps = new Map<string, Step>();
  for (const { entries } of groupsOf(changes.filter(isDrawn))) {
    const [change] = entries;
    if (!steps.has(change.at)) steps.set(change.at, { at: change.at, change });
  }
  // the step after the newest change is the present
  const recent = thinned([...steps.values()].sort((a, b) => (a.at < b.at ? -1 : 1)).slice(0, -1));
  const [first] = recent;
  if (oldestAt === null || first === undefined) return recent;
  const from = Date.parse(oldestAt);
  const until = Date.parse(first.at);
  const length = Math.max(1, Math.min(MOST_EARLIER, Math.floor((until - from) / LEAST_APART_MS)));
  const timeOf = (n: number): string => new Date(from + (n * (until - from)) / length).toISOString();
  return [...Array.from({ length }, (_, n) => ({ at: timeOf(n), change: null })), ...recent];
}

/** Views are not part of what they show, and past states do not tell what was not seen. */
function isDrawn({ entity, action }: Pick<Change, "entity" | "action">): boolean {
  return entity !== "View" && action !== "missed" && action !== "returned";
}

/** Of many steps close together, such as those of an import, only the last one is kept. */
function thinned(steps: readonly Step[]): readonly Step[] {
  const first = steps[0];
  const last = steps.at(-1);
  if (steps.length <= MOST_EACH || first === undefined || last === undefined) return steps;
  const least = (Date.parse(last.at) - Date.parse(first.at)) * LEAST_SHARE;
  return steps.filter(({ at }, index) => {
    const next = steps[index + 1];
    return next === undefined || Date.parse(next.at) - Date.parse(at) >= least;
  });
}

/** The index of the last step that is not later than a time, or -1. */
export function placeOf(steps: readonly Step[], at: string): number {
  return steps.findLastIndex((step) => step.at <= at);
}
