import { describe, expect, it } from "@jest/globals";
import { createSlots } from "./slots.js";

const refusal = (code: string): unknown => expect.objectContaining({ code, params: { retry_after_seconds: 5 } });

describe("imports at a time", () => {
  it("are two of an organization and four in all, and another when one has ended", () => {
    const slots = createSlots();
    const releases = ["one", "one", "two", "two"].map((organization) => slots.take(organization));
    expect(() => slots.take("one")).toThrow(refusal("rate_limited"));
    expect(() => slots.take("three")).toThrow(refusal("unavailable"));
    releases[0]!();
    const again = slots.take("three");
    expect(() => slots.take("one")).toThrow(refusal("unavailable"));
    again();
    slots.take("one");
  });
});
