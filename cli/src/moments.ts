import { ChangeCursor } from "@nts/shared/contract";
import { MOMENT_EXAMPLES, momentOf as momentIn, type Reader } from "@nts/shared/contract/moments.rules";
import { EXIT, Problem } from "./terminal.js";

// How people write moments, and read how long ago they were.

const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 },
};

/** The milliseconds of a duration such as `30s`, `2h` or `3d`; null if the text is something else. */
export function durationIn(text: string): number | null {
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(text.trim()) ?? [];
  return unit === "" ? null : Number(count) * (UNITS[unit] ?? 0);
}

/** What is shorter is a mistyped time. */
const SHORTEST_CURSOR = 16;

/** Parameters that mean the end of a day, of which the others mean the start. */
const ENDS: ReadonlySet<string> = new Set(["until", "to"]);

/**
 * The moment that is meant: a duration is that long ago, and dates are read as people write them, in their time zone. A
 * cursor is returned as it is.
 *
 * @param name of the parameter. @throws Problem if it is not clear
 */
export function momentOf(text: string, name: string, reader: Partial<Reader> = {}): string {
  const said = text.trim();
  const { now = new Date(), timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone } = reader;
  const duration = durationIn(said.replace(/ ago$/, ""));
  if (duration !== null) return new Date(now.getTime() - duration).toISOString();
  const moment = momentIn(said, { now, timeZone, edge: ENDS.has(name) ? "end" : "start" });
  if (moment !== null) return moment.toISOString();
  if (said.length >= SHORTEST_CURSOR && ChangeCursor.safeParse(said).success) return said;
  const option = `--${name.replaceAll("_", "-")}`;
  throw new Problem(
    EXIT.usage,
    `${option}: it is not clear when "${said}" is: write it like \`2h\`, ${MOMENT_EXAMPLES}.`,
  );
}

/** Each up to which number of milliseconds, as in `90s`, `47h` and `700d`. */
const STEPS = [
  { unit: "s", ms: 1_000, most: 120_000 },
  { unit: "m", ms: 60_000, most: 7_200_000 },
  { unit: "h", ms: 3_600_000, most: 172_800_000 },
  { unit: "d", ms: 86_400_000, most: 730 * 86_400_000 },
] as const;

/** How long ago it was, such as `3d`, or `in 3d`. */
export function ageOf(moment: string, now = Date.now()): string {
  const ms = now - Date.parse(moment);
  const apart = Math.abs(ms);
  const step = STEPS.find(({ most }) => apart < most);
  const text =
    step === undefined ? `${Math.floor(apart / (365.25 * 86_400_000))}y` : `${Math.floor(apart / step.ms)}${step.unit}`;
  // Clocks differ a little.
  return ms < -1_000 ? `in ${text}` : text;
}

/** Whether it is a moment as the API writes them. */
export function isMomentText(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text);
}
