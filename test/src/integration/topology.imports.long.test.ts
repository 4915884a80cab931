/** Imports that are long, concurrent, or interrupted. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createNetwork, getHost, ImportPlan } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { anAccount } from "../support/api.js";
import { importScan, scanFile, scanOf, scanOfMany, upHost } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { metricOf } from "../support/metrics.js";
import { startStack, type Stack } from "../support/stack.js";
import { type Caller, startTopology, type Topology, type TopologyOptions } from "../support/topology.js";
import { until } from "../support/until.js";

const nothing = (): Promise<void> => Promise.resolve();
let stop = nothing;
afterEach(async () => {
  await stop();
  stop = nothing;
});

async function start(options?: TopologyOptions): Promise<{ topology: Topology; owner: Caller; network: string }> {
  const topology = await startTopology(options);
  stop = () => topology.stop();
  const owner = topology.aCaller();
  return { topology, owner, network: (await owner.call(createNetwork, { body: { name: "Office" } })).id };
}

const violations = ({ db }: Topology): Promise<string[]> => violationsIn(db);

describe("two concurrent imports of one file, through two processes", () => {
  const FILE = scanOfMany(60);

  async function both(): Promise<{ topology: Topology; hosts: number; subnets: number; plans: ImportPlan[] }> {
    const { topology, owner, network } = await start({ instances: 2 });
    const plans = await Promise.all([0, 1].map((instance) => importScan(owner.via(instance), network, FILE)));
    const [hosts, subnets] = await Promise.all(["hosts", "subnets"].map((name) => topology.db.collection(name).countDocuments()));
    return { topology, hosts: hosts ?? 0, subnets: subnets ?? 0, plans };
  } // prettier-ignore

  it("create each host and each subnet once", async () => {
    const { topology, hosts, subnets, plans } = await both();
    expect([hosts, subnets]).toEqual([60, 1]);
    const created = plans.map(({ summary }) => summary.hosts.create);
    expect(created.reduce((sum, count) => sum + count)).toBe(60);
    expect(plans.map(({ summary }) => summary.hosts.failed)).toEqual([0, 0]);
    expect(plans.flatMap((plan) => plan.subnets.map(({ action }) => action)).sort()).toEqual(["create", "existing"]);
    expect(plans[0]!.hosts.map(({ id }) => id)).toEqual(plans[1]!.hosts.map(({ id }) => id));
    expect(await violations(topology)).toEqual([]);
  });
});

describe("a host that cannot be written", () => {
  it("is reported with its code, and the others are imported", async () => {
    const { topology, owner, network } = await start();
    const { hosts } = await importScan(owner, network, scanOf(upHost("10.1.0.1")));
    const id = hosts[0]!.id!;
    const session = topology.db.client.startSession();
    session.startTransaction();
    await topology.db.collection<{ _id: string }>("hosts").updateOne({ _id: id }, { $inc: { held: 1 } }, { session });
    const plan = await importScan(owner, network, scanOf(upHost("10.1.0.1", { ports: [22] }) + upHost("10.1.0.2")));
    await session.abortTransaction();
    await session.endSession();
    expect(plan.hosts.map(({ action, name, error }) => [action, name, error?.code])).toEqual([
      ["failed", "10.1.0.1", "write_conflict"],
      ["create", "10.1.0.2", undefined],
    ]);
    expect(plan.summary.hosts).toEqual({ create: 1, update: 0, unchanged: 0, failed: 1 });
    expect((await owner.call(getHost, { params: { id } })).ports).toEqual([]);
    expect(await violations(topology)).toEqual([]);
  });
});

describe("an import whose sightings cannot be recorded", () => {
  it("succeeds, and stops retrying after a few attempts without a database, however much was found", async () => {
    let attempts = 0;
    const found = () => {
      attempts++;
      return Promise.reject(new AppError("unavailable"));
    };
    const { owner, network } = await start({
      storage: (storage) => ({ ...storage, sightings: { ...storage.sightings, found } }),
    });
    const plan = await importScan(owner, network, scanOfMany(5));
    expect(plan.summary.hosts).toEqual({ create: 5, update: 0, unchanged: 0, failed: 0 });
    expect(attempts).toBe(3);
  });
});

describe("an import through the gateway", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });

  afterAll(async () => {
    await stack.stop();
  });

  it("is streamed host by host, and stops when its client disconnects", async () => {
    const account = await anAccount(stack.url);
    const network = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const total = async (): Promise<number> => {
      const { body } = await account.session.send("get", "/api/v1/hosts?limit=1");
      return body.meta.pagination.total_count;
    };
    const sent = send(stack, account.cookie, network.id).on("error", () => undefined);
    sent.end(scanOfMany(1_000));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers["content-length"]]).toEqual([200, undefined]);
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece)).on("error", () => undefined);
    await until(() => (text.match(/"matched_by"/g) ?? []).length > 10);
    expect(await total()).toBeLessThan(1_000);
    sent.destroy();
    await until(async () => (await metricOf(stack.topologies[0]!, "nts_imports_running")) === 0);
    const before = await total();
    expect(before).toBeLessThan(1_000);
    expect(text).not.toMatch(/"summary"/);

    const rest = send(stack, account.cookie, network.id);
    rest.end(scanOfMany(before + 10));
    const plan = ImportPlan.parse(((await readAll(rest)) as { data: unknown }).data);
    expect(plan.summary.hosts).toEqual({ create: 10, update: 0, unchanged: before, failed: 0 });
  }); // prettier-ignore

  it("waits for no incomplete upload, neither of the same nor of another organization", async () => {
    const accounts = [await anAccount(stack.url), await anAccount(stack.url)];
    const networks = await Promise.all(
      accounts.map(({ session }) => session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" })),
    );
    const uploads = [0, 0, 0, 1, 1, 1].map((n) => {
      const one = send(stack, accounts[n]!.cookie, networks[n]!.id).on("error", () => undefined);
      one.write("<nmaprun>");
      return one;
    });
    for (const n of [0, 1]) {
      const sent = send(stack, accounts[n]!.cookie, networks[n]!.id);
      sent.end(scanFile("ping"));
      const plan = ImportPlan.parse(((await readAll(sent)) as { data: unknown }).data);
      expect(plan.summary.hosts.create).toBe(2);
    }
    for (const one of uploads) one.destroy();
  });
});

describe("an import during which the database becomes unavailable", () => {
  it("is rejected before it has begun, and otherwise ends with what failed", async () => {
    const stack = await startStack({ ownMongod: true });
    stop = () => stack.stop();
    const account = await anAccount(stack.url);
    const network = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const sent = send(stack, account.cookie, network.id);
    sent.end(scanOfMany(1_000));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    await until(() => text.includes('"action":"create","id":"'));
    await stack.servers.mongodb!.kill();
    await once(response, "end");
    const { data } = JSON.parse(text) as { data: ImportPlan };
    expect(data.summary.hosts.failed).toBeGreaterThan(0);
    expect(data.summary.hosts.failed + data.summary.hosts.create).toBe(1_000);
    expect(data.hosts.at(-1)!.error!.code).toBe("unavailable");

    const refused = send(stack, account.cookie, network.id);
    refused.end(scanFile("ping"));
    expect(await readAll(refused)).toMatchObject({ code: "unavailable" });
  });
});

function send(stack: Stack, cookie: string, networkId: string): ClientRequest {
  const headers = { cookie, "content-type": "application/xml" };
  return request(`${stack.url}/api/v1/imports/nmap?network_id=${networkId}`, { method: "POST", headers });
}

async function readAll(sent: ClientRequest): Promise<unknown> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  return JSON.parse(text);
}
