import { describe, expect, it } from "@jest/globals";
import { deferralMs, longestBackoffMs } from "./backoff.rules.js";

describe("mail.backoff: delays between attempts", () => {
  it("double up to a minute while the server accepts nothing", () => {
    expect([1, 2, 3, 6, 7, 5_000].map(longestBackoffMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  it("double up to a quarter of an hour for a recipient that the server defers", () => {
    expect([1, 2, 3, 10, 11, 5_000].map(deferralMs)).toEqual([1_000, 2_000, 4_000, 512_000, 900_000, 900_000]);
  });
});
