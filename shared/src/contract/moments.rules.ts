// Dates as people write them, in their time zone: "yesterday", "2 hours ago", "last monday", "28 nov", "end of this month".
// What could be meant in two ways, such as 03/04, is not guessed.

/** A moment, or a time from one to another, which is not part of it. */
interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface Reader {
  readonly now: Date;
  /** As `Europe/Berlin`. */
  readonly timeZone: string;
  /** Which end of a day, week, month or year is meant; it also decides whether "friday" is the last or the next one. */
  readonly edge: "start" | "end";
}

/** A local time; parts beyond their range carry over. */
interface Local {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];
const UNITS = ["minute", "hour", "day", "week", "month", "year"] as const;
type Unit = (typeof UNITS)[number];

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const AMOUNT = String.raw`(a|an|${NUMBERS.join("|")}|\d{1,5})`;
const UNIT = "(minute|min|hour|hr|h|day|d|week|w|month|year)s?";
const CLOCK = String.raw`(\d{1,2})(?::(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?(?: ?([ap])\.?m\.?)?`;
const LONGEST_TEXT = 60;

/** Examples for those whose text was not understood. */
export const MOMENT_EXAMPLES = "`yesterday`, `2 hours ago`, `last monday`, `2026-11-28`, `end of this month`";

/** True for a time zone that can be used. */
export function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** What a text means; null if that is not clear. */
export function momentOf(text: string, reader: Reader): Date | null {
  if (text.length > LONGEST_TEXT) return null;
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s,]+/g, " ")
    .replace(/^(?:on|at|the|since|until|by|before) /, "");
  const span = spanOf(plain, reader);
  if (span === null) return null;
  const moment = reader.edge === "start" ? span.from : span.to;
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** A moment as it is in a time zone, which is named. */
export function momentText(moment: Date, timeZone: string): string {
  const { year, month, day, hour, minute } = localOf(moment, timeZone);
  const offset = Math.round(offsetMs(moment, timeZone) / 60_000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const size = Math.abs(offset);
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)} ${zone} (${timeZone})`;
}

function spanOf(text: string, reader: Reader): Span | null {
  const { now, timeZone } = reader;
  if (text === "now") return instant(now);
  const edge = /^(start|beginning|end) of (?:the )?(.+)$/.exec(text);
  if (edge !== null) {
    const whole = spanOf(edge[2] ?? "", reader);
    return whole && instant(edge[1] === "end" ? whole.to : whole.from);
  }
  return (
    exactTime(text) ??
    relative(text, localOf(now, timeZone), reader) ??
    withClock(text, reader) ??
    wholeDay(text, reader) ??
    period(text, reader)
  );
}

/** ISO 8601 with an offset. */
function exactTime(text: string): Span | null {
  const iso = /^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)? ?(?:z|[+-]\d{2}:?\d{2})$/.test(text);
  return iso ? instant(new Date(text.replace(" ", "T").replaceAll(" ", "").toUpperCase())) : null;
}

/** "2 hours ago", "two weeks ago", "24h", "2 weeks", "in 3 days", "last 24 hours". */
function relative(text: string, here: Local, { now, timeZone, edge }: Reader): Span | null {
  const brief = edge === "start" ? new RegExp(`^${AMOUNT} ?${UNIT}$`).exec(text) : null;
  const ago = new RegExp(`^${AMOUNT} ?${UNIT} ago$`).exec(text) ?? brief;
  if (ago !== null) return instant(moved(here, unitOf(ago[2]), -amountOf(ago[1]), timeZone));
  const ahead = new RegExp(`^in ${AMOUNT} ${UNIT}$`).exec(text);
  if (ahead !== null) return instant(moved(here, unitOf(ahead[2]), amountOf(ahead[1]), timeZone));
  const last =
    new RegExp(`^(?:last|past) ${AMOUNT} ?${UNIT}$`).exec(text) ?? /^past ()(hour|day|week|month|year)$/.exec(text);
  if (last === null) return null;
  return { from: moved(here, unitOf(last[2]), -amountOf(last[1]), timeZone), to: now };
}

/** "yesterday at 14:00", "2026-11-28 14:00". */
function withClock(text: string, reader: Reader): Span | null {
  const plain = text.replace(/\bnoon$/, "12:00").replace(/\bmidnight$/, "00:00");
  const found = new RegExp(`^(?:(.+?)(?: at |t| ))?${CLOCK}$`).exec(plain);
  if (found === null) return null;
  const [, date = "today", hour, minute, second = "0", half] = found;
  // A bare number is no time.
  if (minute === undefined && half === undefined) return null;
  const clock = { hour: hourOf(Number(hour), half), minute: Number(minute ?? 0), second: Number(second) };
  if (clock.hour > 23 || clock.minute > 59 || clock.second > 59) return null;
  const day = wholeDay(date, reader);
  return day && instant(instantOf({ ...localOf(day.from, reader.timeZone), ...clock }, reader.timeZone));
}

/** @param half `a` before noon, `p` after it; undefined on a clock of 24 hours */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Infinity;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

/** "today", "2026-11-28", "28.11.2026", "28 november", "last monday". */
function wholeDay(text: string, { now, timeZone, edge }: Reader): Span | null {
  const here = localOf(now, timeZone);
  const dayAt = (by: number): Span => span(here, "day", by, timeZone);
  const near = ["day before yesterday", "yesterday", "today", "tomorrow", "day after tomorrow"].indexOf(text);
  if (near !== -1) return dayAt(near - 2);
  const numeric = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (numeric !== null) return dateSpan(Number(numeric[1]), Number(numeric[2]), Number(numeric[3]), timeZone);
  // With points, the day comes first everywhere.
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(text);
  if (dotted !== null) return dateSpan(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]), timeZone);
  const named = namedDate(text);
  if (named !== null) {
    const { month, day, year = nearestYear(month, day, here, edge) } = named;
    return dateSpan(year, month, day, timeZone);
  }
  const weekday = /^(?:(last|this|next) )?([a-z]+)$/.exec(text);
  const index = weekday === null ? -1 : WEEKDAYS.findIndex((name) => isShort(weekday[2] ?? "", name));
  return index === -1 ? null : dayAt(daysTo(index, weekday?.[1], weekdayOf(here), edge));
}

/** "this month", "last week", "november 2026", "2026-11". */
function period(text: string, { now, timeZone, edge }: Reader): Span | null {
  const here = localOf(now, timeZone);
  const named = /^(?:(last|previous|this|next) )?(day|week|month|year)$/.exec(text);
  if (named !== null) {
    const by = { last: -1, previous: -1, this: 0, next: 1 }[named[1] ?? "this"];
    return span(here, unitOf(named[2]), by ?? 0, timeZone);
  }
  const numeric = /^(\d{4})-(\d{2})$/.exec(text);
  const found = /^([a-z]+)(?: (\d{4}))?$/.exec(text);
  const month = numeric === null ? monthOf(found?.[1] ?? "") : Number(numeric[2]);
  if (month < 1 || month > 12) return null;
  const year = Number(numeric?.[1] ?? found?.[2] ?? nearestYear(month, here.day, here, edge));
  return span({ ...here, year, month, day: 1 }, "month", 0, timeZone);
}

/** "28 nov 2026", "november 28". */
function namedDate(text: string): { month: number; day: number; year?: number } | null {
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)? (?:of )?([a-z]+)(?: (\d{4}))?$/.exec(text);
  const monthFirst = /^([a-z]+) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/.exec(text);
  const [, day, name, year] = dayFirst ?? [undefined, monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]];
  const month = monthOf(name ?? "");
  if (day === undefined || month === 0) return null;
  return { month, day: Number(day), ...(year !== undefined && { year: Number(year) }) };
}

/** The year of a date without one: the last such date, or the next one. */
function nearestYear(month: number, day: number, here: Local, edge: Reader["edge"]): number {
  const isLater = month > here.month || (month === here.month && day > here.day);
  const isEarlier = month < here.month || (month === here.month && day < here.day);
  if (edge === "start") return isLater ? here.year - 1 : here.year;
  return isEarlier ? here.year + 1 : here.year;
}

/** Days from today to a weekday. @param today both from 0, for Monday */
function daysTo(weekday: number, which: string | undefined, today: number, edge: Reader["edge"]): number {
  const ahead = (weekday - today + 7) % 7;
  if (which === "this") return weekday - today;
  if (which === "next") return ahead === 0 ? 7 : ahead;
  if (which === "last") return ahead === 0 ? -7 : ahead - 7;
  return edge === "end" || ahead === 0 ? ahead : ahead - 7;
}

function dateSpan(year: number, month: number, day: number, timeZone: string): Span | null {
  const isDate = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  return isDate ? span({ ...MIDNIGHT, year, month, day }, "day", 0, timeZone) : null;
}

const MIDNIGHT = { hour: 0, minute: 0, second: 0 };

/** The day, week, month or year of a local time, or one that many later. Weeks begin on Monday. */
function span(here: Local, unit: Unit, by: number, timeZone: string): Span {
  const { year, month, day } = here;
  const starts = {
    day: { ...here, ...MIDNIGHT },
    week: { ...here, ...MIDNIGHT, day: day - weekdayOf(here) },
    month: { year, month, day: 1, ...MIDNIGHT },
    year: { year, month: 1, day: 1, ...MIDNIGHT },
  };
  const start = starts[unit as keyof typeof starts];
  return { from: moved(start, unit, by, timeZone), to: moved(start, unit, by + 1, timeZone) };
}

/** A local time, some units later; what lasts hours or less is counted in real time. */
function moved(here: Local, unit: Unit, by: number, timeZone: string): Date {
  const { year, month, day } = here;
  if (unit === "minute" || unit === "hour")
    return new Date(instantOf(here, timeZone).getTime() + by * (unit === "hour" ? 3_600_000 : 60_000));
  if (unit === "day" || unit === "week")
    return instantOf({ ...here, day: day + by * (unit === "week" ? 7 : 1) }, timeZone);
  const months = year * 12 + (month - 1) + by * (unit === "year" ? 12 : 1);
  const target = { year: Math.floor(months / 12), month: (months % 12) + 1 };
  const longest = new Date(Date.UTC(target.year, target.month, 0)).getUTCDate();
  return instantOf({ ...here, ...target, day: Math.min(day, longest) }, timeZone);
}

function instant(at: Date): Span {
  return { from: at, to: at };
}

function amountOf(text = ""): number {
  if (/^\d+$/.test(text)) return Number(text);
  return Math.max(1, NUMBERS.indexOf(text) + 1);
}

function unitOf(text: string | undefined): Unit {
  const whole = { min: "minute", hr: "hour", h: "hour", d: "day", w: "week" }[text ?? ""] ?? text;
  return UNITS.find((unit) => unit === whole) ?? "day";
}

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => isShort(name, month)) + 1;
}

/** The word itself, or its first letters, at least three. */
function isShort(text: string, word: string): boolean {
  return text.length >= 3 && word.startsWith(text.replace(/\.$/, ""));
}

/** From 0, for Monday. */
function weekdayOf({ year, month, day }: Pick<Local, "year" | "month" | "day">): number {
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

function localOf(at: Date, timeZone: string): Local {
  const there = new Date(at.getTime() + offsetMs(at, timeZone));
  return {
    year: there.getUTCFullYear(),
    month: there.getUTCMonth() + 1,
    day: there.getUTCDate(),
    hour: there.getUTCHours(),
    minute: there.getUTCMinutes(),
    second: there.getUTCSeconds(),
  };
}

/** What clocks show there, less UTC. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return shown - Math.floor(at.getTime() / 1_000) * 1_000;
}

/** When a local time is; one that clocks skip is as much later. */
function instantOf({ year, month, day, hour, minute, second }: Local, timeZone: string): Date {
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  const first = shown - offsetMs(new Date(shown), timeZone);
  return new Date(shown - offsetMs(new Date(first), timeZone));
}
