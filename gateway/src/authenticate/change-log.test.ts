import { describe, expect, it } from "@jest/globals";
import { createChangeLog } from "./change-log.js";

describe("the log of applied changes", () => {
  it("counts a notice of the next change as applied", () => {
    const log = createChangeLog();
    log.pulled(4);
    expect(log.noticed(5)).toBe(true);
    expect(log.applied()).toBe(5);
  });

  it("does not count a notice as applied while an earlier one is missing", () => {
    const log = createChangeLog();
    log.pulled(4);
    expect(log.noticed(6)).toBe(false);
    expect(log.applied()).toBe(4);
    expect(log.newest()).toBe(6);
  });

  it("catches up when the missing notice comes late", () => {
    const log = createChangeLog();
    log.pulled(4);
    log.noticed(6);
    log.noticed(7);
    expect(log.noticed(5)).toBe(true);
    expect(log.applied()).toBe(7);
  });

  it("catches up when the missing change is pulled", () => {
    const log = createChangeLog();
    log.noticed(3);
    log.pulled(2);
    expect(log.applied()).toBe(3);
  });

  it("ignores a response that is older than a notice", () => {
    const log = createChangeLog();
    log.pulled(4);
    log.noticed(5);
    log.pulled(4);
    expect(log.applied()).toBe(5);
  });

  it("starts again at a lower number when the log was replaced", () => {
    const log = createChangeLog();
    log.pulled(40);
    log.noticed(42);
    log.restart(3);
    expect([log.applied(), log.newest()]).toEqual([3, 3]);
    log.noticed(4);
    expect(log.applied()).toBe(4);
  });
});
