import { randomBytes } from "node:crypto";
import { Agent, get, type IncomingMessage } from "node:http";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import type { Child } from "@nts/local/processes/child";
import { type Component, spawnComponent, untilReady } from "@nts/local/processes/component";
import { freePorts } from "@nts/local/processes/ports";
import { respondsOk } from "@nts/local/processes/probes";
import { createProcess, type System, urlOf } from "@nts/local/processes/system";
import { createSecrets } from "@nts/local/secrets";
import { prepareServers } from "@nts/local/servers/servers";
import { anAccount } from "../support/api.js";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { sendJson } from "../support/service-stub.js";
import { startServers } from "../support/stack.js";
import { until } from "../support/until.js";

/** Orders of starting; the long tier has more. */
const ORDERS = Number(process.env["START_ORDERS"] ?? 1);
/** How long a process may take to start on a busy machine. */
const START_MS = 60_000;

/** Why a request failed to connect; undefined if it did not. */
const codeOf = (request: Promise<unknown>): Promise<string | undefined> =>
  request.then(
    () => undefined,
    (error: unknown) => (error as { cause?: { code?: string } }).cause?.code,
  );

const ONE = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

const started: Child[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop(15_000)));
});

/** All components of a system with one process of each kind, by name, not started. */
async function partsOf(
  dataDir: string,
): Promise<{ parts: Map<string, Component>; ops: Map<string, string>; url: string }> {
  const secrets = createSecrets();
  const servers = await prepareServers({ dataDir, secrets, given: {}, report: () => undefined });
  const ports = await freePorts(6);
  const own = (n: number) => ({ port: ports[2 * n] ?? 0, opsPort: ports[2 * n + 1] ?? 0 });
  const gateway = own(0);
  const identity = own(1);
  const topology = own(2);
  const system: System = {
    ...{ dataDir, secrets, servers: servers.urls, publicUrl: urlOf(gateway) },
    databases: { identity: "identity", topology: "topology" },
    environment: { PATH: process.env["PATH"] },
    identityUrls: [urlOf(identity)],
    topologyUrls: [urlOf(topology)],
  };
  const components = [
    ...servers.components,
    createProcess("identity", "identity", identity, system),
    createProcess("topology", "topology", topology, system),
    createProcess("gateway", "gateway", gateway, system),
  ];
  const ops = Object.entries({ gateway, identity, topology }).map(
    ([name, { opsPort }]) => [name, `http://127.0.0.1:${opsPort}`] as const,
  );
  return { parts: new Map(components.map((one) => [one.name, one])), ops: new Map(ops), url: urlOf(gateway) };
}

async function newFolder(): Promise<string> {
  const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
  await mkdir(base, { recursive: true });
  return mkdtemp(join(base, "order-"));
}

describe("the parts of a system", () => {
  const orders = [
    [["gateway", "topology", "identity", "nats", "redis", "mongod"]],
    [["topology", "redis", "identity", "mongod", "gateway", "nats"]],
  ];
  it.each(orders.slice(0, ORDERS))(
    "may start in the order %j: none ends, each is alive at once, and ready when its dependencies are",
    async (order) => {
      const dataDir = await newFolder();
      const { parts, ops, url } = await partsOf(dataDir);
      expect([...parts.keys()].sort()).toEqual([...order].sort());
      for (const name of order) {
        started.push(spawnComponent(parts.get(name)!, dataDir));
        const internal = ops.get(name);
        if (internal !== undefined) await until(() => respondsOk(`${internal}/livez`), 10, START_MS);
      }
      for (const component of parts.values()) await until(component.isReady, 10, START_MS);
      await anAccount(url);
      expect(started.map((child) => child.isRunning())).toEqual(order.map(() => true));
    },
  );

  it("are not ready, and stop with 0, without their dependencies", async () => {
    const dataDir = await newFolder();
    const { parts, ops, url } = await partsOf(dataDir);
    for (const name of ops.keys()) started.push(spawnComponent(parts.get(name)!, dataDir));
    for (const internal of ops.values()) {
      await until(() => respondsOk(`${internal}/livez`), 10, START_MS);
      expect((await fetch(`${internal}/readyz`)).status).toBe(503);
      expect((await fetch(`${internal}/metrics`)).status).toBe(200);
    }
    expect((await fetch(`${url}/api/version`)).status).toBe(200);
    for (const child of started) {
      await child.stop(15_000);
      expect(await child.exited).toEqual({ code: 0, signal: null });
    }
  });
});

describe("a process that migrates its database", () => {
  it("says so, which `npm start` prints", async () => {
    const servers = await startServers();
    const client = new MongoClient(servers.urls.mongodb);
    try {
      const dataDir = await newFolder();
      const [port = 0, opsPort = 0] = await freePorts(2);
      const suffix = randomBytes(6).toString("hex");
      const databases = { identity: `identity_${suffix}`, topology: `topology_${suffix}` };
      const system: System = {
        ...{ dataDir, secrets: createSecrets(), servers: servers.urls, publicUrl: "http://127.0.0.1:1", databases },
        ...{ environment: { PATH: process.env["PATH"] }, identityUrls: [], topologyUrls: [] },
      };
      const locks = client.db(databases.topology).collection<{ _id: string; owner: string; expires_at: Date }>("locks");
      await locks.insertOne({ _id: "migrations", owner: "another", expires_at: new Date(Date.now() + 3_600_000) });

      const topology = createProcess("topology", "topology", { port, opsPort }, system);
      const child = spawnComponent(topology, dataDir);
      started.push(child);
      const ops = `http://127.0.0.1:${opsPort}`;
      await until(() => respondsOk(`${ops}/livez`), 10, START_MS);
      await until(async () => (await topology.progress?.()) !== null, 10, START_MS);
      const response = await fetch(`${ops}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        status: "migrating",
        step: "waiting for another process",
        missing: ["api"],
      });

      const lines: string[] = [];
      const report = (line: string): void => {
        lines.push(line);
        void locks.deleteMany({});
      };
      await untilReady(topology, child, { report, reportEveryMs: 200 });
      expect(lines.at(0)).toBe("  topology is migrating (waiting for another process)");
      expect(await (await fetch(`${ops}/readyz`)).json()).toEqual({ status: "ok", missing: [] });
    } finally {
      await client.close();
      await servers.stop();
    }
  });
});

let world: IsolatedGateways;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: { DRAIN_DELAY_MS: "1000", RATE_LIMIT_BURST: "1000" } });
});

afterAll(async () => {
  await world.stop();
});

describe("a gateway that is stopped", () => {
  it("is unready at once, completes pending and further requests, and exits with 0 when they are done", async () => {
    const [gateway] = world.gateways;
    const { headers } = world.stub.aKey();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const request = (path: string): Promise<{ response: IncomingMessage; text: string }> =>
      new Promise((resolve, reject) => {
        get(world.url + path, { agent, headers }, (response) => {
          let text = "";
          response
            .on("data", (piece: Buffer) => (text += String(piece)))
            .once("end", () => {
              resolve({ response, text });
            });
        }).once("error", reject);
      });
    expect((await request(ONE)).response.headers.connection).toBe("keep-alive");
    let slowEndedAt = 0;
    world.stub.respondWith((incoming, response) => {
      if (incoming.url !== ONE) {
        sendJson(response, {});
        return;
      }
      setTimeout(() => {
        slowEndedAt = performance.now();
        sendJson(response, { slow: true });
      }, 2_500);
    });
    const before = world.stub.forwarded.length;
    const slow = fetch(world.url + ONE, { headers });
    await until(() => world.stub.forwarded.length > before);

    const stopped = gateway!.stop();
    await until(async () => (await fetch(`${gateway!.opsUrl}/readyz`)).status === 503);
    expect(await (await fetch(`${gateway!.opsUrl}/readyz`)).json()).toMatchObject({ missing: ["stopping"] });
    // A client that has not noticed yet gets a response with `Connection: close`.
    const late = await request("/api/v1/hosts/late");
    expect([late.response.statusCode, late.response.headers.connection]).toEqual([200, "close"]);

    await until(async () => (await codeOf(fetch(`${world.url}/api/version`))) === "ECONNREFUSED");
    expect(await slow.then((response) => response.json())).toMatchObject({ success: true, data: { slow: true } });
    expect(await stopped).toEqual({ code: 0, signal: null });
    agent.destroy();

    // Only then does it deregister from the gateways that changes of permissions wait for.
    expect(world.stub.deregisteredAt()).toBeGreaterThan(slowEndedAt);
    await gateway!.restart();
  });
});

describe("a gateway that is stopped and cannot finish", () => {
  it("aborts after a timeout what does not end, and ends with 0 nevertheless", async () => {
    const [gateway] = world.gateways;
    const { headers } = world.stub.aKey();
    world.stub.respondWith(() => undefined);
    const before = world.stub.forwarded.length;
    const hanging = fetch(world.url + ONE, { headers }).then(
      ({ status }) => status,
      () => "cut off",
    );
    await until(() => world.stub.forwarded.length > before);
    world.stub.setIdentity("silent");
    // It would be killed after 15 s.
    expect(await gateway!.stop()).toEqual({ code: 0, signal: null });
    expect(await hanging).toBe("cut off");
    world.stub.setIdentity("there");
    await gateway!.restart();
  });
});
