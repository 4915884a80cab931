import { describe, expect, it } from "@jest/globals";
import { type Verdict, verdictOn } from "./verdict.js";
import type { Measurements, Timings } from "./victim.js";

const TIMINGS: Timings = { responses: 100, medianMs: 5, slowestMs: 40, failures: [] };
const CALM: Measurements = {
  ...{ ...TIMINGS, work: {}, grownBytes: {}, starvedMs: {}, othersShare: 0 },
};
const STARVED = { starvedMs: { "gateway-1": 30, "identity-1": 17_000 }, othersShare: 1.5 };

function verdict(attacked: Partial<Measurements>, wrong: readonly string[] = []): Verdict {
  return verdictOn({ idle: CALM, attacked: { ...CALM, ...attacked }, wrong }, { readMs: 500, workMs: 5_000 });
}

describe("the verdict on an attack", () => {
  it("is a success when every request of the victim got a response in time", () => {
    expect(verdict({})).toEqual({ faults: [], isSlowOnly: false, isStarved: false });
  });

  it("is a failure at once when the victim was rejected, a process ended, or memory grew, whatever used the processors", () => {
    for (const [seen, wrong] of [
      [{ failures: ["/networks: 500"] }, []],
      [{ grownBytes: { "topology-1": 200 * 2 ** 20 } }, []],
      [{}, ["topology-1 ended"]],
      [{}, ["the import of another organization was answered 400"]],
    ] as const)
      for (const machine of [{}, STARVED])
        expect(verdict({ ...machine, ...seen }, wrong)).toMatchObject({
          faults: [expect.anything()],
          isSlowOnly: false,
        });
  });

  it("is a failure that is repeated when the victim only waited, with the starved processes", () => {
    for (const seen of [
      { slowestMs: 600 },
      { failures: ["/networks: 504"] },
      { failures: ["/: no response within 10 s"] },
    ])
      expect(verdict(seen)).toMatchObject({ faults: [expect.anything()], isSlowOnly: true, isStarved: false });
    expect(verdict({ slowestMs: 600, ...STARVED }).faults).toEqual([
      "the victim waited 600 ms, more than 500; identity-1 had no processor for 17000 ms, others had 1.5",
    ]);
  });

  it("is on the victim's other work, too, which may take longer", () => {
    const work = (timings: Partial<Timings>) => ({ work: { exports: { ...TIMINGS, ...timings } } });
    expect(verdict(work({ slowestMs: 4_000 })).faults).toEqual([]);
    expect(verdict(work({ slowestMs: 6_000 }))).toMatchObject({
      faults: [expect.stringMatching(/^exports: the victim waited 6000 ms, more than 5000/)],
      isSlowOnly: true,
    });
    expect(verdict(work({ failures: ["exports: unavailable: 503"] }))).toMatchObject({
      faults: ["1 of 101 requests of the victim failed, first exports: unavailable: 503"],
      isSlowOnly: false,
    });
    expect(verdict(work({ failures: ["exports: upstream_timeout: 504"] })).isSlowOnly).toBe(true);
  });

  it("treats 503 as waiting only when a process was starved", () => {
    const refused = { failures: ["/networks: 503"] };
    expect(verdict(refused).isSlowOnly).toBe(false);
    expect(verdict({ ...refused, ...STARVED })).toMatchObject({ isSlowOnly: true, isStarved: true });
  });

  it("blames the machine only when other programs used the processors, not when the attack did", () => {
    expect(verdict({ ...STARVED, othersShare: 0.1, slowestMs: 9_000 })).toMatchObject({
      isSlowOnly: true,
      isStarved: false,
    });
  });
});
