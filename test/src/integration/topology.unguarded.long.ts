import { afterEach, describe, expect, it } from "@jest/globals";
import { startTopology, type Topology } from "../support/topology.js";
import { type Race, RACES, runRace, type RaceResult, type PrepareRound } from "../support/topology-races.js";
import { writeOneHost } from "../support/topology-short.js";
import { UNGUARDED } from "../support/topology-unguarded.js";
import { manyMacAddresses, twoUpdates } from "../support/topology-writers.js";

// The races of `topology.races.test.ts` with their guards disabled: they must fail, or the guarded ones would prove
// nothing. Of the tag races one round in ten fails, of the others most.

const ROUNDS = 20;
const ROUNDS_OF_TAGS = 150;
const AT_ONCE = 10;
const MAX_RUNS = 8;
const ORPHANED = /points at nothing|binding_cross_host|outside of its subnet|is not there$/;

let topology: Topology;
afterEach(() => topology.stop());

/** Runs rounds of a race until some failed. @returns how many failed, 0 when none of all rounds did */
async function countFailures(
  { off, prepare, rounds = ROUNDS }: { off: keyof typeof UNGUARDED; prepare: PrepareRound; rounds?: number },
  wrongIn: (result: RaceResult) => number,
): Promise<number> {
  topology = await startTopology({ instances: 2, storage: UNGUARDED[off] });
  for (let run = AT_ONCE; run <= rounds; run += AT_ONCE) {
    const wrong = wrongIn(await runRace(topology, prepare, AT_ONCE));
    if (wrong > 0) return wrong;
  }
  return 0;
}

describe.each(["lock", "reference", "count"] as const)("without the guard %s references dangle", (guard) => {
  it.each(Object.entries<Race>(RACES[guard]))("%s", async (name, { prepare }) => {
    const rounds = name.startsWith("a tag") ? ROUNDS_OF_TAGS : ROUNDS;
    const orphans = ({ violations }: RaceResult): number => violations.filter((one) => ORPHANED.test(one)).length;
    expect(await countFailures({ off: guard, prepare, rounds }, orphans)).toBeGreaterThan(0);
  });
});

describe("without the revision as a condition", () => {
  it("updates without a transaction overwrite others", async () => {
    topology = await startTopology({ instances: 2, storage: UNGUARDED.revision });
    let lost: string[] = [];
    for (let times = 0; times < MAX_RUNS && lost.length === 0; times++)
      lost = (await writeOneHost(topology, 15)).filter((fault) => fault.includes("updates were acknowledged with"));
    expect(lost).not.toEqual([]);
  });
});

describe("without transactions writers of one entity mix", () => {
  it("two updates of one service leave parts of both", async () => {
    const prepare = twoUpdates();
    expect(await countFailures({ off: "transaction", prepare }, ({ violations }) => violations.length)).toBeGreaterThan(
      0,
    );
  });

  it("two updates with the same revision both succeed", async () => {
    const prepare = twoUpdates('"1"');
    const bothDone = ({ results }: RaceResult): number => results.get("done, done") ?? 0;
    expect(await countFailures({ off: "transaction", prepare }, bothDone)).toBeGreaterThan(0);
  });

  it("several writers of a MAC address succeed", async () => {
    const prepare = manyMacAddresses;
    expect(await countFailures({ off: "transaction", prepare }, ({ faults }) => faults.length)).toBeGreaterThan(0);
  });
});
