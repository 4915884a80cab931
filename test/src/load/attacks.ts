/**
 * `npm run long -- attacks`: runs each attack of `test/src/attacks` on a system of its own, alongside a victim. `<part of
 * a name>` selects some; `--list`, `--against <git ref>`; `--work` prints how each kind of the victim's work went.
 */
import { parseArgs } from "node:util";
import type { NamedAttack, Outcome } from "../support/attacks/run.js";
import { loadAttacks, optionsOf, runAttack } from "../support/attacks/run.js";
import type { Stack } from "../support/stack.js";
import type { Measurements, Timings } from "../support/attacks/victim.js";
import { buildHere, buildOfRef } from "../support/build-of-ref.js";
import { row } from "./work.js";

const WATCHING = {
  limits: { readMs: 500, workMs: 5_000 },
  warmUpMs: 3_000,
  beforeMs: 2_000,
  afterMs: 1_000,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    against: { type: "string" },
    work: { type: "boolean", default: false },
  },
});
const patterns = positionals.slice(1); // the first one is the name of this script
const chosen = (await loadAttacks()).filter(
  ({ id }) => patterns.length === 0 || patterns.some((pattern) => id.includes(pattern)),
);

if (values.list) list(chosen);
else await attackAll(chosen);

function list(attacks: readonly NamedAttack[]): void {
  row("attack", "what it does");
  row("---", "---");
  for (const { id, name } of attacks) row(id, name);
}

async function attackAll(attacks: readonly NamedAttack[]): Promise<void> {
  if (attacks.length === 0) throw new Error("no attack has this name; --list prints all");
  const build = values.against === undefined ? await buildHere() : await buildOfRef(values.against);
  row(
    ...["attack", "what the attacker got", "victim's reads: idle median, median, slowest ms", "failed"],
    ...["its slowest work", "memory MiB", "verdict"],
  );
  row("---", "---", "---", "---", "---", "---", "---");
  for (const attack of attacks) {
    const stack = await build.startStack({ ...optionsOf(attack), ownMongod: true });
    try {
      if (!(await withstood(attack, stack))) process.exitCode = 1;
    } finally {
      await stack.stop();
    }
  }
}

async function withstood(attack: NamedAttack, stack: Stack): Promise<boolean> {
  try {
    const outcome = await runAttack(attack, stack, WATCHING);
    print(attack, outcome);
    return outcome.faults.length === 0;
  } catch (error) {
    row(attack.id, "", "", "", "", "", `FAILS: ${describe(error)}`);
    return false;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
}

function print({ id }: NamedAttack, { got, idle, attacked, faults }: Outcome): void {
  const ms = [idle.medianMs, attacked.medianMs, attacked.slowestMs].map((value) => value.toFixed(1)).join(", ");
  const work = Object.entries(attacked.work);
  const failed = countFailed([attacked, ...Object.values(attacked.work)]);
  const [slowest] = work.toSorted(([, a], [, b]) => b.slowestMs - a.slowestMs);
  const slowestWork = slowest === undefined ? "" : `${slowest[1].slowestMs.toFixed(0)} ms: ${slowest[0]}`;
  const memory = Object.entries(attacked.grownBytes).map(([name, by]) => `${name} +${(by / 2 ** 20).toFixed(0)}`);
  const verdict = faults.length === 0 ? "stands" : `FAILS: ${faults.join("; ")}`;
  row(id, got, ms, failed, slowestWork, memory.join(", "), verdict);
  if (values.work) printWork(idle, attacked);
}

function printWork(idle: Measurements, attacked: Measurements): void {
  for (const [name, now] of Object.entries(attacked.work)) {
    const before = idle.work[name];
    const times = [before?.medianMs, before?.slowestMs, now.medianMs, now.slowestMs];
    const ms = times.map((value = 0) => value.toFixed(0)).join(", ");
    row("", name, ms, countFailed([now]), now.failures[0] ?? "", "", "");
  }
}

function countFailed(all: readonly Timings[]): string {
  const failed = all.reduce((sum, { failures }) => sum + failures.length, 0);
  return `${failed} of ${all.reduce((sum, { responses }) => sum + responses, failed)}`;
}
