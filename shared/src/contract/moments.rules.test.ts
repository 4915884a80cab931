import { describe, expect, it } from "@jest/globals";
import { isTimeZone, momentOf, momentText, type Reader } from "./moments.rules.js";

/** A Monday, 04:30 in Berlin. */
const now = new Date("2026-11-30T03:30:00Z");
const berlin: Reader = { now, timeZone: "Europe/Berlin", edge: "start" };
const start = (text: string, reader = berlin) => momentOf(text, reader)?.toISOString().slice(0, 16) ?? null;
const end = (text: string) => start(text, { ...berlin, edge: "end" });

describe("a date as people write it", () => {
  it("is a day of their time zone, from its start or to its end", () => {
    expect([start("today"), end("today")]).toEqual(["2026-11-29T23:00", "2026-11-30T23:00"]);
    expect([start("Yesterday"), start("since yesterday")]).toEqual(["2026-11-28T23:00", "2026-11-28T23:00"]);
    expect([start("2026-11-28"), end("2026-11-28")]).toEqual(["2026-11-27T23:00", "2026-11-28T23:00"]);
    expect([start("28 November"), start("nov 28, 2026"), start("28th of nov")]).toEqual(
      Array(3).fill("2026-11-27T23:00"),
    );
    expect([start("28.11.2026"), start("the day before yesterday")]).toEqual(["2026-11-27T23:00", "2026-11-27T23:00"]);
    expect([start("24 dec"), end("24 dec")]).toEqual(["2025-12-23T23:00", "2026-12-24T23:00"]);
    expect(start("yesterday", { ...berlin, timeZone: "America/New_York" })).toBe("2026-11-28T05:00");
  });

  it("counts back and forth, in months as long as they are, and in days as long as clocks make them", () => {
    expect([start("2 hours ago"), start("an hour ago"), start("in 30 days")]).toEqual([
      "2026-11-30T01:30",
      "2026-11-30T02:30",
      "2026-12-30T03:30",
    ]);
    expect([start("two weeks ago"), start("24h"), start("2 weeks"), end("24h"), start("36h ago")]).toEqual([
      "2026-11-16T03:30",
      "2026-11-29T03:30",
      "2026-11-16T03:30",
      null,
      "2026-11-28T15:30",
    ]);
    expect([start("last 24 hours"), end("last 24 hours"), start("past week")]).toEqual([
      "2026-11-29T03:30",
      "2026-11-30T03:30",
      "2026-11-23T03:30",
    ]);
    const march = { ...berlin, now: new Date("2026-03-30T10:00:00Z") };
    expect([start("1 month ago", march), start("2 days ago", march)]).toEqual(["2026-02-28T11:00", "2026-03-28T11:00"]);
  });

  it("is a weekday, week, month or year, the last or the next one", () => {
    expect([start("last monday"), start("monday"), start("next monday")]).toEqual([
      "2026-11-22T23:00",
      "2026-11-29T23:00",
      "2026-12-06T23:00",
    ]);
    expect([start("friday"), end("friday"), start("this friday")]).toEqual([
      "2026-11-26T23:00",
      "2026-12-04T23:00",
      "2026-12-03T23:00",
    ]);
    expect([start("this month"), end("this month"), start("last week"), end("end of november")]).toEqual([
      "2026-10-31T23:00",
      "2026-11-30T23:00",
      "2026-11-22T23:00",
      "2026-11-30T23:00",
    ]);
    expect([start("2026-11"), start("start of this year"), end("end of the month")]).toEqual([
      "2026-10-31T23:00",
      "2025-12-31T23:00",
      "2026-11-30T23:00",
    ]);
  });

  it("may have a time, with an offset or that of the time zone", () => {
    expect([start("yesterday at 14:00"), start("2026-11-28 14:00"), start("2026-11-28T14:00:00Z")]).toEqual([
      "2026-11-29T13:00",
      "2026-11-28T13:00",
      "2026-11-28T14:00",
    ]);
    expect([start("yesterday at 2pm"), start("28 nov 12:30 a.m."), start("noon"), start("at 4:15")]).toEqual([
      "2026-11-29T13:00",
      "2026-11-27T23:30",
      "2026-11-30T11:00",
      "2026-11-30T03:15",
    ]);
    expect([start("2026-11-28T14:00:00+05:30"), start("2026-11-28 25:00")]).toEqual(["2026-11-28T08:30", null]);
  });

  it("is not guessed", () => {
    for (const text of [
      "03/04/2026",
      "soon",
      "",
      "2026-02-30",
      "2026-13-01",
      "9".repeat(100),
      "the 5th",
      "13pm",
      "yesterday 14",
    ])
      expect([text, momentOf(text, berlin)]).toEqual([text, null]);
  });

  it("is repeated with its time zone", () => {
    expect(momentText(now, "Europe/Berlin")).toBe("2026-11-30 04:30 +01:00 (Europe/Berlin)");
    expect(momentText(now, "America/St_Johns")).toBe("2026-11-30 00:00 -03:30 (America/St_Johns)");
    expect([isTimeZone("UTC"), isTimeZone("Europe/Berlin"), isTimeZone("Mars/Base")]).toEqual([true, true, false]);
  });
});
