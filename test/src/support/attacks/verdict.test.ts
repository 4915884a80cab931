import { describe, expect, it } from "@jest/globals";
import { faultsIn } from "./verdict.js";
import type { Measurements, Timings } from "./victim.js";

const TIMINGS: Timings = { responses: 100, medianMs: 5, slowestMs: 40, failures: [] };
const CALM: Measurements = { ...TIMINGS, work: {}, grownBytes: {}, starvedMs: {}, othersShare: 0 };

function faults(attacked: Partial<Measurements>, wrong: readonly string[] = []): readonly string[] {
  return faultsIn({ idle: CALM, attacked: { ...CALM, ...attacked }, wrong }, { readMs: 500, workMs: 5_000 });
}

describe("the verdict on an attack", () => {
  it("is that the system stood when every request of the victim got a response in time", () => {
    expect(faults({})).toEqual([]);
  });

  it("is a fault when the victim was rejected or waited, a process ended, or memory grew", () => {
    expect(faults({ failures: ["/networks: 500"] })).toEqual([
      "1 of 101 requests of the victim failed, first /networks: 500",
    ]);
    expect(faults({ responses: 0 })).toEqual(["the victim got no response"]);
    expect(faults({ grownBytes: { "topology-1": 200 * 2 ** 20, mongod: 2 ** 30 } })).toEqual([
      "topology-1 took 200 MiB more memory",
    ]);
    expect(faults({}, ["topology-1 ended"])).toEqual(["topology-1 ended"]);
    expect(faults({ slowestMs: 499 })).toEqual([]);
  });

  it("names the process that waited for a processor when the victim waited", () => {
    const starved = { starvedMs: { "gateway-1": 30, "identity-1": 17_000 }, othersShare: 1.5 };
    expect(faults({ slowestMs: 600, ...starved })).toEqual([
      "the victim waited 600 ms, more than 500; identity-1 had no processor for 17000 ms, others had 1.5",
    ]);
  });

  it("is on the victim's other work, too, which may take longer", () => {
    const work = (timings: Partial<Timings>) => ({ work: { exports: { ...TIMINGS, ...timings } } });
    expect(faults(work({ slowestMs: 4_000 }))).toEqual([]);
    expect(faults(work({ slowestMs: 6_000 }))).toEqual([
      expect.stringMatching(/^exports: the victim waited 6000 ms, more than 5000/),
    ]);
    expect(faults(work({ failures: ["unavailable: 503"] }))).toEqual([
      "exports: 1 of 101 requests of the victim failed, first unavailable: 503",
    ]);
  });
});
