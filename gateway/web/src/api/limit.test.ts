import { describe, expect, it } from "@jest/globals";
import { levelAt } from "./limit.js";

describe("the level of the rate limit between two answers", () => {
  const state = { limit: 300, remaining: 100, resetSeconds: 10, seenAt: 1_000_000 };

  it("is what the answer said, of as many as there are at least", () => {
    expect(levelAt(state, state.seenAt)).toEqual({ remaining: 100, capacity: 145 });
    expect(levelAt({ ...state, remaining: 150, resetSeconds: 0 }, state.seenAt)).toEqual({
      remaining: 150,
      capacity: 150,
    });
  });

  it("rises evenly, and never above what was told", () => {
    expect(levelAt(state, state.seenAt + 4_000).remaining).toBe(120);
    expect(levelAt(state, state.seenAt + 60_000).remaining).toBe(145);
  });
});
