/**
 * `npm run long -- fuzz`: random valid and invalid requests through a gateway, half of them with an Owner's API key, half
 * with a session. `--seed 7` repeats a sample, `--requests 1000` sends fewer.
 */
import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startStack } from "../support/stack.js";
import { type FuzzResult, prepareSchemathesis, runSchemathesis } from "./schemathesis.js";
import { UNLIMITED } from "../support/unlimited.js";

const CREDENTIALS = ["key", "session"] as const;
const REQUESTS = 20_000;
/** Random requests per operation and run; with those at the limits of the schemas, two runs send the default number. */
const EXAMPLES = 110;

/** Sends the requests, prints the findings, and returns whether there were none. */
export async function fuzz(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { seed: { type: "string" }, requests: { type: "string" } },
  });
  const firstSeed = Number(values.seed ?? process.env["SEED"] ?? randomInt(1_000_000));
  const requests = Number(values.requests ?? REQUESTS);
  const examples = Math.max(1, Math.min(EXAMPLES, Math.round((EXAMPLES * requests) / REQUESTS)));
  const program = await prepareSchemathesis(console.log);
  const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
  let passed = false;
  try {
    let sent = 0;
    let seed = firstSeed;
    do {
      const results = await Promise.all(CREDENTIALS.map((credential) => runWith(credential, seed)));
      sent += results.reduce((sum, { statuses }) => sum + total(statuses), 0);
      passed = results.every((result) => result.passed && total(result.statuses) > 0);
      seed++;
    } while (passed && sent < requests);
    console.log(
      `${sent} requests, first seed ${firstSeed}: ${passed ? "nothing found" : `see above; logs in ${stack.dataDir}`}`,
    );
    return passed;
  } finally {
    await stack.stop();
    if (passed) await rm(stack.dataDir, { recursive: true });
  }

  async function runWith(credential: (typeof CREDENTIALS)[number], seed: number): Promise<FuzzResult> {
    const countsFile = join(stack.dataDir, `counts-${credential}.json`);
    const result = await runSchemathesis(program, { url: stack.url, credential, seed, examples, countsFile });
    if (!result.passed) console.log(result.output);
    const counts = Object.entries(result.statuses)
      .sort()
      .map(([status, count]) => `${status}: ${count}`);
    console.log(`${result.passed ? "PASS" : "FAIL"} with a ${credential}, seed ${seed}: ${counts.join(", ")}`);
    return result;
  }
}

function total(statuses: FuzzResult["statuses"]): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0);
}
