/**
 * `npm run bench -- scale`: the same work for 1, 2 and 3 topologies behind 1 and 2 gateways, with processor time per
 * request and process, bytes of indexes and of the journal, and what a large system needs, computed from that. `--quick`
 * takes two seconds per figure; `--save` keeps the figures for `npm run bench -- model`.
 */
import { randomUUID } from "node:crypto";
import { cpus } from "node:os";
import { type Db, type Document, MongoClient } from "mongodb";
import { createIndexes } from "@nts/shared/mongo/migrations";
import { ALL_COLLECTIONS } from "@nts/topology/kinds/index";
import { INDEXES } from "@nts/topology/storage/indexes";
import { aKey, anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { UNLIMITED } from "../support/unlimited.js";
import { startStack, type Stack } from "../support/stack.js";
import { measure, type Figures, type Load, type Watched } from "./measure.js";
import { saveCosts } from "./scale-costs.js";
import { type Cost, type Measured, PLAN } from "./scale-model.rules.js";
import { printModel } from "./scale-print.js";
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

const UPDATE = "update with 3 bindings";
const GENERATOR = "load generator";

type Sizes = Omit<Measured, "cpuMicros">;

console.log(
  `${cpus().length} processors, ${CONNECTIONS} connections, ${SECONDS} s each; 1,000 hosts, 5,000 services\n`,
);
row("gateways", "topologies", "work", "req/s", "p50 ms", "p99 ms", "failed", "CPU µs/request, all processes of a kind");
row(...Array.from({ length: 8 }, () => "---"));
const costs = new Map<string, Figures["cpuMicros"]>();
const bytes: Sizes[] = [];
for (const setup of SETUPS) {
  const [gateways, topologies] = setup;
  const stack = await startStack({ ownMongod: true, gateways, topologies, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
  try {
    for (const [work, figures] of await measured(stack)) {
      const { perSecond, p50Ms, p99Ms, failed, cpuMicros } = figures;
      row(gateways, topologies, work, perSecond, p50Ms, p99Ms, failed, listed(cpuMicros));
      costs.set(work, cpuMicros); // of the last setup, where the most processes share the work
    }
    if (setup === SETUPS.at(-1)) bytes.push(await bytesIn(stack));
  } finally {
    await stack.stop();
  }
}
const [sizes] = bytes;
if (sizes !== undefined) {
  const costOf = (work: string): Cost =>
    Object.fromEntries(Object.entries(costs.get(work)!).filter(([name]) => name !== GENERATOR)) as Cost;
  const cpuMicros = { one: costOf("one"), page: costOf("page"), update: costOf(UPDATE) };
  const measured = { cpuMicros, ...sizes };
  if (process.argv.includes("--save")) await saveCosts(measured);
  printModel(measured, PLAN);
}

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
    [UPDATE]: await updatesOf(key.caller),
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
  return [...parts, { name: GENERATOR, pid: process.pid }];
}

/** Bytes of indexes per service with its share of a host, and of the journal per entry of the updates before. */
async function bytesIn(stack: Stack): Promise<Sizes> {
  const client = new MongoClient(stack.servers.urls.mongodb);
  try {
    const db = client.db(`${stack.databases.topology}-sizes`);
    const live = client.db(stack.databases.topology);
    const inventory = { networks: 10, hostsPerNetwork: 400, servicesPerHost: 5, bound: true, addressed: true };
    const { serviceIds } = await seedTopology(db, { organizationId: randomUUID(), ...inventory });
    await live
      .collection("journal")
      .aggregate([{ $out: { db: db.databaseName, coll: "journal" } }])
      .toArray();
    // Built now, they have nothing but keys: those of the last five minutes also have the times of their writes.
    await createIndexes(db, INDEXES);
    // Sizes are those of the last checkpoint.
    await db.admin().command({ fsync: 1 });
    const sizes = await Promise.all(ALL_COLLECTIONS.map((name) => sizesOf(db, name)));
    const perService = (size: number): number => Math.round(size / serviceIds.length);
    const all = sizes.reduce((sum, { indexes }) => sum + indexes, 0);
    const guards = await sizesOf(db, "guards");
    const [journal, copied] = await Promise.all([sizesOf(live, "journal"), sizesOf(db, "journal")]);
    return {
      indexBytes: { services: perService((await sizesOf(db, "services")).indexes), all: perService(all) },
      guardBytes: Math.round((guards.stored + guards.indexes) / inventory.networks),
      journalBytes: {
        entry: Math.round(journal.stored / journal.count),
        indexes: Math.round(copied.indexes / copied.count),
      },
    };
  } finally {
    await client.close();
  }
}

async function sizesOf(db: Db, name: string): Promise<{ count: number; stored: number; indexes: number }> {
  const [found] = await db
    .collection(name)
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray();
  const { count, storageSize, totalIndexSize } = (found as Document)["storageStats"] as Record<string, number>;
  return { count: count ?? 1, stored: storageSize ?? 0, indexes: totalIndexSize ?? 0 };
}
