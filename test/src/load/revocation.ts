/**
 * `npm run long -- revocation`: what is accepted after the response to a revocation, on four gateways and two identities, with
 * every fault, in about five minutes. `--passes 3` limits the changes, `--cost` measures the check.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { aKey, anAccount } from "../support/api.js";
import { REVOCATIONS, type Prepare } from "../support/right-changes.js";
import { type Outcome, runPass, type PassOptions } from "../support/revocation-pass.js";
import { type RevocableSystem, startRevocableSystem } from "../support/revocable.js";
import { until } from "../support/until.js";
import { measureConfirmation } from "./confirmation-cost.js";
import { createKilling } from "./identity-killed.js";
import { failuresOf, tableOf, type Measured } from "./revocation-table.js";
import { UNLIMITED } from "../support/unlimited.js";

const PAUSE_MS = 10_000;
const RECOVERED_MS = 120;
const { values } = parseArgs({
  allowPositionals: true,
  options: { passes: { type: "string", default: "10" }, cost: { type: "boolean", default: false } },
});
const most = Number(values.passes);
if (!Number.isInteger(most) || most < 1) throw new Error("--passes must be a whole number, at least 1");

/** Repeated, these are rejected for what they have consumed or ended themselves. */
const unrepeatable = [
  ...["change the password", "reset the password", "the same, for keys of an unverified account"],
  ...["sign out at the provider", "change the organization", "delete the own account", "leave"],
  ...["delete the organization", "delete the organization, for its sessions", "enrol a collector elsewhere"],
  // These are not made by identity.
  ...["delete a shared view", "delete a shared network", "delete the network of a collector"],
  // A gateway sends it to another path of identity.
  "revoke the token of an assistant",
].map((name) => REVOCATIONS.get(name));
const kinds: Prepare[] = [];
for (const [name, prepare] of REVOCATIONS) {
  if (prepare === null) console.log(`SKIPPED: "${name}" has no operation in the contract yet.`);
  else kinds.push(prepare);
}

const system = await startRevocableSystem({
  gateways: 4,
  identities: 2,
  ownMongod: true,
  env: { ...UNLIMITED, LOG_LEVEL: "warn" },
});
try {
  if (values.cost) await measureConfirmation(system.stack);
  else await revokeAll(system);
} finally {
  await system.stop();
}

async function revokeAll(system: RevocableSystem): Promise<void> {
  const measured = await measureAll(system);
  console.log(`\n${tableOf(measured, [...REVOCATIONS.keys()])}\n`);
  const failures = failuresOf(measured);
  for (const failure of failures) console.error(`FAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}

async function measureAll({ stack, tools }: RevocableSystem): Promise<Measured[]> {
  const { gateways, servers, url } = stack;
  const urls = gateways.map((gateway) => gateway.url);
  const last = gateways.at(-1)!;
  const measured: Measured[] = [];
  const passes = async (condition: string, count: number, faults: Partial<PassOptions> = {}): Promise<void> => {
    const outcomes: Outcome[] = [];
    for (let pass = 0; pass < Math.min(most, count); pass++) {
      await untilChangesAreQuick(url);
      outcomes.push(...(await runPass({ urls, kinds, tools, through: url, ...faults })));
    }
    report({ condition, outcomes });
  };
  const report = (row: Measured): void => {
    measured.push(row);
    console.log(tableOf([row], [...REVOCATIONS.keys()]));
  };

  await passes("all up, little load", 10, { gapMs: 500 });
  await passes("all up", 10);
  await passes("NATS paused", 6, { fault: servers.nats.pause, recover: servers.nats.resume });
  await passes("NATS killed", 6, { fault: servers.nats.kill, recover: servers.nats.restart });
  let pausedAt = 0;
  await passes("a gateway paused for 10 s", 3, {
    fault: () => {
      last.pause();
      pausedAt = performance.now();
    },
    recover: async () => {
      await sleep(Math.max(0, pausedAt + PAUSE_MS - performance.now()));
      last.resume();
    },
    tailMs: 1_000,
  });
  const killing = await createKilling({ stack, tools });
  try {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < Math.min(most, 3); round++)
      for (const prepare of kinds.filter((one) => !unrepeatable.includes(one)))
        outcomes.push(await killing.killAndAskAgain(prepare));
    report({ condition: "identity killed after commit", outcomes });
    console.log(
      `Killed before a notice or a response: ${killing.committedWithoutNotice()} of these ${outcomes.length}.`,
    );
  } finally {
    await killing.close();
  }
  await passes("a gateway killed", 1, { fault: last.kill });
  return measured;
}

/** After a fault, until everything has reconnected. */
async function untilChangesAreQuick(url: string): Promise<void> {
  const account = await anAccount(url);
  const { id } = await aKey(url, account);
  await until(async () => {
    const startedAt = performance.now();
    await account.session.data("post", `/api/v1/auth/keys/${id}/rotate`);
    return performance.now() - startedAt < RECOVERED_MS;
  }, 100);
}
