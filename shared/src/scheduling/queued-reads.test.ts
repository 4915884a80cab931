import { describe, expect, it } from "@jest/globals";
import { createQueuedRead } from "./queued-reads.js";
import { createShares } from "./shares.js";

/** A read whose results are numbered, and which ends when it is told to. */
function createReads(limits: Parameters<typeof createShares>[0]) {
  const read = createQueuedRead(createShares(limits).use);
  const ends: (() => void)[] = [];
  let begun = 0;
  return {
    ask: (key: string, organization = "one") =>
      read(organization, key, async () => {
        const own = (begun += 1);
        await new Promise<void>((resolve) => ends.push(resolve));
        return own;
      }),
    endNext: async () => {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

describe("queued reads", () => {
  it("are shared until they begin: not by other keys, other organizations, or requests after that", async () => {
    const { ask, endNext } = createReads({ operations: 1 });
    const first = ask("a");
    const waiting = [ask("a"), ask("a"), ask("b"), ask("a", "other")];
    for (let n = 0; n < 2; n++) await endNext();
    expect(await Promise.all([first, waiting[3]])).toEqual([1, 2]);
    const late = ask("a");
    for (let n = 0; n < 3; n++) await endNext();
    expect(await Promise.all([...waiting, late])).toEqual([3, 3, 4, 2, 5]);
  });

  it("reject all who share one, and are forgotten", async () => {
    const { ask, endNext } = createReads({ operations: 1, waitMs: 10 });
    const first = ask("a");
    for (const waiting of [ask("a"), ask("a")])
      await expect(waiting).rejects.toThrow(expect.objectContaining({ code: "unavailable" }));
    await endNext();
    const next = ask("a");
    await endNext();
    expect(await Promise.all([first, next])).toEqual([1, 2]);
  });
});
