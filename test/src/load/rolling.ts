/**
 * `npm run test:rolling`: restarts of every process, one at a time, for several rounds, with two replicas of each under
 * load. Fails when a request was lost or an acknowledged write cannot be read afterwards.
 * `npm run test:rolling -- --rounds 1` makes one round.
 */
import { parseArgs } from "node:util";
import { LEAVING, restartOneByOne } from "../support/rolling.js";
import { startStack } from "../support/stack.js";
import { latenciesMsOf, startSteadyLoad } from "../support/steady-load.js";

const SETTLE_MS = 2_000;

const { values } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "10" } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number, at least 1");

const env = { ...LEAVING, LOG_LEVEL: "warn" };
const stack = await startStack({ gateways: 2, identities: 2, topologies: 2, ownMongod: true, env });
try {
  console.log("| round | restarts | seconds | answered | lost | writes gone | p50 ms | p99 ms | most ms |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    const load = await startSteadyLoad(stack);
    const exits = await restartOneByOne(stack, SETTLE_MS);
    const { answered, lost, vanished } = await load.stop();
    const latenciesMs = latenciesMsOf(answered);
    const at = (share: number): string => (latenciesMs[Math.floor(share * (latenciesMs.length - 1))] ?? 0).toFixed(0);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    const cells = [
      round,
      exits.length,
      seconds,
      answered.length,
      lost.length,
      vanished.length,
      at(0.5),
      at(0.99),
      at(1),
    ];
    console.log(`| ${cells.join(" | ")} |`);
    const failures = [
      ...lost.map(({ what, how, sentAt, endedAt }) => `${what} after ${(endedAt - sentAt).toFixed(0)} ms: ${how}`),
      ...vanished.map((what) => `acknowledged, and gone: ${what}`),
      ...exits.filter(({ code }) => code !== 0).map((exit) => `a process ended with ${JSON.stringify(exit)}`),
    ];
    for (const failure of failures) console.error(`FAILED: ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
  }
} finally {
  await stack.stop();
}
