import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type ClientSession, type Db, MongoClient } from "mongodb";
import { createLog } from "@nts/shared/log";
import { createPatientClient } from "@nts/shared/mongo/connect";
import { createProgressKeeper } from "@nts/shared/mongo/migration-progress";
import { migrate, type Migration } from "@nts/shared/mongo/migrations";
import { StartRefused } from "@nts/shared/start-refused";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { BACKGROUND, type Work } from "@nts/shared/work";
import { startServers, type Servers } from "../support/stack.js";
import { startTcpProxy } from "../support/tcp-proxy.js";

const log = createLog("test", "silent");
const INDEXES = { things: [{ key: { name: 1 }, unique: true }] };
const REPLICAS = 6;
/** The setting of the servers in tests; MongoDB's default is a minute. */
const TRANSACTION_LIFE_MS = 8_000;
/** How long a live process holds its transaction; longer than others wait before they look for dead ones. */
const HELD_MS = 2_000;

let servers: Servers;
let clients: MongoClient[];
let name: string;

beforeAll(async () => {
  servers = await startServers();
  clients = Array.from({ length: REPLICAS }, () => new MongoClient(servers.urls.mongodb));
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await servers.stop();
});

beforeEach(() => {
  name = `mongo_${randomBytes(6).toString("hex")}`;
});

/** The log of all migrations, in the order of writing. */
async function migrationLog(): Promise<string[]> {
  const lines = await clients[0]!.db(name).collection("story").find().sort({ _id: 1 }).toArray();
  return lines.map(({ line }) => String(line));
}

/** A migration that logs its beginning and its end. */
function loggingMigration(step: string): Migration {
  return {
    name: step,
    up: async (db: Db) => {
      await db.collection("story").insertOne({ line: `${step} begins` });
      await db.collection("things").updateMany({}, { $set: { step } });
      await db.collection("story").insertOne({ line: `${step} ends` });
    },
  };
}

const migrateOn = (client: MongoClient, migrations: readonly Migration[]): Promise<void> =>
  migrate(client.db(name), { migrations, indexes: INDEXES, log });

describe("migrations", () => {
  it("run once each and in order, however many replicas start concurrently on an empty database", async () => {
    const steps = [loggingMigration("0001-first"), loggingMigration("0002-second")];
    await Promise.all(clients.map((client) => migrateOn(client, steps)));
    const once = ["0001-first begins", "0001-first ends", "0002-second begins", "0002-second ends"];
    expect(await migrationLog()).toEqual(once);
    expect((await clients[0]!.db(name).collection("things").indexes()).map(({ key }) => key as object)).toEqual([
      { _id: 1 },
      { name: 1 },
    ]);
    await Promise.all(clients.map((client) => migrateOn(client, [...steps, loggingMigration("0003-third")])));
    expect(await migrationLog()).toEqual([...once, "0003-third begins", "0003-third ends"]);
  });

  it("resume with the interrupted one", async () => {
    const broken = { name: "0002-broken", up: () => Promise.reject(new Error("cut off")) };
    await expect(migrateOn(clients[0]!, [loggingMigration("0001-first"), broken])).rejects.toThrow("cut off");
    await migrateOn(clients[1]!, [loggingMigration("0001-first"), loggingMigration("0002-broken")]);
    expect(await migrationLog()).toEqual([
      "0001-first begins",
      "0001-first ends",
      "0002-broken begins",
      "0002-broken ends",
    ]);
  });
});

const PAIR = 2;
const THINGS = 10;
const idsOf = (found: readonly { _id: string }[]): string[] => found.map(({ _id }) => _id);

describe("a migration that goes through all documents", () => {
  it("continues after a kill where it was, reports how far it is, and leaves no position", async () => {
    const db = clients[0]!.db(name);
    const things = db.collection<{ _id: string; seen?: number }>("things");
    const ids = Array.from({ length: THINGS }, (_, index) => `thing ${index}`);
    await things.insertMany(ids.map((_id) => ({ _id })));
    const killed = await aProcessKilledInMigration();
    expect(killed).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 6)]);

    const progress = createProgressKeeper(log);
    const visited: string[][] = [];
    const reported: unknown[] = [];
    const up: Migration["up"] = async (own, batchesById) => {
      for await (const batch of batchesById(own.collection<{ _id: string }>("things"))) {
        visited.push(idsOf(batch));
        reported.push(progress.current());
        await things.updateMany({ _id: { $in: idsOf(batch) } }, { $set: { seen: 2 } });
      }
    };
    const schema = { migrations: [{ name: "0001-all", up }], indexes: {}, log, progress, batch: PAIR };
    await migrate(db, schema);
    // The third batch was written, but its position was not saved.
    expect(visited).toEqual([ids.slice(4, 6), ids.slice(6, 8), ids.slice(8)]);
    const at = { step: "0001-all", collection: "things", total: THINGS, per_second: expect.any(Number) };
    expect(reported).toEqual([
      { ...at, done: 4 },
      { ...at, done: 6 },
      { ...at, done: 8 },
    ]);
    expect(progress.current()).toBeNull();
    expect(await things.countDocuments({ seen: 1 })).toBe(4);
    expect(await things.countDocuments({ seen: 2 })).toBe(6);
    expect(await db.collection("migrations").find().project({ _id: 0 }).toArray()).toEqual([
      { migrationName: "0001-all" },
    ]);
  });

  it("is not said to move after a failure until it gets further than it was", () => {
    const progress = createProgressKeeper(log);
    progress.begin("0001-all");
    expect(progress.current()).toEqual({ step: "0001-all" });
    progress.fail();
    expect(progress.current()).toBeNull();
    progress.begin("0001-all");
    progress.count({ collection: "things", done: 2, total: THINGS });
    expect(progress.current()).toBeNull();
    progress.count({ collection: "things", done: 4, total: THINGS });
    expect(progress.current()).toMatchObject({ done: 4 });
  });

  it("has a client without the socket timeout of requests", async () => {
    const patient = createPatientClient(servers.urls.mongodb, "test");
    expect(patient.options.socketTimeoutMS).toBe(0);
    await patient.close();
  });
});

describe("a database that was made before the first release", () => {
  it("is refused without a change, and the refusal says how to go on", async () => {
    const db = clients[0]!.db(name);
    await db.collection("migrations").insertMany([{ migrationName: "0001-old" }, { migrationName: "0002-old" }]);
    const refused = migrateOn(clients[1]!, [loggingMigration("0001-first")]);
    await expect(refused).rejects.toThrow(StartRefused);
    await expect(refused).rejects.toThrow(
      /made by a build before version 0\.2\.0.*To start with an empty one.*archive/,
    );
    expect(await migrationLog()).toEqual([]);
  });
});

describe("a database that a newer build has migrated", () => {
  it("is still used by builds without an additive step", async () => {
    const steps = [loggingMigration("0001-first")];
    await migrateOn(clients[0]!, [...steps, loggingMigration("0002-adds")]);
    await migrateOn(clients[1]!, steps);
  });

  it("is rejected by builds without a breaking step, also when that step was interrupted", async () => {
    const steps = [loggingMigration("0001-first")];
    const broken = { name: "0002-breaks", breaksOlder: true, up: () => Promise.reject(new Error("cut off")) };
    await expect(migrateOn(clients[0]!, [...steps, broken])).rejects.toThrow("cut off");
    const refusal = expect(migrateOn(clients[1]!, steps)).rejects;
    await refusal.toThrow(/was brought to a newer version \(0002-breaks\) that this one cannot work on/);
    await migrateOn(clients[0]!, [...steps, { ...loggingMigration("0002-breaks"), breaksOlder: true }]);
    await expect(migrateOn(clients[1]!, steps)).rejects.toThrow(StartRefused);
  });
});

describe("a snapshot read", () => {
  it("returns 503 while the driver knows no server, which it reports as an unsupported one", async () => {
    const url = new URL(servers.urls.mongodb);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const options = { directConnection: true, heartbeatFrequencyMS: 500, connectTimeoutMS: 300 };
    const client = new MongoClient(url.href, options);
    try {
      const things = client.db(name).collection("things");
      await things.findOne();
      const isUnknown = once(client, "serverHeartbeatFailed");
      await proxy.dropAll(true);
      await isUnknown;
      const read = client.withSession({ snapshot: true }, (session) => things.findOne({}, { session }));
      const fault = await read.catch((error: unknown) => mapMongoFault(error));
      expect(fault).toMatchObject({ code: "unavailable" });
    } finally {
      await client.close();
      await proxy.stop();
    }
  });
});

describe("transactions: of other processes", () => {
  it("that the database keeps aborting become write conflicts at their deadline", async () => {
    const own = clients[0]!;
    const other = clients[1]!;
    const things = own.db(name).collection<{ _id: string }>("things");
    await things.insertOne({ _id: "one" });
    let attempts = 0;
    const sessions = new Set<ClientSession>();
    const endless = createTransactions(own)(BACKGROUND, ["one"], async (session) => {
      attempts += 1;
      sessions.add(session);
      await things.updateOne({ _id: "one" }, { $set: { attempts } }, { session });
      await other.db("admin").command({ killSessions: [session.id] });
      await things.updateOne({ _id: "one" }, { $set: { attempts: -1 } }, { session });
    });
    await expect(endless).rejects.toMatchObject({ code: "write_conflict" });
    expect(attempts).toBeGreaterThan(1);
    // What a session has chosen, such as its guard shard, may be why the attempt failed.
    expect(sessions.size).toBe(attempts);
    expect(await things.findOne({ _id: "one" })).toEqual({ _id: "one" });
  });

  it("do not wait for those of a killed process until the database ends them", async () => {
    const { things, run } = await aDocument();
    const other = await aProcessInTransaction();
    const killed = once(other, "exit");
    other.kill("SIGKILL");
    await killed;
    const startedAt = performance.now();
    await run("after the kill");
    expect(performance.now() - startedAt).toBeLessThan(TRANSACTION_LIFE_MS / 2);
    expect(await things.findOne({ _id: "one" })).toEqual({ _id: "one", by: "after the kill" });
  });

  it("wait for those of a live process", async () => {
    const { things, run } = await aDocument();
    const other = await aProcessInTransaction();
    const waiting = run("after the other");
    await sleep(HELD_MS);
    const ended = once(other, "exit");
    other.send("commit");
    expect(await ended).toEqual([0, null]);
    await waiting;
    expect(await things.findOne({ _id: "one" })).toEqual({ _id: "one", by: "after the other", also: "the other" });
  });
});

describe("transactions: that write a document of all organizations", () => {
  it("take turns by organization, and hold up nobody while they wait for their share", async () => {
    const { things } = await aDocument();
    const transaction = createTransactions(clients[0]!);
    const order: string[] = [];
    const run = (organizationId: string, use: Work["use"] = BACKGROUND.use): Promise<unknown> =>
      transaction({ ...BACKGROUND, organizationId, use }, { ofAll: "one" }, async (session) => {
        await things.updateOne({ _id: "one" }, { $set: { by: organizationId } }, { session });
        order.push(organizationId);
      });
    let begin = (): void => undefined;
    const share = new Promise<void>((resolve) => (begin = resolve));
    const waitsForShare = run("without a share", (task) => share.then(task));
    await Promise.all([...["busy", "busy", "busy", "busy"].map((name) => run(name)), run("calm")]);
    expect(order.indexOf("calm")).toBeLessThanOrEqual(1);
    begin();
    await waitsForShare;
    expect(order.at(-1)).toBe("without a share");
  });
});

describe("transactions: of requests that have ended", () => {
  it("begin nothing for a request that has ended, and commit nothing when it ended while they ran", async () => {
    const { things } = await aDocument();
    const transaction = createTransactions(clients[0]!);
    let isOver = false;
    const over: Work = { ...BACKGROUND, isAbandoned: () => isOver };
    let attempts = 0;
    const run = (work: Work, keys: string[]): Promise<unknown> =>
      transaction(work, keys, async (session) => {
        attempts += 1;
        await things.updateOne({ _id: "one" }, { $set: { by: "nobody" } }, { session });
        isOver = true;
      });
    const late = { code: "upstream_timeout" };
    await expect(run({ ...BACKGROUND, deadline: performance.now() - 1 }, [])).rejects.toMatchObject(late);
    expect(attempts).toBe(0);
    const first = run(over, ["one"]);
    const waiting = run(over, ["one"]);
    await expect(first).rejects.toMatchObject(late);
    await expect(waiting).rejects.toMatchObject(late);
    expect(attempts).toBe(1);
    expect(await things.findOne({ _id: "one" })).toEqual({ _id: "one" });
  });
});

/** A document, and a transaction that writes it. */
async function aDocument() {
  const things = clients[0]!.db(name).collection<{ _id: string; by?: string }>("things");
  await things.insertOne({ _id: "one" });
  const transaction = createTransactions(clients[0]!);
  const run = (by: string): Promise<unknown> =>
    transaction(BACKGROUND, ["one"], (session) => things.updateOne({ _id: "one" }, { $set: { by } }, { session }));
  return { things, run };
}

/** Migrates in another process, which is killed when it has written its third batch. @returns the ids of its batches */
async function aProcessKilledInMigration(): Promise<string[][]> {
  const script = `
    import { MongoClient } from "mongodb";
    import { createLog } from "@nts/shared/log";
    import { migrate } from "@nts/shared/mongo/migrations";
    const client = new MongoClient(${JSON.stringify(servers.urls.mongodb)});
    const db = client.db(${JSON.stringify(name)});
    let batches = 0;
    const up = async (own, batchesById) => {
      const things = own.collection("things");
      for await (const batch of batchesById(things)) {
        const ids = batch.map(({ _id }) => _id);
        await things.updateMany({ _id: { $in: ids } }, { $set: { seen: 1 } });
        process.send(ids);
        batches += 1;
        if (batches === 3) await new Promise(() => undefined);
      }
    };
    const migrations = [{ name: "0001-all", up }];
    await migrate(db, { migrations, indexes: {}, log: createLog("test", "silent"), batch: ${PAIR} });`;
  const other = spawnScript(script);
  const batches: string[][] = [];
  other.on("message", (ids: string[]) => {
    batches.push(ids);
    if (batches.length === 3) other.kill("SIGKILL");
  });
  await once(other, "exit");
  // Its lock would expire after 15 s.
  await clients[0]!.db(name).collection("locks").deleteMany({});
  return batches;
}

/** Another process that has written the document and commits on request. */
async function aProcessInTransaction() {
  const script = `
    import { MongoClient } from "mongodb";
    const client = new MongoClient(${JSON.stringify(servers.urls.mongodb)});
    const session = client.startSession();
    session.startTransaction();
    const things = client.db(${JSON.stringify(name)}).collection("things");
    await things.updateOne({ _id: "one" }, { $set: { also: "the other" } }, { session });
    process.send("written");
    process.once("message", async () => {
      await session.commitTransaction();
      process.exit(0);
    });`;
  const other = spawnScript(script);
  await once(other, "message");
  return other;
}

function spawnScript(script: string) {
  const cwd = new URL("../..", import.meta.url).pathname;
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  return spawn(process.execPath, ["--input-type=module", "-e", script], { cwd, stdio: [...stdio] });
}
