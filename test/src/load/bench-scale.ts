/**
 * `npm run bench -- scale`: the same work for 1, 2 and 3 topologies behind 1 and 2 gateways, with processor time per
 * request and process, and the needs of a multiple load computed from that. `--quick` takes two seconds per figure.
 */
import { cpus } from "node:os";
import { MongoClient } from "mongodb";
import { aKey, anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { UNLIMITED } from "../support/unlimited.js";
import { startStack, type Stack } from "../support/stack.js";
import { measure, type Figures, type Load, type Watched } from "./measure.js";
import { listed, readsOf, row, updatesOf } from "./work.js";

const [SECONDS, WARM_UP_SECONDS] = process.argv.includes("--quick") ? [2, 1] : [8, 5];
const CONNECTIONS = 32;
const SETUPS = [
  [1, 1],
  [1, 2],
  [1, 3],
  [2, 1],
  [2, 2],
  [2, 3],
] as const;

/** Microseconds of processor time per request, by part of the system. */
type Cost = Readonly<Record<string, number>>;

// The mix of the plan below: mostly single reads, some pages of 50, some writes.
const MIX: Readonly<Record<string, number>> = { one: 0.7, page: 0.2, "update with 3 bindings": 0.1 };
const PLANNED_PER_SECOND = 100;
const BUSY = 0.6;

console.log(
  `${cpus().length} processors, ${CONNECTIONS} connections, ${SECONDS} s each; 1,000 hosts, 5,000 services\n`,
);
row("gateways", "topologies", "work", "req/s", "p50 ms", "p99 ms", "failed", "CPU µs/request, all processes of a kind");
row(...Array.from({ length: 8 }, () => "---"));
const costs = new Map<string, Cost>();
for (const [gateways, topologies] of SETUPS) {
  const stack = await startStack({ ownMongod: true, gateways, topologies, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
  try {
    for (const [work, figures] of await measured(stack)) {
      const { perSecond, p50Ms, p99Ms, failed, cpuMicros } = figures;
      row(gateways, topologies, work, perSecond, p50Ms, p99Ms, failed, listed(cpuMicros));
      costs.set(work, cpuMicros); // of the last setup, where the most processes share the work
    }
  } finally {
    await stack.stop();
  }
}
printPlan();

async function measured(stack: Stack): Promise<[string, Figures][]> {
  const account = await anAccount(stack.url);
  const key = await aKey(stack.url, account);
  const client = new MongoClient(stack.servers.urls.mongodb);
  const seeded = await seedTopology(client.db(stack.databases.topology), {
    organizationId: account.organizationId,
    networks: 10,
    hostsPerNetwork: 100,
    servicesPerHost: 5,
    bindingsPerService: 2,
  });
  await client.close();
  const headers = { authorization: `Bearer ${key.secret}`, "content-type": "application/json" };
  const results: [string, Figures][] = [];
  for (const [work, requests] of Object.entries({
    ...readsOf(seeded),
    "update with 3 bindings": await updatesOf(key.caller),
  }))
    results.push([work, await onAllGateways(stack, { headers, requests, connections: CONNECTIONS, seconds: SECONDS })]);
  return results;
}

/** The work, spread over the gateways as a load balancer would; processes of a kind are added up. */
async function onAllGateways(stack: Stack, load: Omit<Load, "url">): Promise<Figures> {
  const watched = watchedOf(stack);
  const connections = load.connections / stack.gateways.length;
  // A process is slower at first; the more processes, the less each has done.
  await Promise.all(
    stack.gateways.map(({ url }) => measure({ ...load, url, connections, seconds: WARM_UP_SECONDS }, [])),
  );
  const each = await Promise.all(stack.gateways.map(({ url }) => measure({ ...load, url, connections }, watched)));
  const perSecond = each.reduce((sum, one) => sum + one.perSecond, 0);
  const first = each[0]!;
  // Each one has counted the processor time of all requests, divided by its own number.
  const share = first.perSecond / perSecond;
  const cpuMicros: Record<string, number> = {};
  for (const [name, micros] of Object.entries(first.cpuMicros)) {
    const kind = name.replace(/-\d+$/, "");
    cpuMicros[kind] = (cpuMicros[kind] ?? 0) + Math.round(micros * share);
  }
  const worst = (valueOf: (one: Figures) => number): number => Math.max(...each.map(valueOf));
  return {
    perSecond,
    p50Ms: worst(({ p50Ms }) => p50Ms),
    p99Ms: worst(({ p99Ms }) => p99Ms),
    failed: each.reduce((sum, one) => sum + one.failed, 0),
    cpuMicros,
    residentMb: first.residentMb,
  };
}

function watchedOf({ gateways, topologies, identities, servers }: Stack): Watched[] {
  const handles = [...gateways, ...topologies, ...identities, servers.mongodb, servers.redis];
  const parts = handles.flatMap((handle) => (handle === null ? [] : [{ name: handle.name, pid: handle.pid() }]));
  return [...parts, { name: "load generator", pid: process.pid }];
}

/** Computed, not measured: every part takes the same time per request, however many processes it has. */
function printPlan(): void {
  const mixed = Object.entries(MIX).map(([work, part]) => `${Math.round(part * 100)} % ${work}`);
  console.log(
    `\nExtrapolated from the last setup: processors for ${PLANNED_PER_SECOND} requests a second and multiples`,
  );
  console.log(`(${mixed.join(", ")}), each ${BUSY * 100} % busy. A process of ours uses one processor.\n`);
  const kinds = Object.keys(costs.values().next().value ?? {}).filter((kind) => kind !== "load generator");
  row("requests a second", ...kinds);
  row(...Array.from({ length: kinds.length + 1 }, () => "---"));
  for (const factor of [1, 10, 100, 1_000]) {
    const perSecond = PLANNED_PER_SECOND * factor;
    const processors = kinds.map((kind) => {
      const micros = Object.entries(MIX).reduce((sum, [work, part]) => sum + part * (costs.get(work)?.[kind] ?? 0), 0);
      return ((perSecond * micros) / 1e6 / BUSY).toFixed(1);
    });
    row(perSecond.toLocaleString("en"), ...processors);
  }
}
