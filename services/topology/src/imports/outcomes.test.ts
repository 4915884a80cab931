import { describe, expect, it } from "@jest/globals";
import { partsOf } from "./outcomes.js";

const job = (hostId: string | null) => ({ match: hostId === null ? null : { hostId, by: "ip_address" as const } });

describe("planning known hosts in batches", () => {
  it("puts no more children into a batch than fit, except for a single large host", () => {
    const sizes = new Map([
      ["small", 10],
      ["large", 2_000],
      ["other", 1_500],
      ["largest", 4_000],
    ]);
    const jobs = ["small", "large", "other", null, "largest", "small", "gone"].map(job);
    const parts = partsOf(jobs, sizes).map((part) => part.map(({ match }) => match?.hostId ?? "new"));
    expect(parts).toEqual([["small", "large"], ["other", "new"], ["largest"], ["small", "gone"]]);
  });

  it("puts all hosts into one batch when few are known", () => {
    const jobs = Array.from({ length: 50 }, () => job(null));
    expect(partsOf(jobs, new Map())).toEqual([jobs]);
    expect(partsOf([], new Map())).toEqual([]);
  });
});
