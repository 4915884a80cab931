import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { startTopology, type Topology } from "../support/topology.js";
import { type Race, RACES, runRace, type RaceResult, type PrepareRound } from "../support/topology-races.js";
import { manyMacAddresses, twoUpdates } from "../support/topology-writers.js";

// Two instances with separate clients and queues, on one database. Without the guards these races leave orphans: see
// `topology.unguarded.test.ts`.

/** Most faults show within 20 rounds without their guard, those of tags within 150: the long tier has more. */
const ROUNDS = Number(process.env["RACE_ROUNDS"] ?? 4);
const roundsOf = (name: string): number => (name.startsWith("a tag") ? Math.max(12, ROUNDS) : ROUNDS);
jest.setTimeout(300_000 + ROUNDS * 240); // on a busy machine too

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ instances: 2 });
});
afterAll(() => topology.stop());

async function race(prepare: PrepareRound, rounds = ROUNDS): Promise<RaceResult> {
  const result = await runRace(topology, prepare, rounds);
  if (process.env["RACE_ENDS"] !== undefined) console.log(expect.getState().currentTestName, result.results);
  return result;
}

describe("races that a guard decides: one request is first, and no reference is left dangling", () => {
  const races = Object.values(RACES).flatMap((group) => Object.entries<Race>(group));
  it.each(races)("%s", async (name, { prepare, results: allowed }) => {
    const { results, violations } = await race(prepare, roundsOf(name));
    expect(violations).toEqual([]);
    const unexpected = [...results.keys()].filter((end) => !allowed.some((one) => one.join(", ") === end));
    expect(unexpected).toEqual([]);
  });
});

describe("races of writers of one entity", () => {
  it("two updates of one service leave one of the two bodies, never a mix", async () => {
    const { results, faults, violations } = await race(twoUpdates());
    expect([faults, violations]).toEqual([[], []]);
    expect([...results.keys()]).toEqual(["done, done"]);
  });

  it("of two updates with the same revision exactly one succeeds", async () => {
    const { results, faults, violations } = await race(twoUpdates('"1"'));
    expect([faults, violations]).toEqual([[], []]);
    const allowed = ["done, precondition_failed", "precondition_failed, done"];
    expect([...results.keys()].filter((end) => !allowed.includes(end))).toEqual([]);
  });

  it("of concurrent writers of a MAC address exactly one succeeds, permanently", async () => {
    const { faults, violations } = await race(manyMacAddresses);
    expect([faults, violations]).toEqual([[], []]);
  });
});
