import { describe, expect, it } from "@jest/globals";
import { presenceOf } from "./presence.js";

const time = (day: number): string => new Date(Date.UTC(2026, 10, day)).toISOString();
const ms = (day: number): number => Date.UTC(2026, 10, day);
const month = { from: ms(1), to: ms(30) };
const returned = (start: number, end: number) =>
  ({
    action: "returned",
    at: time(end),
    before: { missed_since: time(start) },
    after: { missed_since: null },
  }) as const;

describe("the presence of a host", () => {
  it("is unknown before an import has found it, and has the gaps of the journal and the one of now", () => {
    const host = { seen: { first_at: time(5) }, missed_since: time(25) };
    const spans = presenceOf(host, [returned(15, 17), returned(8, 9)], month);
    expect(spans.map(({ state, from, to }) => [state, (from - ms(0)) / 86_400_000, (to - ms(0)) / 86_400_000])).toEqual(
      [
        ["unknown", 1, 5],
        ["seen", 5, 8],
        ["missed", 8, 9],
        ["seen", 9, 15],
        ["missed", 15, 17],
        ["seen", 17, 25],
        ["missed", 25, 30],
      ],
    );
  });

  it("begins with a gap that is older, and is unknown without any sighting", () => {
    const host = { seen: { first_at: time(-40) }, missed_since: null };
    const spans = presenceOf(host, [returned(-3, 4)], month);
    expect(spans.map(({ state }) => state)).toEqual(["missed", "seen"]);
    expect(presenceOf({ seen: null, missed_since: null }, [], month)).toEqual([{ state: "unknown", ...month }]);
  });
});
