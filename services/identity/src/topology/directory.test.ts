import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { AppError } from "@nts/shared/errors";
import { createTopologyDirectory } from "./directory.js";

type Ask = Parameters<typeof createTopologyDirectory>[0]["ask"];

/** Two replicas that do not respond take twice 3 s. */
const LONGEST_CALL_MS = 6_000;

afterEach(() => {
  jest.useRealTimers();
});

describe("the networks of an organization", () => {
  it("are requested by two calls at a time; further callers share the next one, also behind calls that time out", async () => {
    jest.useFakeTimers();
    let calls = 0;
    const ask = async (): Promise<string[]> => {
      calls += 1;
      if (calls > 2) return ["b", "a"];
      await new Promise((resolve) => setTimeout(resolve, LONGEST_CALL_MS));
      throw new AppError("upstream_timeout");
    };
    const directory = createTopologyDirectory({ ask: ask as unknown as Ask });
    const reads = Array.from({ length: 5 }, () =>
      directory
        .networksIn({ organizationId: "one", networks: "all" })
        .catch((error: unknown) => (error as AppError).code),
    );
    await jest.advanceTimersByTimeAsync(LONGEST_CALL_MS);
    expect(await Promise.all(reads)).toEqual([
      "upstream_timeout",
      "upstream_timeout",
      ...Array.from({ length: 3 }, () => ["a", "b"]),
    ]);
    expect(calls).toBe(3);
  });
});
