/**
 * The attacks that take seconds; `npm run long -- attacks` runs all of them, with a stricter limit for the slowest
 * response.
 */
import { afterAll, describe, expect, it } from "@jest/globals";
import { loadAttacks, type NamedAttack, optionsOf, runAttack } from "../support/attacks/run.js";
import { startStack, type Stack } from "../support/stack.js";

// Other programs on the machine delay the victim now and then, even up to its timeout; an attack does it every time.
const WATCHING = { limits: { readMs: 2_000, workMs: 10_000 }, warmUpMs: 0, beforeMs: 300, afterMs: 500, works: false };
const TRIES = 3;

const attacks = await loadAttacks();
let shared: Stack | null = null;

afterAll(async () => {
  await shared?.stop();
});

/** Attacks without settings of their own share one system, while all of it runs. */
async function stackFor(attack: NamedAttack): Promise<{ stack: Stack; release: () => Promise<void> }> {
  if (attack.settings !== undefined || attack.topologies !== undefined) {
    const stack = await startStack(optionsOf(attack));
    return { stack, release: () => stack.stop() };
  }
  if (shared !== null && !processesOf(shared).every((process) => process.isRunning())) {
    await shared.stop();
    shared = null;
  }
  shared ??= await startStack(optionsOf(attack));
  return { stack: shared, release: () => Promise.resolve() };
}

function processesOf({ gateways, identities, topologies }: Stack): Stack["gateways"] {
  return [...gateways, ...identities, ...topologies];
}

describe("a client of one organization is not affected by another organization", () => {
  it("in more than 20 attacks", () => {
    expect(attacks.length).toBeGreaterThan(20);
  });

  for (const attack of attacks.filter(({ cheap }) => cheap))
    it(attack.name, async () => {
      const { stack, release } = await stackFor(attack);
      try {
        let outcome = await runAttack(attack, stack, WATCHING);
        for (let tried = 1; outcome.isSlowOnly && tried < TRIES; tried++)
          outcome = await runAttack(attack, stack, WATCHING);
        if (outcome.isSlowOnly && outcome.isStarved) console.warn("not judged:", attack.name, outcome.faults);
        else expect(outcome.faults).toEqual([]);
      } finally {
        await release();
      }
    });
});
