type Unit = "year" | "month" | "week" | "day" | "hour" | "minute";

/** Units with their seconds, and the seconds from which they are used. */
const UNITS: readonly (readonly [unit: Unit, size: number, from: number])[] = [
  ["year", 31_536_000, 31_536_000],
  ["month", 2_592_000, 2_592_000],
  ["week", 604_800, 1_209_600],
  ["day", 86_400, 86_400],
  ["hour", 3_600, 3_600],
  ["minute", 60, 60],
];

// The page's clock is as old as its last tick, and the server's clock may differ.
const A_WHILE_SECONDS = 30;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** Such as `3 hours ago` or `in 2 days`. */
export function relativeTime(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1_000;
  const unit = unitOf(seconds);
  if (unit === undefined) return seconds > A_WHILE_SECONDS ? "in less than a minute" : "just now";
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** Such as `3 weeks`. */
export function durationSince(at: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(at)) / 1_000;
  const unit = unitOf(seconds);
  if (unit === undefined || seconds < 0) return "less than a minute";
  const format = new Intl.NumberFormat("en", { style: "unit", unit: unit[0], unitDisplay: "long" });
  return format.format(Math.trunc(seconds / unit[1]));
}

/** Such as `not seen for 3 weeks`. */
export function notSeenFor(since: string, nowMs: number): string {
  return `not seen for ${durationSince(since, nowMs)}`;
}

function unitOf(seconds: number): (typeof UNITS)[number] | undefined {
  return UNITS.find(([, , from]) => Math.abs(seconds) >= from);
}
