/**
 * `npm run long -- deletions`: deletes what exceeds one transaction while others write, also with killed processes; checks
 * latency, completeness and losses. `--entities 20000 network` runs one smaller round.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Db, MongoClient } from "mongodb";
import { aKey, anAccount, type ApiResponse, type Caller } from "../support/api.js";
import { violationsIn } from "../support/invariants.js";
import { metricOf } from "../support/metrics.js";
import { type Seeded, seedTopology } from "../support/seed.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";
import { startChangeLag } from "./change-lag.js";
import { type ScheduledWriters, startScheduledWriters } from "./scheduled-writers.js";
import { row } from "./work.js";

const PER_HOST = 1_000;
const WRITERS = 8;
/** Milliseconds between the scheduled writes of a writer. */
const EVERY_MS = 100;
const BEFORE_MS = 60_000;
const RESPONSE_MS = 1_000;
const SWEPT_MS = 60_000;
const MAX_LAG_MS = 2_000;
const MONGOD_AWAY_MS = 2_000;
const ON_HOSTS = ["interfaces", "ports", "services", "bindings"];

/** Something to delete that is too large for one transaction. */
interface Deletion {
  delete(): Promise<ApiResponse>;
  /** How much of it is still visible to callers. */
  seen(): Promise<number>;
  /** How many documents are still to be swept. */
  left(): Promise<number>;
}

interface Place {
  readonly db: Db;
  readonly caller: Caller;
  readonly organizationId: string;
}

interface Round {
  readonly name: string;
  prepare(place: Place): Promise<Deletion>;
  /** The fault to inject once some of the documents are deleted. */
  readonly harm?: (stack: Stack) => Promise<void>;
}

const ROUNDS: Readonly<Record<string, Round>> = {
  network: { name: "a network of services", prepare: (place) => aNetwork(place) },
  bound: { name: "a network of ports, services and bindings", prepare: aBoundNetwork },
  hosts: { name: "hosts with ports, services and bindings, by one bulk-delete", prepare: allHosts },
  tag: { name: "a tag of services", prepare: aTag },
  topology: { name: "a network; the topology that sweeps is killed", prepare: aBoundNetwork, harm: killSweeper },
  mongod: { name: "a network; mongod is killed and started again", prepare: aBoundNetwork, harm: restartMongod },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { entities: { type: "string", default: "100000" } },
});
const entities = Number(values.entities);
if (!Number.isInteger(entities) || entities < 3 * PER_HOST) throw new Error("--entities must be at least 3000");
const chosen = positionals.slice(1); // the first one is the name of this script

row(
  "what is deleted",
  "documents",
  "answered ms",
  "swept s",
  "writers before: p50, p99 ms",
  "meanwhile",
  "refused",
  "slowest change elsewhere: before, meanwhile ms",
  "verdict",
);
row(...Array.from({ length: 9 }, () => "---"));
for (const [id, round] of Object.entries(ROUNDS)) {
  if (chosen.length > 0 && !chosen.includes(id)) continue;
  const env = { ...UNLIMITED, LOG_LEVEL: "warn" };
  const stack = await startStack({ topologies: 2, ownMongod: true, env });
  try {
    await deleteWhileOthersWrite(stack, round);
  } finally {
    await stack.stop();
  }
}

async function deleteWhileOthersWrite(stack: Stack, { name, prepare, harm }: Round): Promise<void> {
  const client = new MongoClient(stack.servers.urls.mongodb);
  const db = client.db(stack.databases.topology);
  const account = await anAccount(stack.url);
  const { caller, secret } = await aKey(stack.url, account);
  const doomed = await prepare({ db, caller, organizationId: account.organizationId });
  const documents = await doomed.left();
  await db.admin().command({ fsync: 1 }); // Seeding is not part of the load before.
  const lag = await startChangeLag(stack.url);
  const writers = await startWriters(stack, secret);
  const faults: string[] = [];
  try {
    await sleep(BEFORE_MS);
    const before = await writers.report();
    const beforeLagMs = lag.slowestMs();
    const startedAt = performance.now();
    const { status, text } = await doomed.delete();
    const responseMs = performance.now() - startedAt;
    if (status !== 200) faults.push(`the deletion returned ${status}: ${text}`);
    if (responseMs > RESPONSE_MS) faults.push("the response came late");
    const seen = await doomed.seen();
    if (seen > 0) faults.push(`${seen} entities are still returned`);
    if (harm !== undefined) {
      await until(async () => (await sweptBy(stack)).some((number) => number > documents / 5), 50, SWEPT_MS);
      await harm(stack);
    }
    const isSwept = async (): Promise<boolean> =>
      (await db.collection("deletions").countDocuments({ swept_at: { $exists: true } })) > 0;
    await until(() => isSwept().catch(() => false), 100, 3 * SWEPT_MS);
    const sweptMs = performance.now() - startedAt;
    if (sweptMs > SWEPT_MS) faults.push("the sweep took too long");
    const meanwhile = await writers.report();
    const lagMs = lag.slowestMs();
    if (harm === undefined && lagMs > MAX_LAG_MS) faults.push("the changes of others were delivered late");
    if (harm === undefined && meanwhile.p99Ms > 2 * before.p99Ms) faults.push("others were slowed down");
    faults.push(...(await writers.stop()));
    const left = await doomed.left();
    if (left > 0) faults.push(`${left} documents are left`);
    faults.push(...(await violationsIn(db)).slice(0, 5));
    const [ms, meanwhileMs] = [before, meanwhile].map(({ p50Ms, p99Ms }) => `${p50Ms.toFixed(0)}, ${p99Ms.toFixed(0)}`);
    const refused = `${meanwhile.refused} of ${meanwhile.responses}`;
    const verdict = faults.length === 0 ? "holds" : `FAILS: ${faults.join("; ")}`;
    const lags = `${beforeLagMs.toFixed(0)}, ${lagMs.toFixed(0)}`;
    row(name, documents, responseMs.toFixed(0), (sweptMs / 1_000).toFixed(1), ms, meanwhileMs, refused, lags, verdict);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all([writers.stop(), lag.stop()]);
    await client.close();
  }
}

/** Hosts with a thousand services each, or with a thousand ports, services and bindings. */
function seed({ db, organizationId }: Place, more: { bound?: boolean; tagId?: string }): Promise<Seeded> {
  const hostsPerNetwork = Math.floor(entities / PER_HOST / (more.bound === true ? 3 : 1));
  return seedTopology(db, { organizationId, networks: 1, hostsPerNetwork, servicesPerHost: PER_HOST, ...more });
}

async function aNetwork(place: Place, bound = false): Promise<Deletion> {
  const [id = ""] = (await seed(place, { bound })).networkIds;
  const inIt = { organization_id: place.organizationId, network_id: id };
  return {
    delete: () => place.caller.send("delete", `/api/v1/networks/${id}`),
    seen: () => countedIn(place.caller),
    left: () => documentsIn(place.db, ["guards", "subnets", "hosts", ...ON_HOSTS], inIt),
  };
}

function aBoundNetwork(place: Place): Promise<Deletion> {
  return aNetwork(place, true);
}

async function allHosts(place: Place): Promise<Deletion> {
  const { networkIds, hostIds } = await seed(place, { bound: true });
  const inIt = { organization_id: place.organizationId, network_id: networkIds[0] };
  return {
    delete: () => place.caller.send("post", "/api/v1/hosts/bulk-delete", hostIds),
    seen: () => countedIn(place.caller),
    left: () => documentsIn(place.db, ON_HOSTS, inIt),
  };
}

async function aTag(place: Place): Promise<Deletion> {
  const { db, caller, organizationId } = place;
  const { id } = await caller.data<{ id: string }>("post", "/api/v1/tags", { name: "doomed" });
  await seed(place, { tagId: id });
  return {
    delete: () => caller.send("delete", `/api/v1/tags/${id}`),
    seen: async () => {
      const { body } = await caller.send("get", `/api/v1/services?limit=1&tag_ids=${id}`);
      const { text } = await caller.send("get", "/api/v1/services?limit=100");
      return body.meta.pagination.total_count + text.split(id).length - 1;
    },
    left: () => documentsIn(db, ["services"], { organization_id: organizationId, tags: id }),
  };
}

async function documentsIn(db: Db, collections: readonly string[], filter: object): Promise<number> {
  const counts = await Promise.all(collections.map((name) => db.collection(name).countDocuments(filter)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Services, ports and bindings visible in the organization, without those of its writers. */
async function countedIn(caller: Caller): Promise<number> {
  let count = 0;
  for (const resource of ["services", "ports", "bindings"]) {
    const { body } = await caller.send("get", `/api/v1/${resource}?limit=1`);
    count += body.meta.pagination.total_count - WRITERS / 2;
  }
  return count;
}

/** Documents that each topology has swept. */
function sweptBy({ topologies }: Pick<Stack, "topologies">): Promise<number[]> {
  return Promise.all(topologies.map((one) => metricOf(one, "nts_deleted_documents_total")));
}

async function killSweeper({ topologies }: Stack): Promise<void> {
  const swept = await sweptBy({ topologies });
  await topologies[swept.indexOf(Math.max(...swept))]!.kill();
}

async function restartMongod({ servers }: Stack): Promise<void> {
  await servers.mongodb!.kill();
  await sleep(MONGOD_AWAY_MS);
  await servers.mongodb!.restart();
}

/** Half of them write another network of the organization, half of them that of another organization. */
async function startWriters(stack: Stack, key: string): Promise<ScheduledWriters> {
  const stranger = (await aKey(stack.url, await anAccount(stack.url))).secret;
  const keys = Array.from({ length: WRITERS }, (_, n) => (n % 2 === 0 ? key : stranger));
  return startScheduledWriters({ url: stack.url, keys, everyMs: EVERY_MS });
}
