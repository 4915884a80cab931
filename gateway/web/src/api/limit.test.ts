import { describe, expect, it } from "@jest/globals";
import { levelAt } from "./limit.js";

describe("the rate limit level between two responses", () => {
  const state = { limit: 300, remaining: 100, resetSeconds: 10, seenAt: 1_000_000 };

  it("is the reported one, and the limit is at least as high", () => {
    expect(levelAt(state, state.seenAt)).toEqual({ remaining: 100, capacity: 145 });
    expect(levelAt({ ...state, remaining: 150, resetSeconds: 0 }, state.seenAt)).toEqual({
      remaining: 150,
      capacity: 150,
    });
  });

  it("rises steadily, and never above the limit", () => {
    expect(levelAt(state, state.seenAt + 4_000).remaining).toBe(120);
    expect(levelAt(state, state.seenAt + 60_000).remaining).toBe(145);
  });
});
