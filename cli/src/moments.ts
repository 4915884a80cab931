// How people write moments, and read how long ago they were.

const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 },
};

/** The milliseconds of a duration such as `30s`, `2h` or `3d`; null if the text is something else. */
export function durationIn(text: string): number | null {
  const [, count = "", unit = ""] = /^(\d+)([smhdw])$/.exec(text.trim()) ?? [];
  return unit === "" ? null : Number(count) * (UNITS[unit] ?? 0);
}

/**
 * The moment that is meant: a duration is that long ago, a date its first moment in UTC, and `now`, `today` and
 * `yesterday` what they say. Anything else is returned as it is, such as a cursor.
 */
export function momentOf(text: string, now = Date.now()): string {
  const duration = durationIn(text.replace(/ ago$/, ""));
  if (duration !== null) return new Date(now - duration).toISOString();
  const said = text.trim();
  if (said === "now") return new Date(now).toISOString();
  if (said === "today") return startOfDay(now);
  if (said === "yesterday") return startOfDay(now - 86_400_000);
  return /^\d{4}-\d\d-\d\d$/.test(said) ? `${said}T00:00:00Z` : said;
}

function startOfDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 10)}T00:00:00Z`;
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
