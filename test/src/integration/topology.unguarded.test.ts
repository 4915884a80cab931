import { afterEach, describe, expect, it } from "@jest/globals";
import { startTopology, type Topology } from "../support/topology.js";
import { type Race, RACES, runRace, type RaceResult, type Stage } from "../support/topology-races.js";
import { writeOneHost } from "../support/topology-short.js";
import { UNGUARDED } from "../support/topology-unguarded.js";
import { manyMacAddresses, twoUpdates } from "../support/topology-writers.js";

// The other half of `topology.races.test.ts`: the same races with what decides them turned off. They must go wrong, or
// the races with the guards would prove nothing. Of the tags about one round in ten goes wrong, of the others most.

const ROUNDS = 20;
const ROUNDS_OF_TAGS = 150;
const ORPHANED = /points at nothing|binding_cross_host|outside of its subnet|is not there$/;

let topology: Topology;
afterEach(() => topology.stop());

async function race(off: keyof typeof UNGUARDED, stage: Stage, rounds: number): Promise<RaceResult> {
  topology = await startTopology({ instances: 2, storage: UNGUARDED[off] });
  return runRace(topology, stage, rounds);
}

function show(wrong: number, rounds: number): void {
  if (process.env["RACE_ENDS"] !== undefined) console.log(expect.getState().currentTestName, `${wrong} of ${rounds}`);
}

describe.each(["lock", "reference", "count"] as const)("without the guard %s orphans appear", (guard) => {
  it.each(Object.entries<Race>(RACES[guard]))("%s", async (name, { stage }) => {
    const rounds = name.startsWith("a tag") ? ROUNDS_OF_TAGS : ROUNDS;
    const { violations } = await race(guard, stage, rounds);
    const orphans = violations.filter((violation) => ORPHANED.test(violation));
    show(orphans.length, rounds);
    expect(orphans.length).toBeGreaterThan(0);
  });
});

describe("without the revision as a condition", () => {
  it("updates without a transaction lose others", async () => {
    topology = await startTopology({ instances: 2, storage: UNGUARDED.revision });
    const faults = await writeOneHost(topology, 15);
    show(faults.length, 1);
    expect(faults.filter((fault) => fault.includes("updates were told"))).not.toEqual([]);
  });
});

describe("without transactions writers of one thing mix", () => {
  it("two updates of one service leave parts of both", async () => {
    const { violations } = await race("transaction", twoUpdates(), ROUNDS);
    show(violations.length, ROUNDS);
    expect(violations.length).toBeGreaterThan(0);
  });

  it("two updates that name the same revision are both done", async () => {
    const { ends } = await race("transaction", twoUpdates('"1"'), ROUNDS);
    show(ends.get("done, done") ?? 0, ROUNDS);
    expect(ends.get("done, done")).toBeGreaterThan(0);
  });

  it("many writers of a MAC address win", async () => {
    const { faults } = await race("transaction", manyMacAddresses, ROUNDS);
    show(faults.length, ROUNDS);
    expect(faults.length).toBeGreaterThan(0);
  });
});
