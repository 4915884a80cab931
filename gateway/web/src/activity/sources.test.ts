import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { joinedPages } from "./sources.js";

const at = (...times: number[]): Change[] =>
  times.map((time) => ({ cursor: `c${time}`, at: `2026-01-01T00:00:${String(time).padStart(2, "0")}Z` }) as Change);
const cursorsOf = (entries: readonly Change[]): string[] => entries.map(({ cursor }) => cursor);

describe("several histories as one", () => {
  it("are shown as far as nothing can come in between, and continue where each of them was left", () => {
    const pages = [
      { data: at(9, 7, 5), next: "c5" },
      { data: at(8, 3, 2), next: "c2" },
    ];
    const { entries, next } = joinedPages(pages, ["", ""]);
    expect(cursorsOf(entries)).toEqual(["c9", "c8", "c7", "c5"]);
    expect(next).toEqual(["c5", "c8"]);
  });

  it("end with the last of them, and have what is in both once", () => {
    const pages = [
      { data: at(4, 1), next: null },
      { data: at(4, 3), next: null },
    ];
    const { entries, next } = joinedPages(pages, ["c5", "c8"]);
    expect(cursorsOf(entries)).toEqual(["c4", "c3", "c1"]);
    expect(next).toBeNull();
  });

  it("show nothing of one that is behind, until it has caught up", () => {
    const pages = [
      { data: at(9, 8), next: "c8" },
      { data: at(2), next: null },
    ];
    expect(joinedPages(pages, ["", ""])).toMatchObject({ next: ["c8", ""] });
  });
});
