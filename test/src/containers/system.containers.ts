/**
 * The system of docker-compose.yml: first start, scaling, failures, replacement, and restoring a backup. All tests
 * share one system, and leave it complete.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { MongoClient } from "mongodb";
import { aKey, anAccount, callerOf, type Account, type CreatedKey } from "../support/api.js";
import { buildImages, startContainerSystem, type ContainerSystem } from "../support/container-system.js";
import { startHammer, type Hammer } from "../support/hammer.js";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { violationsIn } from "../support/invariants.js";
import { readFiveMinutes, runFiveMinutes, shapeOf } from "../support/readme.js";
import { until } from "../support/until.js";
import { rejectedDuring } from "../support/writes-during-fault.js";

jest.setTimeout(300_000);

const SETTINGS = {
  ...Object.fromEntries(
    ["MONGO_IMAGE", "REDIS_IMAGE", "NATS_IMAGE", "EDGE_IMAGE"].map((name) => [name, process.env[name] ?? ""]),
  ),
  RATE_LIMIT_PER_MINUTE: "1000000",
  RATE_LIMIT_BURST: "1000000",
};
const PROCESSES = ["gateway", "identity", "topology"];
const SIGNING_SECRETS = ["GATEWAY_TO_IDENTITY_SECRETS", "GATEWAY_TO_TOPOLOGY_SECRETS", "IDENTITY_TO_TOPOLOGY_SECRETS"];
const rounds = Array.from({ length: Number(process.env["ROLL_ROUNDS"] ?? 1) }, (_, round) => round + 1);

let folder: string;
let system: ContainerSystem;
let owner: Account;
let key: CreatedKey;
/** The signing secrets of the running processes. */
let signingSecrets: Record<string, string>;

beforeAll(async () => {
  await buildImages({ NODE_IMAGE: process.env["NODE_IMAGE"] ?? "" });
  folder = await mkdtemp(join(tmpdir(), "containers-test-"));
  system = await startContainerSystem("nts-test", SETTINGS);
  signingSecrets = { ...system.secrets };
  owner = await anAccount(system.url);
  key = await aKey(system.url, owner);
}, 900_000);

afterAll(async () => {
  await system.remove();
  await rm(folder, { recursive: true });
});

const docker = async (...args: string[]): Promise<string> => (await execa("docker", args, { stdin: "ignore" })).stdout;

/** Reads continuously, through the edge. */
const readers = (): Hammer =>
  startHammer({
    urls: [system.url],
    path: "/api/v1/networks",
    headers: { authorization: `Bearer ${key.secret}` },
    connections: 6,
    gapMs: 5,
  });

/** The counts of responses other than 200. */
async function failuresOf(hammer: Hammer): Promise<Record<string, number>> {
  const shots = await hammer.stop();
  expect(shots.length).toBeGreaterThan(100);
  const failures: Record<string, number> = {};
  for (const { status } of shots) if (status !== 200) failures[status] = (failures[status] ?? 0) + 1;
  return failures;
}

async function scale(gateways: number, identities: number, topologies: number): Promise<void> {
  const scales = [`gateway=${gateways}`, `identity=${identities}`, `topology=${topologies}`];
  await system.compose("up", "--detach", ...scales.flatMap((one) => ["--scale", one]));
  for (const service of PROCESSES) await untilHealthy(await system.containersOf(service));
  await system.untilServing();
}

async function untilHealthy(containers: readonly string[]): Promise<void> {
  const healthOf = (id: string): Promise<string> => docker("inspect", "--format", "{{.State.Health.Status}}", id);
  await until(async () => (await Promise.all(containers.map(healthOf))).every((one) => one === "healthy"), 200, 60_000);
}

/** The number of requests that a process has responded to. */
async function responsesOf(container: string): Promise<number> {
  const script = "fetch('http://127.0.0.1:9080/metrics').then((answer) => answer.text()).then(console.log)";
  const metrics = await docker("exec", container, "node", "-e", script);
  const counts = [...metrics.matchAll(/^http_server_request_duration_seconds_count\{[^}]*\} (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The files of an image besides packages. */
const OURS =
  /(?:package\.json|\/app\/health-check|\/shared\/openapi\.json|\/dist\/bundle\/.*\.js(?:\.LEGAL\.txt)?)$|\/gateway\/dist\/site\//;

describe("a system started from nothing", () => {
  it("gives the responses of the first five minutes of the README", async () => {
    const readme = readFiveMinutes();
    const responses = await runFiveMinutes(readme, system.url, folder);
    expect(responses.map(shapeOf)).toEqual(readme.responses.map(shapeOf));
  });

  it("publishes one port, that of the edge", async () => {
    const ids = (await system.compose("ps", "-q")).split("\n").filter((id) => id !== "");
    const format = "{{.Name}} {{range $port, $at := .HostConfig.PortBindings}}{{$port}}{{end}}";
    const open = (await docker("inspect", "--format", format, ...ids)).split("\n").filter((line) => / \S/.test(line));
    expect(open).toEqual([expect.stringMatching(/edge.* 8080\/tcp$/)]);
  });

  it.each(PROCESSES)(
    "runs %s as an unprivileged user on a read-only file system, with nothing but its own files",
    async (service) => {
      const [container = ""] = await system.containersOf(service);
      expect(await docker("exec", container, "id", "-u")).toBe("1000");
      await expect(docker("exec", container, "touch", "/app/file")).rejects.toThrow("Read-only");
      const modules = (await docker("exec", container, "ls", "/app/node_modules")).split("\n");
      expect(modules.filter((name) => !["@node-rs", "@nts", "swagger-ui-dist"].includes(name))).toEqual([]);
      const ours = await docker(
        "exec",
        container,
        "find",
        "/app",
        "-path",
        "/app/node_modules",
        "-prune",
        "-o",
        "-type",
        "f",
        "-print",
      );
      expect(ours.split("\n").filter((file) => !OURS.test(file))).toEqual([]);
    },
  );

  it("keeps its secrets out of its logs and of every command line", async () => {
    const ids = (await system.compose("ps", "-q")).split("\n").filter((id) => id !== "");
    const commands = await Promise.all(ids.map((id) => docker("top", id, "-o", "args").catch(() => ""))); // one has ended
    const logs = (await system.compose("logs", "--no-color")) + commands.join("\n");
    expect(logs).toContain("gateway listens");
    const leaked = Object.entries(system.secrets).filter(([, secret]) => secret.length >= 64 && logs.includes(secret));
    expect(leaked.map(([name]) => name)).toEqual([]);
  });

  it("restricts each service to its own database", async () => {
    const [container = ""] = await system.containersOf("topology");
    const [server = ""] = await system.containersOf("mongodb");
    const url = new URL(await docker("exec", container, "printenv", "MONGODB_URL"));
    url.hostname = await docker(
      "inspect",
      "--format",
      "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
      server,
    );
    url.search = "?directConnection=true";
    const client = new MongoClient(url.href);
    await client.db("topology").collection("networks").findOne();
    await expect(client.db("identity").collection("users").findOne()).rejects.toThrow(/not authorized/i);
    await client.close();
  });
});

async function replaceAllWithNewSecrets(): Promise<void> {
  const old = new Set((await Promise.all(PROCESSES.map((service) => system.containersOf(service)))).flat());
  const hammer = readers();
  const secret = randomBytes(32).toString("hex");
  system.change({
    ...Object.fromEntries(SIGNING_SECRETS.map((name) => [name, `${secret},${signingSecrets[name] ?? ""}`])),
    MONGODB_IDENTITY_USER: `identity-${secret.slice(0, 8)}`,
    MONGODB_IDENTITY_PASSWORD: randomBytes(32).toString("hex"),
  });
  await system.compose("up", "--detach", "mongodb-init");
  for (const name of SIGNING_SECRETS) signingSecrets[name] = secret;
  const rolled = await system.script("roll", ["topology", "identity", "gateway"]);
  expect([rolled.exitCode, rolled.output]).toEqual([0, expect.stringContaining("topology: 3 of 3 replaced")]);
  const before = hammer.accepted(system.url);
  await until(() => hammer.accepted(system.url) > before + 300, 50, 60_000);
  expect(await failuresOf(hammer)).toEqual({});
  const now = (await Promise.all(PROCESSES.map((service) => system.containersOf(service)))).flat();
  expect(now).toHaveLength(7);
  expect(now.filter((id) => old.has(id))).toEqual([]);
}

describe("a scaled system", () => {
  beforeEach(() => scale(2, 2, 3));

  it("uses every process of each kind", async () => {
    const hammer = readers();
    await Promise.all(Array.from({ length: 12 }, () => anAccount(system.url)));
    await until(() => hammer.accepted(system.url) > 2_000, 50, 60_000);
    expect(await failuresOf(hammer)).toEqual({});
    for (const service of PROCESSES) {
      const responseCounts = await Promise.all((await system.containersOf(service)).map(responsesOf));
      expect([service, responseCounts.filter((count) => count === 0)]).toEqual([service, []]);
    }
  });

  it("loses no read when a topology is killed under load, and accepts writes again at once", async () => {
    const hammer = readers();
    await until(() => hammer.accepted(system.url) > 300, 50, 60_000);
    const [victim = ""] = await system.containersOf("topology");
    await docker("kill", "--signal", "KILL", victim);
    const before = hammer.accepted(system.url);
    await until(() => hammer.accepted(system.url) > before + 1_000, 50, 60_000);
    expect(await failuresOf(hammer)).toEqual({});
    expect((await key.caller.send("post", "/api/v1/networks", { name: "after a loss" })).status).toBe(200);
  });

  it("returns 502 for a write on a killed topology, or 503 and Retry-After if nothing of it was sent", async () => {
    const network = await key.caller.data<{ id: string }>("post", "/api/v1/networks", { name: "writes" });
    const refused = await rejectedDuring(key.caller, network.id, async () => {
      const [victim = ""] = await system.containersOf("topology");
      await docker("kill", "--signal", "KILL", victim);
    });
    const hosts = await key.caller.data<{ name: string }[]>("get", `/api/v1/hosts?limit=0&network_id=${network.id}`);
    expect(hosts.filter(({ name }) => refused.includes(name))).toEqual([]);
  });

  // ROLL_ROUNDS sets the number of rounds, to search for rare losses.
  it.each(rounds)(
    "is replaced container by container, with new secrets, without losing a request, in round %d",
    replaceAllWithNewSecrets,
  );

  it("stops surplus replicas in order with status 0 when it is scaled down", async () => {
    const processes = await system.containersOf("gateway");
    for (const id of processes) await docker("stop", "--time", "30", id);
    const format = "{{.State.ExitCode}}";
    expect((await docker("inspect", "--format", format, ...processes)).split("\n")).toEqual(processes.map(() => "0"));
    // HAProxy closes a reused connection to a stopped gateway, for the client to retry, as browsers do.
    const ask = () => callerOf(system.url, "nobody").send("get", "/api/v1/networks");
    const { status, body } = await ask().catch(ask);
    expect([status, body.code, body.success]).toEqual([503, "unavailable", false]);
  });

  afterAll(() => scale(1, 1, 1));
});

describe("a system whose MongoDB is restarted", () => {
  it("returns 503 meanwhile, never 401 or 404, and recovers with all its data", async () => {
    const network = await key.caller.data<{ id: string }>("post", "/api/v1/networks", { name: "kept" });
    const [container = ""] = await system.containersOf("mongodb");
    const statuses = new Set<number>();
    await docker("stop", "--time", "60", container);
    for (let n = 0; n < 5; n += 1)
      statuses.add((await key.caller.send("get", `/api/v1/networks/${network.id}`)).status);
    await docker("start", container);
    await until(
      async () => {
        const { status } = await key.caller.send("get", `/api/v1/networks/${network.id}`);
        statuses.add(status);
        return status === 200;
      },
      200,
      60_000,
    );
    expect([...statuses].filter((status) => ![200, 503, 504].includes(status))).toEqual([]);
    expect(statuses).toContain(503);
    expect((await key.caller.send("post", "/api/v1/networks", { name: "afterwards" })).status).toBe(200);
  });
});

describe("a backup", () => {
  it("restores everything into an empty system, and all credentials work as before", async () => {
    const history = drawHistory(7, 400);
    const world = anEmptyWorld();
    const file = join(folder, "backup");
    const writing = (async () => {
      for (const drawn of history) await step(world, key.caller, drawn);
    })();
    expect(await system.script("backup", [file])).toMatchObject({ exitCode: 0 });
    await writing;
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    // Another system, with secrets of its own.
    const other = await startContainerSystem("nts-test-other", SETTINGS);
    try {
      const restored = await other.script("restore", [file]);
      expect([restored.exitCode, restored.output]).toEqual([0, expect.stringContaining("Restored:")]);
      await other.untilServing();
      const caller = callerOf(other.url, "key", { authorization: `Bearer ${key.secret}` });
      const names = await caller.data<{ name: string }[]>("get", "/api/v1/networks?limit=0");
      expect(names.map(({ name }) => name)).toContain("kept");
      const login = { email: owner.email, password: owner.password };
      expect((await callerOf(other.url, "owner").send("post", "/api/auth/login", login)).status).toBe(200);
      expect((await caller.send("post", "/api/v1/networks", { name: "afterwards" })).status).toBe(200);
      expect(await violationsOf(other)).toEqual([]);
    } finally {
      await other.remove();
    }
  });

  it("does not overwrite data without --replace", async () => {
    const refused = await system.script("restore", [join(folder, "backup")]);
    expect([refused.exitCode, refused.output]).toEqual([1, expect.stringContaining("holds data")]);
    await system.untilServing();
    expect((await key.caller.send("get", "/api/v1/networks")).status).toBe(200);
  });
});

/** Invariant violations in the topology database; this machine reaches containers by their addresses. */
async function violationsOf({ containersOf, secrets }: ContainerSystem): Promise<string[]> {
  const [container = ""] = await containersOf("mongodb");
  const address = await docker(
    "inspect",
    "--format",
    "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
    container,
  );
  const password = secrets["MONGODB_TOPOLOGY_PASSWORD"] ?? "";
  const client = new MongoClient(`mongodb://topology:${password}@${address}:27017/?directConnection=true`);
  try {
    return await violationsIn(client.db("topology"));
  } finally {
    await client.close();
  }
}
