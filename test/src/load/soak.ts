/**
 * `npm run long -- soak`: ten minutes at half of the capacity, with entities coming and going. Fails on any failed
 * response, growth of more than 1 MB per minute, or growing descriptors. `--minutes 3` is shorter.
 */
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { aKey, anAccount } from "../support/api.js";
import { metricOf } from "../support/metrics.js";
import { type ProcessHandle, startStack, type Stack } from "../support/stack.js";
import { aNetworkWithAHost, type NetworkWorld } from "../support/world.js";
import { type Churn, startChurn } from "./churn.js";
import { growthOf, type Growth, type Reading } from "./growth.js";
import { UNLIMITED } from "../support/unlimited.js";

const CONNECTIONS = 16;
const CALIBRATION_SECONDS = 10;
const SAMPLE_MS = 2_000;
const MAX_MB_PER_MINUTE = 1;
const MAX_NEW_DESCRIPTORS = 4;

const { values } = parseArgs({ allowPositionals: true, options: { minutes: { type: "string", default: "10" } } });
const seconds = Number(values.minutes) * 60;
if (!(seconds >= 30)) throw new Error("--minutes must be a number, at least 0.5");

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
try {
  const failures = await soak(stack);
  for (const failure of failures) console.error(`FAILED: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await stack.stop();
}

async function soak({ url, gateways, identities, topologies }: Stack): Promise<string[]> {
  const account = await anAccount(url);
  const key = await aKey(url, account);
  const world = await aNetworkWithAHost(key.caller);
  const load = {
    url,
    connections: CONNECTIONS,
    headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
    requests: requestsOf(world),
  };
  const most = await autocannon({ ...load, duration: CALIBRATION_SECONDS });
  const rate = Math.round(most["2xx"] / most.duration / 2);
  console.log(`${CONNECTIONS} connections did ${2 * rate} requests a second; ${rate} are sent for ${seconds} s.`);

  const watched = [...gateways, ...identities, ...topologies];
  const readings: Reading[][] = watched.map(() => []);
  const sampling = setInterval(() => void sample(watched, readings), SAMPLE_MS);
  const churn = startChurn(url);
  const result = await autocannon({ ...load, duration: seconds, overallRate: rate });
  clearInterval(sampling);
  await churn.stop();

  const growths = watched.map((_, index) => growthOf(readings[index] ?? [], warmUpMs()));
  print(result, churn, watched, growths);
  return failuresOf(result, churn, watched, growths);
}

/** Half of the time, but at most five minutes: for so long, gateways cache credentials, of which new ones keep coming. */
function warmUpMs(): number {
  return Math.min(300, seconds / 2) * 1_000;
}

function requestsOf({ network, host, service }: NetworkWorld): autocannon.Request[] {
  const put = (name: string): autocannon.Request => ({
    method: "PUT",
    path: `/api/v1/services/${service.id}`,
    body: JSON.stringify({ ...service, name }),
  });
  const gets = [
    `/api/v1/services?network_id=${network.id}`,
    `/api/v1/hosts/${host.id}`,
    `/api/v1/services/${service.id}`,
    "/api/v1/networks",
    "/api/v1/services?limit=0",
    "/api/v1/auth/whoami",
    "/api/v1/service-definitions?limit=10",
  ].map((path): autocannon.Request => ({ method: "GET", path }));
  return [...gets, put("one"), ...gets, put("two")];
}

async function sample(watched: readonly ProcessHandle[], readings: readonly Reading[][]): Promise<void> {
  await Promise.all(
    watched.map(async (process, index) => {
      readings[index]?.push({
        atMs: performance.now(),
        residentMb: (await metricOf(process, "process_resident_memory_bytes")) / 1e6,
        descriptors: await metricOf(process, "process_open_fds"),
      });
    }),
  ).catch(() => undefined); // a missing reading is skipped
}

function print(
  result: autocannon.Result,
  churn: Churn,
  watched: readonly ProcessHandle[],
  growths: readonly Growth[],
): void {
  const { p50, p99, max } = result.latency;
  console.log(
    `\n${result["2xx"]} responses in ${result.duration} s, p50 ${p50} ms, p99 ${p99} ms, most ${max} ms; ` +
      `${refusalsOf(result)} refused, ${result.errors + result.timeouts} without an answer; ` +
      `${churn.rounds()} rounds of coming and going, ${churn.failures().length} failed\n`,
  );
  console.log("| process | resident MB, first and last | MB a minute | descriptors, first and last |");
  console.log("| --- | --- | --- | --- |");
  watched.forEach(({ name }, index) => {
    const { residentMb, mbPerMinute, descriptors } = growths[index]!;
    const [first, last] = residentMb.map((mb) => mb.toFixed(0));
    console.log(`| ${name} | ${first} ${last} | ${mbPerMinute.toFixed(2)} | ${descriptors.join(" ")} |`);
  });
  console.log();
}

/** How many, by status. */
function refusalsOf({ non2xx, statusCodeStats }: autocannon.Result): string {
  const others = Object.entries(statusCodeStats ?? {}).filter(([status]) => !status.startsWith("2"));
  const byStatus = others.map(([status, { count = 0 }]) => `${count} × ${status}`);
  return byStatus.length === 0 ? String(non2xx) : byStatus.join(", ");
}

function failuresOf(
  result: autocannon.Result,
  churn: Churn,
  watched: readonly ProcessHandle[],
  growths: readonly Growth[],
): string[] {
  const bad = result.non2xx + result.errors + result.timeouts;
  return [
    ...(bad > 0 ? [`${bad} requests were not answered with success`] : []),
    ...churn.failures(),
    ...watched.flatMap(({ name }, index) => {
      const { mbPerMinute, descriptors } = growths[index]!;
      const more = descriptors[1] - descriptors[0];
      return [
        ...(mbPerMinute > MAX_MB_PER_MINUTE ? [`${name} takes ${mbPerMinute.toFixed(2)} MB more a minute`] : []),
        ...(more > MAX_NEW_DESCRIPTORS ? [`${name} has ${more} descriptors more`] : []),
      ];
    }),
  ];
}
