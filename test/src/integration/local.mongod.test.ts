/** The MongoDB of `npm start`: authentication, and data of an earlier version. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { launch } from "@nts/local/processes/component";
import { freePort } from "@nts/local/processes/ports";
import type { Child } from "@nts/local/processes/child";
import { loadSecrets } from "@nts/local/secrets";
import { prepareServer } from "@nts/local/servers/servers";
import { until } from "../support/until.js";

const GRACE_MS = 10_000;
const EARLIER_SECRETS = { tenancy: ["t".repeat(43)], redisPassword: "r".repeat(43), natsPassword: "n".repeat(43) };

let dataDir: string;
let running: Child[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(process.env["NTS_TEST_DIR"] ?? tmpdir(), "local-mongod-"));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((one) => one.stop(GRACE_MS)));
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts it on the data folder. @returns its URL */
async function start(): Promise<string> {
  const options = { dataDir, secrets: loadSecrets(dataDir), report: () => undefined };
  const { component, url } = await prepareServer("mongodb", options);
  running.push(await launch(component, dataDir));
  return url;
}

/** Starts it as versions before access control did: without a key file. */
async function startAsBefore(): Promise<string> {
  const options = { dataDir, secrets: loadSecrets(dataDir), report: () => undefined };
  const { component } = await prepareServer("mongodb", options);
  const port = String(await freePort());
  const args = component.args.filter(
    (word, index) => word !== "--keyFile" && component.args[index - 1] !== "--keyFile",
  );
  args[args.indexOf("--port") + 1] = port;
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const isReady = async (): Promise<boolean> => (await client.db("admin").command({ ping: 1 }))["ok"] === 1;
  running.push(await launch({ ...component, args, isReady }, dataDir));
  const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
  await client.db("admin").command({ replSetInitiate: { _id: "rs0", members } });
  await until(async () => (await client.db("admin").command({ hello: 1 }))["isWritablePrimary"] === true, 50, 30_000);
  await client.close();
  return `mongodb://127.0.0.1:${port}/?replicaSet=rs0`;
}

async function stop(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop(GRACE_MS)));
}

async function withNotes<T>(url: string, action: (notes: ReturnType<typeof notesOf>) => Promise<T>): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await action(notesOf(client));
  } finally {
    await client.close();
  }
}

const notesOf = (client: MongoClient) => client.db("notes").collection<{ _id: string }>("notes");
const withoutPassword = (url: string): string => url.replace(/\/\/[^@]*@/, "//");

describe("the MongoDB of npm start", () => {
  it("requires the password, which only its owner can read", async () => {
    const url = await start();
    await withNotes(url, (notes) => notes.insertOne({ _id: "kept" }));
    await expect(withNotes(withoutPassword(url), (notes) => notes.findOne())).rejects.toThrow(
      "requires authentication",
    );
    for (const file of ["secrets.json", "mongodb.key"])
      expect([file, (await stat(join(dataDir, file))).mode & 0o777]).toEqual([file, 0o600]);
    expect(running[0]?.pid).toBeGreaterThan(0);
    const command = await readFile(`/proc/${running[0]?.pid ?? 0}/cmdline`, "utf8").catch(() => "");
    const { mongodbKey, mongodbPassword } = loadSecrets(dataDir);
    for (const secret of [mongodbKey, mongodbPassword]) expect(command).not.toContain(secret);
  });

  it("adopts data that was stored without a password, and requires one from then on", async () => {
    await writeFile(join(dataDir, "secrets.json"), JSON.stringify(EARLIER_SECRETS));
    await withNotes(await startAsBefore(), (notes) => notes.insertOne({ _id: "from before" }));
    await stop();
    await writeFile(join(dataDir, "secrets.json"), JSON.stringify(EARLIER_SECRETS));

    for (let starts = 0; starts < 2; starts++) {
      const url = await start();
      expect(await withNotes(url, (notes) => notes.findOne())).toEqual({ _id: "from before" });
      await expect(withNotes(withoutPassword(url), (notes) => notes.findOne())).rejects.toThrow(
        "requires authentication",
      );
      await stop();
    }
    expect(loadSecrets(dataDir)).toMatchObject(EARLIER_SECRETS);
  });

  it("adopts the password from its secrets, also when these were lost", async () => {
    const before = await start();
    await withNotes(before, (notes) => notes.insertOne({ _id: "kept" }));
    await stop();
    await rm(join(dataDir, "secrets.json"));
    const url = await start();
    expect(url.split("@")[0]).not.toBe(before.split("@")[0]);
    expect(await withNotes(url, (notes) => notes.findOne())).toEqual({ _id: "kept" });
  });
});
