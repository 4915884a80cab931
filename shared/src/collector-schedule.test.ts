import { describe, expect, it } from "@jest/globals";
import { closesAfter, dueSince, isOpen, nextRunAfter, opensAfter, planFault } from "./collector-schedule.js";

const at = (text: string): Date => new Date(`${text}Z`);
const hourly = { cron: "0 * * * *", time_zone: "UTC" };
const inBerlin = { cron: "30 2 * * *", time_zone: "Europe/Berlin" };
const night = { from: "22:00", to: "06:00", time_zone: "UTC" };

describe("the schedule of a collector", () => {
  it("is in its time zone, also when clocks are changed", () => {
    const next = (after: string): string | undefined =>
      nextRunAfter({ schedule: inBerlin, window: null }, at(after))?.toISOString();
    expect(next("2026-01-10T00:00")).toBe("2026-01-10T01:30:00.000Z");
    expect(next("2026-07-10T00:00")).toBe("2026-07-10T00:30:00.000Z");
    // Half past two does not exist on that day, and exists twice on the other.
    expect(next("2026-03-29T00:00")).toBe("2026-03-29T01:00:00.000Z");
    expect(next("2026-10-25T00:00")).toBe("2026-10-25T00:30:00.000Z");
    expect(next("2026-10-25T00:30")).toBe("2026-10-26T01:30:00.000Z");
  });

  it("only counts within the window, which may be over midnight", () => {
    expect(["21:59", "22:00", "05:59", "06:00"].map((time) => isOpen(night, at(`2026-01-10T${time}`)))).toEqual([
      ...[false, true, true, false],
    ]);
    const plan = { schedule: hourly, window: night };
    expect(nextRunAfter(plan, at("2026-01-10T06:30"))).toEqual(at("2026-01-10T22:00"));
    expect(nextRunAfter(plan, at("2026-01-10T22:00"))).toEqual(at("2026-01-10T23:00"));
    expect(opensAfter(night, at("2026-01-10T06:30"))).toEqual(at("2026-01-10T22:00"));
    expect(closesAfter(night, at("2026-01-10T23:30"))).toEqual(at("2026-01-11T06:00"));
    expect(closesAfter({ ...night, to: "22:00" }, at("2026-01-10T23:30"))).toBeNull();
  });

  it("is due once for all that was missed, from its time on", () => {
    const due = (last: string, now: string, window: typeof night | null = null): Date | null =>
      dueSince({ schedule: hourly, window }, { last: at(last), now: at(now) });
    expect(due("2026-01-10T12:00", "2026-01-10T12:59")).toBeNull();
    expect(due("2026-01-10T12:00", "2026-01-10T13:00")).toEqual(at("2026-01-10T13:00"));
    expect(due("2026-01-08T12:00", "2026-01-10T13:20")).toEqual(at("2026-01-10T13:00"));
    expect(due("2026-01-08T12:00", "2026-01-10T13:20", night)).toBeNull();
    expect(due("2026-01-10T21:00", "2026-01-10T22:00", night)).toEqual(at("2026-01-10T22:00"));
  });

  it("is refused if it never happens", () => {
    const fault = (cron: string, window: typeof night | null = null): string | undefined =>
      planFault({ schedule: { cron, time_zone: "UTC" }, window }, at("2026-01-10T00:00"))?.message;
    expect(fault("*/5 * * * 1-5")).toBeUndefined();
    expect(fault("0 0 31 2 *")).toBe("never happens");
    expect(fault("0 12 * * *", night)).toBe("never happens within the window");
    expect(fault("99 * * * *")).toMatch(/^is not a schedule: /);
    expect(planFault({ schedule: null, window: { ...night, time_zone: "Mars" } }, at("2026-01-10T00:00"))?.path).toBe(
      "window.time_zone",
    );
  });
});
