import { Cron } from "croner";
import type { CollectorSchedule, CollectorWindow } from "./contract/collectors.js";

// When a collector looks around.

interface Plan {
  readonly schedule: CollectorSchedule | null;
  readonly window: CollectorWindow | null;
}

/** Windows that are tried until one contains a scheduled time. */
const MOST_WINDOWS = 400;

/** What is wrong with a schedule or a window, and where; null if nothing is. */
export function planFault(
  { schedule, window }: Plan,
  now: Date,
): { readonly path: string; readonly message: string } | null {
  const zoneMessage = "is not a time zone that the server knows; use one such as Europe/Berlin or UTC";
  if (schedule !== null && !isTimeZone(schedule.time_zone)) return { path: "schedule.time_zone", message: zoneMessage };
  if (window !== null && !isTimeZone(window.time_zone)) return { path: "window.time_zone", message: zoneMessage };
  if (schedule === null) return null;
  try {
    if (cronOf(schedule).nextRun(now) === null) return { path: "schedule.cron", message: "never happens" };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : "";
    return { path: "schedule.cron", message: `is not a schedule: ${reason}` };
  }
  if (nextRunAfter({ schedule, window }, now) === null)
    return { path: "schedule.cron", message: "never happens within the window" };
  return null;
}

/** When the schedule next lets it look around, after a time; null for never. */
export function nextRunAfter({ schedule, window }: Plan, after: Date): Date | null {
  if (schedule === null) return null;
  const cron = cronOf(schedule);
  let from = after;
  for (let tries = 0; tries < MOST_WINDOWS; tries++) {
    const next = cron.nextRun(from);
    if (next === null || isOpen(window, next)) return next;
    // The next scheduled time may be the moment at which it opens.
    from = new Date(opensAfter(window as CollectorWindow, next).getTime() - 1_000);
  }
  return null;
}

/** The scheduled time that is due: the last one, unless it has been noticed, or the window is closed. */
export function dueSince({ schedule, window }: Plan, { last, now }: { last: Date; now: Date }): Date | null {
  if (schedule === null || !isOpen(window, now)) return null;
  const [due] = cronOf(schedule).previousRuns(1, new Date(now.getTime() + 1));
  return due === undefined || due <= last || !isOpen(window, due) ? null : due;
}

/** Whether it may look around at a time. */
export function isOpen(window: CollectorWindow | null, at: Date): boolean {
  if (window === null || window.from === window.to) return true;
  const { from, to, time_zone: timeZone } = window;
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const now = time.format(at);
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** When a window next opens after a time. */
export function opensAfter({ from, time_zone }: CollectorWindow, after: Date): Date {
  return atTimeOfDay(from, time_zone, after);
}

/** When an open window closes; null for never. */
export function closesAfter(window: CollectorWindow | null, after: Date): Date | null {
  return window === null || window.from === window.to ? null : atTimeOfDay(window.to, window.time_zone, after);
}

function atTimeOfDay(time: string, time_zone: string, after: Date): Date {
  const [hour = "0", minute = "0"] = time.split(":");
  // A daily schedule always happens again.
  return cronOf({ cron: `${Number(minute)} ${Number(hour)} * * *`, time_zone }).nextRun(after) as Date;
}

function cronOf({ cron, time_zone: timezone }: CollectorSchedule): Cron {
  return new Cron(cron, { timezone, mode: "5-part", paused: true });
}

function isTimeZone(timeZone: string): boolean {
  try {
    return Intl.DateTimeFormat("en-GB", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
