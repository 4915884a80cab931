import { describe, expect, it } from "@jest/globals";
import { localText, momentOf } from "./moments.js";

describe("the expiry of a key in its form", () => {
  it("survives a round trip to the minute", () => {
    expect(momentOf(localText("2026-07-31T09:30:00.000Z"))).toBe("2026-07-31T09:30:00.000Z");
    expect(momentOf(localText("2026-01-31T23:59:00.000Z"))).toBe("2026-01-31T23:59:00.000Z");
  });

  it("is never when it is empty", () => {
    expect([localText(null), momentOf("")]).toEqual(["", null]);
  });
});
