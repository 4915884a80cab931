/**
 * `npm run long -- migrations`: migrates a million services to a next stored form by a topology at nice 19 that is killed
 * in the middle, while another one serves reads and updates. Checks that it continues where it was, that no operation is
 * cut off, and that nothing is lost or changed. `--services 50000` for fewer.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";
import { type Db, MongoClient } from "mongodb";
import { type Child } from "@nts/local/processes/child";
import { type Component, logFileOf, spawnComponent } from "@nts/local/processes/component";
import { freePorts } from "@nts/local/processes/ports";
import { createProcess, type System } from "@nts/local/processes/system";
import type { Service } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { serviceKind } from "@nts/topology/kinds/service";
import type { EntityDocument } from "@nts/topology/storage/entities";
import { SEARCH_INDEX } from "@nts/topology/storage/indexes";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { createStorage } from "@nts/topology/storage/storage";
import { aKey, anAccount, type Caller } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";
import { LONG_MIGRATION, nameLengthIn, NEXT_FORM } from "./long-migration.js";
import { valueAt } from "./shares.js";
import { row } from "./work.js";

const BATCH = 5_000;
const SERVICES_PER_HOST = 1_000;
/** Of these, one is updated by a client meanwhile. */
const UPDATED_EVERY = 5_000;
const READ_EVERY_MS = 25;
const UPDATE_EVERY_MS = 200;
const BEFORE_MS = 15_000;
const POLL_MS = 250;
const LONGEST_MS = 3_600_000;
/** Operations that take longer are listed by the database. */
const SLOW_MS = 50;
const NICE = "19";
/** The step that rewrites every service; killed after this share of them. */
const STEP = LONG_MIGRATION.name;
const KILLED_AFTER = 0.4;
/** The process that has this step. */
const MAIN = fileURLToPath(new URL("migrating-topology.js", import.meta.url));

const { values } = parseArgs({
  allowPositionals: true,
  options: { services: { type: "string", default: "1000000" } },
});
const total = Number(values.services);
if (!Number.isInteger(total) || total < 2 * UPDATED_EVERY)
  throw new Error(`--services must be at least ${2 * UPDATED_EVERY}`);

interface Stored extends EntityDocument {
  name_length?: number;
}

interface State {
  readonly status: string;
  readonly step?: string;
  readonly collection?: string;
  readonly done?: number;
}

interface Seeded {
  /** The sum of the checksums of all services that nobody updates. */
  readonly checksum: number;
  readonly updated: readonly string[];
  readonly read: readonly string[];
}

let system: System | null = null;
const stack = await startStack({
  ownMongod: true,
  env: { ...UNLIMITED, LOG_LEVEL: "info" },
  createProcess: (kind, name, ports, given) => {
    system = given;
    return createProcess(kind, name, ports, given);
  },
});
const client = new MongoClient(stack.servers.urls.mongodb);
const faults: string[] = [];
try {
  await migrateBesideLoad(client.db(stack.databases.topology));
} finally {
  await client.close();
  await stack.stop();
}
for (const fault of faults) console.log(`FAILS: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

async function migrateBesideLoad(db: Db): Promise<void> {
  const account = await anAccount(stack.url);
  const { caller } = await aKey(stack.url, account);
  let startedAt = performance.now();
  const seeded = await seed(db, account.organizationId);
  console.log(`${total} services written in ${secondsSince(startedAt)} s`);
  await prepareSteps(db);
  const traffic = startTraffic(caller, seeded);
  await sleep(BEFORE_MS);
  traffic.next("migrating");

  startedAt = performance.now();
  const first = await startMigrating("topology-2");
  await until(() => isPast(first.last(), KILLED_AFTER * total), POLL_MS, LONGEST_MS);
  first.child.signal("SIGKILL");
  await first.child.exited;
  await first.stopWatching();
  const saved = await positionOf(db);
  console.log(`killed after ${secondsSince(startedAt)} s; saved position: ${saved} of ${total} services`);
  if (saved < KILLED_AFTER * total) faults.push(`only ${saved} services were saved as done`);

  const second = await startMigrating("topology-3");
  await until(() => second.last().status === "ok" || !second.child.isRunning(), POLL_MS, LONGEST_MS);
  console.log(
    `up to date after ${secondsSince(startedAt)} s, of which 15 s at most are the lock of the killed process`,
  );
  const resumed = second.states.find(({ step, done }) => step === STEP && done !== undefined)?.done ?? 0;
  console.log(`resumed at ${resumed} of ${total} services`);
  if (resumed < saved) faults.push(`it was resumed at ${resumed} instead of ${saved}`);
  await second.stopWatching();
  const { reads, updates } = await traffic.stop();

  console.log("\nstates of /readyz:");
  for (const [state, count] of countsOf([...first.states, ...second.states])) console.log(`  ${count} × ${state}`);
  await reportLogs([first, second]);
  await reportOperations(db);
  console.log("");
  row("reads", "count", "p50 ms", "p99 ms", "slowest ms", "failed");
  row(...Array.from({ length: 6 }, () => "---"));
  for (const [phase, { times, failed }] of Object.entries(reads)) {
    const sorted = [...times].sort((a, b) => a - b);
    const ms = [valueAt(0.5, sorted), valueAt(0.99, sorted), sorted.at(-1) ?? 0].map((one) => one.toFixed(0));
    row(phase, times.length, ...ms, failed.length);
    for (const failure of failed.slice(0, 3)) faults.push(`a read (${phase}): ${failure}`);
  }
  await verify(db, seeded, updates);
  await second.child.stop(15_000);
}

/** Writes the services as the service does. */
async function seed(db: Db, organizationId: string): Promise<Seeded> {
  const storage = createStorage(db, () => Promise.reject(new Error("nothing runs in a transaction here")));
  const scope = { organizationId, networks: "all" } as const;
  const hosts = Math.ceil(total / SERVICES_PER_HOST);
  const { networkIds, hostIds } = await seedTopology(db, {
    organizationId,
    networks: 1,
    hostsPerNetwork: hosts,
    servicesPerHost: 0,
  });
  const [networkId = ""] = networkIds;
  const guard = { target: networkId, kind: "network", counts: { services: total } } as const;
  await client.withSession((session) => storage.guards.reference(session, scope, [guard]));
  const updated: string[] = [];
  const read: string[] = [];
  let checksum = 0;
  for (let from = 0; from < total; from += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, total - from) }, (_, at) => {
      const n = from + at;
      const service = serviceOf(networkId, hostIds[Math.floor(n / SERVICES_PER_HOST)] ?? "", n);
      const document = storage.services.documentOf(organizationId, { entity: service, revision: 1 });
      if (n % UPDATED_EVERY === 0) updated.push(service.id);
      else checksum = added(checksum, document.wire);
      if (n % Math.ceil(total / 1_000) === 1) read.push(service.id);
      return { ...document, host_name: `host ${n}` };
    });
    await db.collection<Stored>("services").insertMany(documents, { ordered: false, writeConcern: { w: 1 } });
  }
  await db.command({ fsync: 1 }).catch(() => null);
  return { checksum, updated, read };
}

function serviceOf(network_id: string, host_id: string, n: number): Service {
  const at = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
  const server = {
    ...{ id: newId(), created_at: at, updated_at: at, network_id, host_id, position: n % SERVICES_PER_HOST },
    ...{ source: { type: "Manual" }, bindings: [] },
  };
  return serviceKind.make({ name: `web ${n}`, service_definition: "nginx", tags: [] }, server);
}

function added(checksum: number, wire: string): number {
  return (checksum + crc32(wire)) % Number.MAX_SAFE_INTEGER;
}

/** Removes an index, to have it built as well, and lists slow operations. */
async function prepareSteps(db: Db): Promise<void> {
  await db.collection("services").dropIndex(Object.entries(SEARCH_INDEX).flat().join("_"));
  await db.createCollection("system.profile", { capped: true, size: 16 * 2 ** 20 });
  await db.command({ profile: 1, filter: { appName: "topology-migrations", millis: { $gte: SLOW_MS } } });
}

/** A topology at the lowest priority, with the states of its `/readyz`. */
async function startMigrating(name: string) {
  const [port = 0, opsPort = 0] = await freePorts(2);
  if (system === null) throw new Error("the stack has not started");
  const component = createProcess("topology", name, { port, opsPort }, system);
  const args = component.args.map((one) => (one.endsWith(".js") ? MAIN : one));
  const slow: Component = { ...component, command: "nice", args: ["-n", NICE, component.command, ...args] };
  const child: Child = spawnComponent(slow, stack.dataDir);
  const states: State[] = [];
  const watched = new AbortController();
  const watching = (async () => {
    while (!watched.signal.aborted) {
      const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => null);
      if (response !== null) states.push((await response.json()) as State);
      await sleep(POLL_MS);
    }
  })();
  return {
    child,
    states,
    last: (): State => states.at(-1) ?? { status: "not listening" },
    logFile: logFileOf(stack.dataDir, name),
    stopWatching: async (): Promise<void> => {
      watched.abort();
      await watching.catch(() => undefined);
    },
  };
}

function isPast({ step, collection, done = 0 }: State, least: number): boolean {
  if (step === STEP) return collection === "services" ? done >= least : false;
  return step === "indexes";
}

async function positionOf(db: Db): Promise<number> {
  const saved = await db.collection("migrations").findOne({ position_of: STEP });
  return Number(saved?.["done"] ?? 0);
}

function countsOf(states: readonly State[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status, step = "", collection = "" } of states) {
    const state = [status, step, collection].filter(Boolean).join(" ");
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

/** Prints the lines of progress; a failed attempt is a fault. */
async function reportLogs(processes: readonly { readonly logFile: string }[]): Promise<void> {
  for (const { logFile } of processes) {
    const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.startsWith("{"));
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown> & { msg: string });
    const moving = entries.filter(({ msg }) => msg === "migrating");
    console.log(`\n${moving.length} lines of progress in the log, such as`);
    for (const at of [0, Math.floor(moving.length / 2), moving.length - 1])
      if (moving[at] !== undefined) console.log(`  ${JSON.stringify(moving[at])}`);
    for (const { msg } of entries.filter(({ msg }) => msg.includes("trying again")))
      faults.push(`the log says: ${msg}`);
  }
}

async function reportOperations(db: Db): Promise<void> {
  await db.command({ profile: 0 });
  const slowest = await db.collection("system.profile").find().sort({ millis: -1 }).limit(1).next();
  const { createIndexes, find, update } = (slowest?.["command"] ?? {}) as Record<string, unknown>;
  const what: unknown =
    createIndexes === undefined ? (find ?? update ?? slowest?.["op"]) : `createIndexes ${String(createIndexes)}`;
  console.log(
    `\nslowest operation of the migrations: ${String(slowest?.["millis"] ?? `below ${SLOW_MS}`)} ms (${String(what)})`,
  );
  const cut = await db.collection("system.profile").countDocuments({ errCode: { $exists: true } });
  if (cut > 0) faults.push(`${cut} operations were cut off`);
}

interface Reads {
  readonly times: number[];
  readonly failed: string[];
}

/** Reads of pages and services at a steady rate, and updates of some services one after another. */
function startTraffic(caller: Caller, { read, updated }: Seeded) {
  const reads: Record<string, Reads> = {};
  const updates = new Map<string, string>();
  let phase = "before";
  let n = 0;
  const ended = new AbortController();
  const pending = new Set<Promise<void>>();
  const readOnce = async (): Promise<void> => {
    const { times, failed } = (reads[phase] ??= { times: [], failed: [] });
    const path = n++ % 2 === 0 ? "/api/v1/services" : `/api/v1/services/${read[n % read.length] ?? ""}`;
    const startedAt = performance.now();
    const response = await caller.send("get", path).catch((error: unknown) => ({ status: 0, text: String(error) }));
    times.push(performance.now() - startedAt);
    if (response.status !== 200) failed.push(`${path} ${response.status} ${response.text.slice(0, 200)}`);
  };
  const timer = setInterval(() => {
    const one = readOnce();
    pending.add(one);
    void one.finally(() => pending.delete(one));
  }, READ_EVERY_MS);
  const updating = (async () => {
    for (let round = 0; !ended.signal.aborted; round++) {
      const id = updated[round % updated.length] ?? "";
      const name = `renamed ${round}`;
      const { status, text } = await caller.send("patch", `/api/v1/services/${id}`, { name });
      if (status === 200) updates.set(id, name);
      else faults.push(`an update: ${status} ${text.slice(0, 200)}`);
      await sleep(UPDATE_EVERY_MS);
    }
  })();
  return {
    next: (name: string): void => {
      phase = name;
    },
    stop: async () => {
      ended.abort();
      clearInterval(timer);
      await Promise.all([updating, ...pending]);
      return { reads, updates };
    },
  };
}

/** Every service is as it was, with the field of the next form unless it was updated by the process without it. */
async function verify(db: Db, { checksum, updated }: Seeded, updates: ReadonlyMap<string, string>): Promise<void> {
  const names = await db.collection("migrations").distinct("migrationName");
  const records = await db.collection("migrations").countDocuments();
  if (names.length !== MIGRATIONS.length + 1 || records !== names.length)
    faults.push(`${records} records of ${names.length} migrations`);
  const isUpdated = new Set(updated);
  let count = 0;
  let sum = 0;
  let wrong = 0;
  for await (const { _id, wire, form, name_length } of db.collection<Stored>("services").find()) {
    count++;
    const { name } = JSON.parse(wire) as Service;
    if (!isUpdated.has(_id)) sum = added(sum, wire);
    else if (updates.has(_id) && updates.get(_id) !== name) faults.push(`the update of ${_id} was lost`);
    const isRight = form === NEXT_FORM ? name_length === nameLengthIn(wire) : updates.has(_id);
    if (!isRight) wrong++;
  }
  if (count !== total) faults.push(`${count} services instead of ${total}`);
  if (sum !== checksum) faults.push("the content of services has changed");
  if (wrong > 0) faults.push(`${wrong} services without the right length of their name`);
  console.log(`\n${count} services compared, ${updates.size} of them updated meanwhile: ${faults.length} faults`);
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(0);
}
