import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Collection, MongoClient } from "mongodb";
import { commandLineOf } from "@nts/local/processes/identify";
import { freePorts } from "@nts/local/processes/ports";
import { type RunRecord, stopLeftovers } from "@nts/local/processes/run-records";
import { loadSecrets } from "@nts/local/secrets";
import { mongodbUrlOf } from "@nts/local/servers/mongod";
import { readDemoRecord } from "@nts/local/demo/access";
import type { Change, CurrentUser } from "@nts/shared/contract";
import { callerOf, cookieOf } from "../support/api.js";
import { type DemoWeek, demoWeek } from "../support/demo-week.js";
import { spawnNpmStart, type NpmStart } from "../support/npm-start.js";

const READY = "Ctrl-C stops everything";
const DAY_MS = 86_400_000;

/** A folder and port where a system can be started repeatedly. */
interface Place {
  readonly dataDir: string;
  readonly port: number;
  start(args?: string[], env?: Record<string, string>): NpmStart;
  /** The processes on its data folder. */
  runs(): Promise<RunRecord[]>;
  /** Stops everything that was started. */
  clear(): Promise<void>;
}

async function newPlace(): Promise<Place> {
  const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
  await mkdir(base, { recursive: true });
  const dataDir = await mkdtemp(join(base, "start-"));
  const port = await portBeforeAFreeOne();
  const given: NpmStart[] = [];
  return {
    dataDir,
    port,
    start: (args = [], env = {}) => {
      const one = spawnNpmStart(dataDir, { PORT: String(port), DATA_DIR: dataDir, ...env }, args);
      given.push(one);
      return one;
    },
    runs: async () => {
      const folder = join(dataDir, "run");
      const files = await readdir(folder).catch(() => []);
      return Promise.all(
        files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8")) as RunRecord),
      );
    },
    clear: async () => {
      for (const one of given) one.signal("SIGTERM");
      await Promise.all(given.map((one) => one.ended()));
      await stopLeftovers(join(dataDir, "run"));
      for (const folder of ["mongodb", "redis", "nats"])
        await rm(join(dataDir, folder), { recursive: true, force: true });
    },
  };
}

/** A free port whose successor is free too, for a second gateway. */
async function portBeforeAFreeOne(): Promise<number> {
  let [port = 0] = await freePorts(1);
  for (;;) {
    const [next = 0] = await freePorts(1);
    if (next === port + 1) return port;
    port = next;
  }
}

async function alive(records: readonly RunRecord[]): Promise<string[]> {
  const lines = await Promise.all(records.map(async ({ pid, command }) => (await commandLineOf(pid)) === command));
  return records.filter((_, index) => lines[index]).map(({ name }) => name);
}

let place: Place;
let one: NpmStart;
let secrets: string;
let week: DemoWeek;
let changes: Change[];

beforeAll(async () => {
  place = await newPlace();
  one = place.start(["--demo"]);
  await one.untilPrinted(READY);
  week = demoWeek(`http://127.0.0.1:${place.port}`, place.dataDir);
});

afterAll(() => place.clear());

describe("npm start", () => {
  it("starts all processes, and prints where they are", async () => {
    const { dataDir, port, runs } = place;
    expect(one.output()).toContain(`http://localhost:${port}`);
    expect(one.output()).toContain(join(dataDir, "logs"));
    const names = ["gateway-1", "identity-1", "mongod", "nats", "redis", "topology-1"];
    expect((await alive(await runs())).sort()).toEqual(names);
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200);
  });

  it("has a demo with a week of history, which ends yesterday", async () => {
    changes = await week.changes();
    const times = changes.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Date.now() - times[0]!).toBeGreaterThan(6 * DAY_MS);
    expect(new Set(times.map((time) => new Date(time).toDateString())).size).toBe(7);
    expect(Date.now() - times.at(-1)!).toBeGreaterThan(600_000);
    for (const { at, action, after } of changes)
      if (after !== null) {
        const { created_at: created, updated_at: updated } = after as Record<string, string>;
        expect(Math.abs(Date.parse(at) - Date.parse(updated!))).toBeLessThan(60_000);
        if (action === "created") expect(created).toBe(updated);
      }
  });

  it("has a history that matches the lists of the demo, now and as of any day", async () => {
    expect(await week.differences(changes)).toEqual([]);
    for (let days = 1; days <= 7; days++) {
      const asOf = new Date(Date.now() - days * DAY_MS).toISOString();
      const until = changes.filter(({ at }) => at <= asOf);
      expect(await week.differences(until, asOf)).toEqual([]);
    }
  });

  it("has a demo account that belongs to two organizations, and signs in to the one with the history", async () => {
    const { email, password } = readDemoRecord(place.dataDir)!;
    const url = `http://127.0.0.1:${place.port}`;
    const { headers } = await callerOf(url, "demo").send("post", "/api/auth/login", { email, password });
    const session = callerOf(url, "demo", { cookie: cookieOf(headers) });
    const { organization_id, organizations } = await session.data<CurrentUser>("get", "/api/auth/me");
    expect(organization_id).toBe(organizations[0]?.id);
    expect(organizations.map(({ name, permissions }) => `${permissions} of ${name}`)).toEqual([
      "Owner of Example Company",
      "Viewer of Example Hosting",
    ]);
  });

  it("accepts changes of the demo under their ETags", async () => {
    const { data } = (await week.caller.send("get", "/api/v1/hosts?limit=1")).body as { data: [{ id: string }] };
    const path = `/api/v1/hosts/${data[0].id}`;
    const etag = String((await week.caller.send("get", path)).headers.get("etag"));
    const rename = () => week.caller.send("patch", path, { name: "Renamed today" }, { "if-match": etag });
    expect([(await rename()).status, (await rename()).status]).toEqual([200, 412]);
    await expect(week.changes()).resolves.toHaveLength(changes.length + 1);
    expect(await week.differences(await week.changes())).toEqual([]);
  });
});

describe("npm start: processes and data", () => {
  it("locks its data folder, and rejects another start in one sentence", async () => {
    const [other = 0] = await freePorts(1);
    const second = place.start([], { PORT: String(other) });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain("runs already");
    expect(second.output()).toContain("DATA_DIR");
    expect(await alive(await place.runs())).toHaveLength(6);
  });

  it("restarts a process that died, and reports it", async () => {
    const victim = (await place.runs()).find(({ name }) => name === "topology-1");
    process.kill(victim?.pid ?? 0, "SIGKILL");
    await one.untilPrinted("topology-1 was ended by SIGKILL; starting it again");
    await one.untilPrinted("topology-1 is ready again");
  });

  it("leaves nothing running after SIGTERM", async () => {
    changes = await week.changes();
    await writeNote(await mongodbUrl(place));
    secrets = await readFile(join(place.dataDir, "secrets.json"), "utf8");
    const records = await place.runs();
    expect(await alive(records)).toHaveLength(6);
    one.signal("SIGTERM");
    expect(await one.ended()).toBe(0);
    expect(await alive(records)).toEqual([]);
    expect(await place.runs()).toEqual([]);
  });

  it("keeps its data for the next start, and its secrets readable by their owner only", async () => {
    one = place.start(["--demo"]);
    await one.untilPrinted(READY);
    expect(await readNote(await mongodbUrl(place))).toBe("kept");
    expect(await week.changes()).toEqual(changes);
    expect(one.output()).not.toContain("history");
    expect(await readFile(join(place.dataDir, "secrets.json"), "utf8")).toBe(secrets);
    expect((await stat(join(place.dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
  });

  it("is stopped by the next start when it was killed", async () => {
    const left = await place.runs();
    one.signal("SIGKILL");
    await one.ended();
    expect(await alive(left)).toHaveLength(6);

    one = place.start(["--replicas", "gateway=2,topology=2,identity=2"]);
    await one.untilPrinted("Stopped what an earlier run had left behind");
    expect(await alive(left)).toEqual([]);
    await one.untilPrinted(READY);
  });

  it("runs several of each kind, gateways on consecutive ports, until SIGINT", async () => {
    expect(await alive(await place.runs())).toHaveLength(9);
    expect((await fetch(`http://127.0.0.1:${place.port + 1}/api/health`)).status).toBe(200);
    one.signal("SIGINT");
    expect(await one.ended()).toBe(0);
    expect(await place.runs()).toEqual([]);
  });
});

describe("npm start that fails", () => {
  let place: Place;
  beforeEach(async () => {
    place = await newPlace();
  });
  afterEach(() => place.clear());

  it.each([
    ["a taken port", {}, "is already in use; choose another one, for example PORT="],
    ["a port that is not a number", { PORT: "http" }, 'PORT is "http", but must be a number'],
    ["a server that does not answer", { NATS_URL: "nats://127.0.0.1:9" }, "NATS_URL names 127.0.0.1:9"],
    ["a data folder that cannot be created", { DATA_DIR: "/dev/null/data" }, "set DATA_DIR"],
  ])("rejects %s in one sentence and leaves nothing running", async (_, env: Record<string, string>, sentence) => {
    const occupied = await listenOn(place.port);
    const [other = 0] = await freePorts(1);
    try {
      const one = place.start([], { ...(sentence.includes("PORT=") ? {} : { PORT: String(other) }), ...env });
      expect(await one.ended()).toBe(1);
      expect(one.output()).toContain(sentence);
      expect(await place.runs()).toEqual([]);
    } finally {
      occupied.close();
    }
  });

  it("rejects an unknown option, and explains the known ones", async () => {
    const wrong = place.start(["--replica", "gateway=2"]);
    expect(await wrong.ended()).toBe(1);
    expect(wrong.output()).toContain("--help");
    const help = place.start(["--help"]);
    expect(await help.ended()).toBe(0);
    expect(help.output()).toContain("--replicas gateway=2,topology=2,identity=2");
  });
});

async function listenOn(port: number): Promise<{ close(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

async function mongodbUrl({ dataDir, runs }: Place): Promise<string> {
  const command = (await runs()).find(({ name }) => name === "mongod")?.command ?? "";
  return mongodbUrlOf(command, loadSecrets(dataDir).mongodbPassword) ?? "";
}

async function writeNote(url: string): Promise<void> {
  await withNotes(url, (notes) => notes.insertOne({ text: "kept" }));
}

async function readNote(url: string): Promise<unknown> {
  return withNotes(url, async (notes) => (await notes.findOne())?.["text"] as unknown);
}

async function withNotes<T>(url: string, action: (notes: Collection) => Promise<T>): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await action(client.db("notes").collection("notes"));
  } finally {
    await client.close();
  }
}
