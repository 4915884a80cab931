import { describe, expect, it } from "@jest/globals";
import { CHANGES } from "./history.js";
import { moved, movedTime, timeOf } from "./past.rules.js";

const at = (text: string): number => Date.parse(`2026-11-20T${text}.000Z`);
const seeding = {
  phases: [
    { at: at("12:00:00"), past: Date.parse("2026-11-13T09:15:00.000Z") },
    { at: at("12:00:30"), past: Date.parse("2026-11-14T02:10:00.000Z") },
  ],
  until: at("12:01:00"),
};

describe("the timestamps of a freshly seeded demo", () => {
  it("keep their distance within a phase and their order between phases", () => {
    const times = [at("12:00:00"), at("12:00:29"), at("12:00:30"), at("12:00:59")].map((time) =>
      movedTime(seeding, time),
    );
    expect(times.map((time) => new Date(time).toISOString())).toEqual([
      "2026-11-13T09:15:00.000Z",
      "2026-11-13T09:15:29.000Z",
      "2026-11-14T02:10:00.000Z",
      "2026-11-14T02:10:29.000Z",
    ]);
  });

  it("are left alone outside of the seeding period, and when they have been moved before", () => {
    for (const time of [at("11:59:59"), seeding.until, at("12:00:00") - 21 * 86_400_000, 443])
      expect(movedTime(seeding, time)).toBe(time);
    const once = moved(seeding, { at: new Date(at("12:00:31")), wire: '{"updated_at":"2026-11-20T12:00:31.000Z"}' });
    expect(once).toEqual({
      at: new Date("2026-11-14T02:10:01.000Z"),
      wire: '{"updated_at":"2026-11-14T02:10:01.000Z"}',
    });
    expect(moved(seeding, once)).toEqual(once);
  });

  it("are moved in numbers, lists and nested documents, and nowhere else", () => {
    const document = {
      seen_last: at("12:00:01"),
      port: 443,
      gone: null,
      on: true,
      rows: [{ at: new Date(at("12:00:02")) }],
    };
    expect(moved(seeding, document)).toEqual({
      ...document,
      seen_last: Date.parse("2026-11-13T09:15:01.000Z"),
      rows: [{ at: new Date("2026-11-13T09:15:02.000Z") }],
    });
  });
});

describe("the history of the demo", () => {
  it("runs from a week ago until yesterday, one change after the other, minutes apart", () => {
    for (const now of ["2026-11-20T00:00:01", "2026-11-20T23:59:59", "2026-03-30T12:00:00"].map((text) =>
      new Date(text).getTime(),
    )) {
      const times = CHANGES.map(({ when }) => timeOf(when, now));
      for (const [index, time] of times.slice(1).entries())
        expect(time - times[index]!).toBeGreaterThanOrEqual(600_000);
      expect(now - times[0]!).toBeGreaterThan(5 * 86_400_000);
      expect(times.at(-1)).toBeLessThan(now - 600_000);
    }
  });
});
