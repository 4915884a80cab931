import { describe, expect, it } from "@jest/globals";
import type { Scope } from "@nts/shared/http/tenancy";
import { createCachedStats } from "./cached.js";
import type { ExactStats } from "./exact.rules.js";

const seen = (organizationId: string, networks: Scope["networks"], rights = networks) => ({
  scope: { organizationId, networks },
  rights: { organizationId, networks: rights },
});
const all = (organizationId: string) => seen(organizationId, "all");

const statsAt = (at: string, more = {}): ExactStats => ({ at, subnets: [], ...more }) as unknown as ExactStats;

/** Counts that end on request. */
function counting() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const count = (name: string) => () => {
    started.push(name);
    return new Promise<ExactStats>((resolve) => ends.push(() => resolve(statsAt(name))));
  };
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { started, count, end };
}

describe("cached statistics", () => {
  it("are computed once for all concurrent callers, and cached afterwards", async () => {
    const { started, count, end } = counting();
    const kept = createCachedStats(60_000);
    const requests = [kept(all("o"), count("first")), kept(all("o"), count("second"))];
    await new Promise(setImmediate);
    await end();
    const results = [...(await Promise.all(requests)), await kept(all("o"), count("third"))];
    expect([started, results.map(({ stats }) => stats.at)]).toEqual([["first"], ["first", "first", "first"]]);
  });

  it("have the same ETag while the numbers are the same, whenever they were computed", async () => {
    const kept = createCachedStats();
    const tagOf = async (organization: string, ports: number): Promise<string> =>
      (await kept(all(organization), () => Promise.resolve(statsAt(organization, { totals: { ports } })))).etag;
    expect(await tagOf("a", 1)).toBe(await tagOf("b", 1));
    expect(await tagOf("c", 2)).not.toBe(await tagOf("a", 1));
  });

  it("are not shared between callers with other rights who see the same networks while another one is being deleted", async () => {
    const kept = createCachedStats(60_000);
    const daysOf = async (rights: Scope["networks"], changes: number): Promise<unknown> =>
      (await kept(seen("o", ["1"], rights), () => Promise.resolve(statsAt("", { days: [{ changes }] })))).stats.days;
    expect(await daysOf("all", 2)).toEqual([{ changes: 2 }]);
    expect(await daysOf(["1"], 1)).toEqual([{ changes: 1 }]);
  });

  it("are computed one at a time per organization, and fail only for the callers that requested them", async () => {
    const { started, count, end } = counting();
    const kept = createCachedStats();
    const failing = kept(all("o"), () => Promise.reject(new Error("unavailable")));
    const requests = [kept(seen("o", ["1"]), count("o1")), kept(seen("o", ["2"]), count("o2"))];
    const other = kept(all("p"), count("p"));
    await expect(failing).rejects.toThrow("unavailable");
    await new Promise(setImmediate);
    expect(started.sort()).toEqual(["o1", "p"]);
    await end();
    await end();
    await end();
    expect((await Promise.all([...requests, other])).map(({ stats }) => stats.at)).toEqual(["o1", "o2", "p"]);
  });
});
