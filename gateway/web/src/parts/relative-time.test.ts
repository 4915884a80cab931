import { describe, expect, it } from "@jest/globals";
import { relativeTime, durationSince } from "./relative-time.js";

const NOW = Date.parse("2026-06-01T12:00:00.000Z");

describe("a moment in words", () => {
  it.each([
    ["2026-06-01T11:59:30.000Z", "just now"],
    ["2026-06-01T12:00:10.000Z", "just now"],
    ["2026-06-01T12:00:50.000Z", "in less than a minute"],
    ["2026-06-01T11:58:00.000Z", "2 minutes ago"],
    ["2026-06-01T09:00:00.000Z", "3 hours ago"],
    ["2026-06-02T12:00:01.000Z", "tomorrow"],
    ["2026-06-08T12:00:00.000Z", "in 7 days"],
    ["2026-05-18T12:00:01.000Z", "13 days ago"],
    ["2026-05-18T12:00:00.000Z", "2 weeks ago"],
    ["2026-05-11T12:00:00.000Z", "3 weeks ago"],
    ["2026-05-02T12:00:00.000Z", "last month"],
    ["2024-05-01T12:00:00.000Z", "2 years ago"],
  ])("%s is %s", (at, words) => {
    expect(relativeTime(at, NOW)).toBe(words);
  });
});

describe("the time since a moment, in words", () => {
  it.each([
    ["2026-06-01T12:00:10.000Z", "less than a minute"],
    ["2026-06-01T11:59:30.000Z", "less than a minute"],
    ["2026-06-01T11:58:00.000Z", "2 minutes"],
    ["2026-05-31T12:00:00.000Z", "1 day"],
    ["2026-05-18T12:00:01.000Z", "13 days"],
    ["2026-05-11T12:00:00.000Z", "3 weeks"],
    ["2026-04-01T12:00:00.000Z", "2 months"],
  ])("since %s: %s", (at, words) => {
    expect(durationSince(at, NOW)).toBe(words);
  });
});
