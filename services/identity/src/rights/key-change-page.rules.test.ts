import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { pageOf } from "./key-change-page.rules.js";

const change = (number: number) => ({ number, subjects: [`subject-${number}`] });
const changes = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => change(from + i));

describe("key-changes.page: the page for a gateway", () => {
  it("is empty when nothing changed", () => {
    expect(pageOf(7, 7, [])).toEqual({ changes: [], highest: 7, reset: false });
    expect(pageOf(0, 0, [])).toEqual({ changes: [], highest: 0, reset: false });
  });

  it("contains every change since the one it has applied", () => {
    expect(pageOf(2, 4, changes(3, 4))).toEqual({ changes: changes(3, 4), highest: 4, reset: false });
  });

  it("includes a change that was committed after the highest number was read", () => {
    expect(pageOf(2, 3, changes(3, 5))).toEqual({ changes: changes(3, 5), highest: 5, reset: false });
  });

  it("is a reset when a change since then is no longer kept", () => {
    expect(pageOf(2, 6, changes(5, 6))).toEqual({ changes: [], highest: 6, reset: true });
    expect(pageOf(2, 6, [])).toEqual({ changes: [], highest: 6, reset: true });
  });

  it("is a reset when there are more changes than a page may contain", () => {
    expect(pageOf(2, 9, changes(3, 5))).toEqual({ changes: [], highest: 9, reset: true });
  });

  it("is a reset for a gateway that is ahead of the log", () => {
    expect(pageOf(9, 3, [])).toEqual({ changes: [], highest: 3, reset: true });
  });

  it("omits no change without a reset", () => {
    const known = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(known, known, fc.subarray(changes(1, 20)), (after, highest, kept) => {
        const found = kept.filter(({ number }) => number > after);
        const page = pageOf(after, highest, found);
        if (page.reset) return;
        expect(page.changes.map(({ number }) => number)).toEqual(
          Array.from({ length: page.highest - after }, (_, i) => after + 1 + i),
        );
        expect(page.highest).toBeGreaterThanOrEqual(highest);
      }),
    );
  });
});
