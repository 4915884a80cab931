/**
 * `npm run long -- rolling`: restarts of every process under load, with two replicas of each, without losing requests or
 * writes. `--rounds 1`; `--from <git ref>` mixes in a build whose processes take the same settings.
 */
import { parseArgs } from "node:util";
import { buildHere, buildOfRef } from "../support/build-of-ref.js";
import { addLaterMembers } from "../support/later-members.js";
import { startMailbox } from "../support/mailbox.js";
import { inRolloutOrder, GRACEFUL_SHUTDOWN, restartOneByOne } from "../support/rolling.js";
import { startStack } from "../support/stack.js";
import { latenciesMsOf, startSteadyLoad } from "../support/steady-load.js";
import { row } from "./work.js";

const { values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "10" }, from: { type: "string" } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number, at least 1");

const here = await buildHere();
const from = values.from === undefined ? here : await buildOfRef(values.from);
const { createProcess } = from;
const mailbox = await startMailbox();
const env = { ...GRACEFUL_SHUTDOWN, ...mailbox.env, LOG_LEVEL: "warn" };
const stack = await startStack({ gateways: 2, identities: 2, topologies: 2, ownMongod: true, env, createProcess });
const forward = inRolloutOrder(stack);
const ways =
  from === here
    ? [{ name: "restart", processes: forward, build: here }]
    : [
        { name: `${from.name} → ${here.name}`, processes: forward, build: here },
        { name: `${here.name} → ${from.name}`, processes: forward.toReversed(), build: from },
      ];
try {
  row("round", "what", "restarts", "seconds", "answered", "lost", "writes gone", "p50 ms", "p99 ms", "most ms");
  row(...Array.from({ length: 10 }, () => "---"));
  for (let round = 1; round <= rounds; round++) for (const way of ways) await roll(round, way);
} finally {
  await stack.stop();
  await mailbox.stop();
}

async function roll(round: number, { name, processes, build }: (typeof ways)[number]): Promise<void> {
  const startedAt = performance.now();
  const load = await startSteadyLoad(stack, { archives: true, mailbox });
  const later = await addLaterMembers(stack, load.written);
  const exits = await restartOneByOne(processes, build);
  const { responses, lost, lostWrites } = await load.stop();
  const gone = [...lostWrites, ...(await later.missing())];
  const latenciesMs = latenciesMsOf(responses);
  const at = (share: number): string => (latenciesMs[Math.floor(share * (latenciesMs.length - 1))] ?? 0).toFixed(0);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const counts = [exits.length, seconds, responses.length, lost.length, gone.length];
  row(round, name, ...counts, at(0.5), at(0.99), at(1));
  const failures = [
    ...lost.map(({ what, how, sentAt, endedAt }) => `${what} after ${(endedAt - sentAt).toFixed(0)} ms: ${how}`),
    ...gone.map((what) => `acknowledged, and gone: ${what}`),
    ...exits.filter(({ code }) => code !== 0).map((exit) => `a process ended with ${JSON.stringify(exit)}`),
  ];
  for (const failure of failures) console.error(`FAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}
