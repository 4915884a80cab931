/** The MongoDB of `npm start`: authentication. */
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { launch } from "@nts/local/processes/component";
import type { Child } from "@nts/local/processes/child";
import { loadSecrets } from "@nts/local/secrets";
import { prepareServer } from "@nts/local/servers/servers";

const GRACE_MS = 10_000;

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
  it("requires the password, which only its owner can read, and adopts another one when the secrets were lost", async () => {
    const before = await start();
    await withNotes(before, (notes) => notes.insertOne({ _id: "kept" }));
    await expect(withNotes(withoutPassword(before), (notes) => notes.findOne())).rejects.toThrow(
      "requires authentication",
    );
    for (const file of ["secrets.json", "mongodb.key"])
      expect([file, (await stat(join(dataDir, file))).mode & 0o777]).toEqual([file, 0o600]);
    expect(running[0]?.pid).toBeGreaterThan(0);
    const command = await readFile(`/proc/${running[0]?.pid ?? 0}/cmdline`, "utf8").catch(() => "");
    const { mongodbKey, mongodbPassword } = loadSecrets(dataDir);
    for (const secret of [mongodbKey, mongodbPassword]) expect(command).not.toContain(secret);

    await stop();
    await rm(join(dataDir, "secrets.json"));
    const url = await start();
    expect(url.split("@")[0]).not.toBe(before.split("@")[0]);
    expect(await withNotes(url, (notes) => notes.findOne())).toEqual({ _id: "kept" });
  });
});
