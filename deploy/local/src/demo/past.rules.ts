// Maps the times of a seeded demo into the past. Order is kept, and mapped times are never mapped again, so an
// interrupted run can be repeated.

/** From `at` on, in milliseconds since 1970, what was written counts as written from `past` on. */
export interface Phase {
  readonly at: number;
  readonly past: number;
}

/** The start of each seeding phase in order, and the end of the last one. */
export interface Seeding {
  readonly phases: readonly Phase[];
  readonly until: number;
}

/** A day before the seeding, and a local time of day such as `02:10`. */
export interface PastMoment {
  readonly daysAgo: number;
  readonly at: string;
}

/** @param now milliseconds since 1970 */
export function timeOf({ daysAgo, at }: PastMoment, now: number): number {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const day = new Date(now);
  day.setDate(day.getDate() - daysAgo);
  return day.setHours(hours, minutes, 0, 0);
}

/** A time mapped to the past; unchanged if it is not of the seeding. */
export function movedTime({ phases, until }: Seeding, time: number): number {
  const phase = phases.findLast(({ at }) => at <= time);
  return phase === undefined || time >= until ? time : phase.past + (time - phase.at);
}

const TIMES_IN_TEXT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A stored value with its times mapped: dates, milliseconds, and times in strings. */
export function moved(seeding: Seeding, value: unknown): unknown {
  if (typeof value === "number") return movedTime(seeding, value);
  if (typeof value === "string")
    return value.replaceAll(TIMES_IN_TEXT, (time) => new Date(movedTime(seeding, Date.parse(time))).toISOString());
  if (value instanceof Date) return new Date(movedTime(seeding, value.getTime()));
  if (Array.isArray(value)) return value.map((one) => moved(seeding, one));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(seeding, one)]));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
