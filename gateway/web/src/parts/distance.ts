const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// The clock of the page is as old as its latest tick, and that of the server is another one.
const A_WHILE_SECONDS = 30;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
/** Such as `3 hours ago` or `in 2 days`. */
export function distance(at: string, nowMs: number): string {
  const seconds = (Date.parse(at) - nowMs) / 1_000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (unit === undefined) return seconds > A_WHILE_SECONDS ? "in less than a minute" : "just now";
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}
