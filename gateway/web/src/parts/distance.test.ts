import { describe, expect, it } from "@jest/globals";
import { distance } from "./distance.js";

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
    ["2024-05-01T12:00:00.000Z", "2 years ago"],
  ])("%s is %s", (at, words) => {
    expect(distance(at, NOW)).toBe(words);
  });
});
