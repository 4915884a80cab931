/** Backups of a system under load, restored into another one. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { MongoClient } from "mongodb";
import { ROOT } from "@nts/local/processes/system";
import { createLog } from "@nts/shared/log";
import { migrate } from "@nts/shared/mongo/migrations";
import { aKey, anAccount, callerOf, type Account, type CreatedKey } from "../support/api.js";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { until } from "../support/until.js";
import { violationsIn } from "../support/invariants.js";
import { startReplay } from "../support/replay.js";
import { SEED } from "../support/sample-seed.js";
import { startStack, type Stack } from "../support/stack.js";
import { MIGRATIONS as OF_IDENTITY } from "@nts/identity/storage/migrations";
import { MIGRATIONS as OF_TOPOLOGY } from "@nts/topology/storage/migrations";

const MIGRATIONS_OF = { identity: OF_IDENTITY, topology: OF_TOPOLOGY } as const;
const SERVICES = ["identity", "topology"] as const;

const BACKUPS = Number(process.env["BACKUPS"] ?? 1);
const HISTORY = Number(process.env["BACKUP_HISTORY"] ?? 80);
const WRITERS = 8;
const log = createLog("test", "silent");

const env = { RATE_LIMIT_PER_MINUTE: "1000000", RATE_LIMIT_BURST: "1000000" };

let folder: string;
let source: Stack;
/** Another system on the same MongoDB, which is started when it is to serve what was restored. */
let target: Pick<Stack, "databases"> & { readonly servers: { readonly urls: { readonly mongodb: string } } };
let client: MongoClient;
let owner: Account;
let key: CreatedKey;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "archive-"));
  source = await startStack({ env });
  const suffix = randomBytes(6).toString("hex");
  const databases = { identity: `identity_restored_${suffix}`, topology: `topology_restored_${suffix}` };
  target = { servers: source.servers, databases };
  client = new MongoClient(source.servers.urls.mongodb);
  owner = await anAccount(source.url);
  key = await aKey(source.url, owner);
});

afterAll(async () => {
  for (const name of Object.values(target.databases)) await client.db(name).dropDatabase();
  await client.close();
  await source.stop();
  await rm(folder, { recursive: true });
});

/** Runs the program, which writes or reads a file. */
async function archive(
  stack: typeof target,
  args: string[],
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number; stderr: string }> {
  const saves = args[0] === "save";
  const { exitCode, stderr } = await execa(
    process.execPath,
    [join(ROOT, "deploy/archive/dist/bundle/main.js"), ...args],
    {
      env: {
        MONGODB_URL: stack.servers.urls.mongodb,
        IDENTITY_DATABASE: stack.databases.identity,
        TOPOLOGY_DATABASE: stack.databases.topology,
        ...env,
      },
      extendEnv: false,
      reject: false,
      ...(saves ? { stdin: "ignore", stdout: { file } } : { stdin: { file } }),
    },
  );
  return { exitCode: exitCode ?? -1, stderr };
}

/** Backs up the source repeatedly under load. @returns the files */
async function backupsUnderLoad(): Promise<string[]> {
  const history = drawHistory(SEED, HISTORY);
  const world = anEmptyWorld();
  const files: string[] = [];
  let next = 0;
  let isOver = false;
  const writer = async (): Promise<void> => {
    while (!isOver) await step(world, key.caller, history[next++ % history.length]!);
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, writer));
  const services = client.db(source.databases.topology).collection("services");
  try {
    await until(async () => (await services.countDocuments()) > 0); // what each backup is to contain
    while (next < history.length || files.length < BACKUPS) {
      const file = join(folder, `backup-${files.length}`);
      expect(await archive(source, ["save"], file)).toMatchObject({ exitCode: 0, stderr: "" });
      files.push(file);
    }
  } finally {
    isOver = true;
    await writing;
  }
  return files;
}

/** The restored system has all services, accepts all credentials, and continues its journal. */
async function expectServed({ url }: Stack, services: number): Promise<void> {
  const restored = callerOf(url, "key", { authorization: `Bearer ${key.secret}` });
  expect((await restored.send("get", "/api/v1/services?limit=0")).body.data).toHaveLength(services);
  const login = { email: owner.email, password: owner.password };
  expect((await callerOf(url, "owner").send("post", "/api/auth/login", login)).status).toBe(200);
  const { id } = await restored.data<{ id: string }>("post", "/api/v1/tags", { name: "afterwards" });
  // The journal was restored, too: a replay from the start equals the lists. Tags are compared with it last.
  const replay = startReplay(async (path) => (await restored.send("get", path)).body);
  await until(async () => (await replay.follow(), replay.has(id)));
  expect([...replay.faults, ...(await replay.differences())]).toEqual([]);
}

/** A backup of the source, to which nothing is written any more. */
async function aBackup(): Promise<string> {
  const file = join(folder, "quiet");
  if (!existsSync(file)) expect(await archive(source, ["save"], file)).toMatchObject({ exitCode: 0 });
  return file;
}

describe("a backup: contents", () => {
  it("taken under load is consistent: restored, it violates no invariant and all credentials work", async () => {
    const files = await backupsUnderLoad();
    const services: number[] = [];
    for (const file of files) {
      expect(await archive(target, ["restore", "--replace"], file)).toMatchObject({ exitCode: 0 });
      expect(await violationsIn(client.db(target.databases.topology))).toEqual([]);
      services.push(await client.db(target.databases.topology).collection("services").countDocuments());
    }
    for (const count of services) expect(count).toBeGreaterThan(0);

    const serving = await startStack({ env, databases: target.databases });
    try {
      await expectServed(serving, services.at(-1)!);
    } finally {
      await serving.stop();
    }
  });

  it("says when it takes more than half of the time for which MongoDB keeps the past", async () => {
    const saved = await archive(source, ["save"], join(folder, "slow"), { SNAPSHOT_WINDOW_SECONDS: "1" });
    expect(saved).toEqual({ exitCode: 0, stderr: expect.stringContaining("s of the 1 s for which MongoDB keeps") });
  });

  it("contains every document, to the bit", async () => {
    const file = await aBackup();
    await archive(target, ["restore", "--replace"], file);
    const of = async (name: string, collections: string[]): Promise<unknown> =>
      (await client.db(name).command({ dbHash: 1, collections }))["collections"] as unknown;
    const topology = ["bindings", "guards", "hosts", "services", "journal", "journal_gone"];
    const parts = { topology, identity: ["users", "organizations"] };
    for (const [database, collections] of Object.entries(parts) as ["topology" | "identity", string[]][])
      expect(await of(target.databases[database], collections)).toEqual(
        await of(source.databases[database], collections),
      );
  });
});

describe("a backup: restoring", () => {
  it("is rejected by every service after an interrupted restore, until it is restored completely", async () => {
    const whole = await aBackup();
    const cut = join(folder, "cut");
    const bytes = await readFile(whole);
    await writeFile(cut, bytes.subarray(0, bytes.length / 2));
    expect(await archive(target, ["intact"], cut)).toEqual({ exitCode: 0, stderr: "" });
    expect(await archive(target, ["restore", "--replace"], cut)).toMatchObject({ exitCode: 1 });
    for (const command of ["intact", "save"])
      expect(await archive(target, [command], join(folder, "none"))).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("a restore has not ended"),
      });
    // What each service does first.
    const begin = (service: keyof typeof MIGRATIONS_OF) =>
      migrate(client.db(target.databases[service]), { migrations: MIGRATIONS_OF[service], indexes: {}, log });
    for (const service of SERVICES) await expect(begin(service)).rejects.toThrow("has not ended");
    expect(await archive(target, ["restore"], whole)).toMatchObject({ exitCode: 0 });
    expect(await archive(target, ["intact"], cut)).toEqual({ exitCode: 0, stderr: "" });
    for (const service of SERVICES) await begin(service);
  });

  it("is not restored over data without --replace, nor when it is damaged, with an error in one sentence", async () => {
    const file = await aBackup();
    expect(await archive(source, ["restore"], file)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^The database identity\w* holds data; use --replace to overwrite it\.$/),
    });
    const bytes = await readFile(file);
    for (const [content, sentence] of [
      [bytes.subarray(0, bytes.length / 2), "The backup is truncated."],
      [Buffer.from("something else"), "This is not a backup, or it is damaged."],
      [Buffer.alloc(0), "The backup is truncated."],
    ] as const) {
      await writeFile(join(folder, "bad"), content);
      expect(await archive(source, ["check"], join(folder, "bad"))).toEqual(
        expect.objectContaining({ exitCode: 1, stderr: sentence }),
      );
    }
  });
});
