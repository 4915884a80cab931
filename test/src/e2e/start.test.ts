import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { type Collection, MongoClient } from "mongodb";
import { freePorts } from "@nts/local/processes/ports";
import { ROOT } from "@nts/local/processes/system";
import { loadSecrets } from "@nts/local/secrets";
import { mongodbUrlOf } from "@nts/local/servers/mongod";
import { readDemoRecord } from "@nts/local/demo/access";
import type { Change, CurrentUser } from "@nts/shared/contract";
import { callerOf, cookieOf } from "../support/api.js";
import { type DemoWeek, demoWeek } from "../support/demo-week.js";
import type { NpmStart } from "../support/npm-start.js";
import { alive, newPlace, type Place, READY } from "../support/start-place.js";

const DAY_MS = 86_400_000;

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
    // What was not found, or found again, is not updated.
    const written = changes.filter(({ action }) => action !== "missed" && action !== "returned");
    for (const { at, action, after } of written)
      if (after !== null) {
        const { created_at: created, updated_at: updated } = after as Record<string, string>;
        expect(Math.abs(Date.parse(at) - Date.parse(updated!))).toBeLessThan(60_000);
        if (action === "created") expect(created).toBe(updated);
      }
  });

  it("has a history that matches the lists of the demo, now and as of any day", async () => {
    expect(await week.differences(changes)).toEqual([]);
    for (const days of [1, 4, 7]) {
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

  it("is administered by `npm run admin`, which finds its databases", async () => {
    const { email } = readDemoRecord(place.dataDir)!;
    const { PATH = "", HOME = "" } = process.env;
    const admin = (...args: string[]) =>
      execa(process.execPath, [join(ROOT, "deploy/local/admin.mjs"), ...args], {
        env: { PATH, HOME, DATA_DIR: place.dataDir },
        extendEnv: false,
        cwd: ROOT,
      });
    const [organizations, journal] = await Promise.all([admin("list-organizations"), admin("journal")]);
    expect(organizations.stdout).toContain(email);
    expect(journal.stdout).toContain("nothing is set aside");
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
