/** Imports that are concurrent or interrupted; `topology.imports.interrupted.long.ts` has the same with a thousand hosts. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createNetwork, getHost, ImportPlan } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { INTERNAL } from "@nts/shared/http/headers";
import { anAccount } from "../support/api.js";
import { importScan, scanFile, scanOf, scanOfMany, upHost } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { sharedStack } from "../support/shared-stack.js";
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
  const FILE = scanOfMany(24);

  async function both(): Promise<{ topology: Topology; hosts: number; subnets: number; plans: ImportPlan[] }> {
    const { topology, owner, network } = await start({ instances: 2 });
    const plans = await Promise.all([0, 1].map((instance) => importScan(owner.via(instance), network, FILE)));
    const [hosts, subnets] = await Promise.all(
      ["hosts", "subnets"].map((name) => topology.db.collection(name).countDocuments()),
    );
    return { topology, hosts: hosts ?? 0, subnets: subnets ?? 0, plans };
  }

  it("create each host and each subnet once", async () => {
    const { topology, hosts, subnets, plans } = await both();
    expect([hosts, subnets]).toEqual([24, 1]);
    const created = plans.map(({ summary }) => summary.hosts.create);
    expect(created.reduce((sum, count) => sum + count)).toBe(24);
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

describe("many new hosts", () => {
  it("are written in few transactions, and if one of them cannot be written, it fails alone, with its code", async () => {
    let transactions = 0;
    const { topology, owner, network } = await start({
      storage: (storage) => {
        const { interfaces } = storage;
        const transaction: typeof storage.transaction = (...given) => {
          transactions++;
          return storage.transaction(...given);
        };
        const insertWithHosts: typeof interfaces.insertWithHosts = (tx, scope, inserted, extra) =>
          inserted.some(({ ip_address }) => ip_address === "10.20.0.7")
            ? Promise.reject(new AppError("ip_outside_subnet", { ip_address: "10.20.0.7", cidr: "10.20.0.0/24" }))
            : interfaces.insertWithHosts(tx, scope, inserted, extra);
        return { ...storage, transaction, interfaces: { ...interfaces, insertWithHosts } };
      },
    });
    transactions = 0;
    const { hosts, summary } = await importScan(owner, network, scanOfMany(100));
    expect(summary.hosts).toEqual({ create: 99, update: 0, unchanged: 0, failed: 1 });
    expect(hosts.flatMap(({ name, error }) => (error === null ? [] : [[name, error.code]]))).toEqual([
      ["10.20.0.7", "ip_outside_subnet"],
    ]);
    expect(hosts.map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, n) => `10.20.0.${n}`));
    expect(transactions).toBeLessThan(30);
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
    // New hosts are stored as seen, and need no further record.
    await importScan(owner, network, scanOfMany(5));
    expect(attempts).toBe(0);
    const plan = await importScan(owner, network, scanOfMany(5));
    expect(plan.summary.hosts).toEqual({ create: 0, update: 0, unchanged: 5, failed: 0 });
    expect(attempts).toBe(3);
  });
});

describe("an import that has begun", () => {
  const HOSTS = 100;
  /** The network, the subnet, and the first hosts together. */
  const BEGUN = 3;
  const MOST_CREATED = 50;

  /** Every write after the first few begins with `later`. */
  const startWith = (later: () => Promise<void>) => {
    let begun = 0;
    return start({
      storage: (storage) => ({
        ...storage,
        quota: {
          ...storage.quota,
          require: async (scope) => {
            if (++begun > BEGUN) await later();
            return storage.quota.require(scope);
          },
        },
      }),
    });
  };

  it("stops when its client disconnects", async () => {
    let isWaiting = false;
    let proceed = nothing as () => unknown;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const { topology, owner, network } = await startWith(() => {
      isWaiting = true;
      return gate;
    });
    const headers = { [INTERNAL.tenancy]: owner.tenancy(), "content-type": "application/xml" };
    const path = `/api/v1/imports/nmap?network_id=${network}`;
    const sent = request({ port: topology.ports[0], method: "POST", path, headers }).on("error", () => undefined);
    sent.end(scanOfMany(HOSTS));
    await until(() => isWaiting);
    const connections = await topology.connections();
    sent.destroy();
    await until(async () => (await topology.connections()) < connections);
    proceed();
    const { summary } = await importScan(owner, network, scanOfMany(HOSTS));
    expect(summary.hosts.create).toBeGreaterThanOrEqual(HOSTS - MOST_CREATED);
    expect(summary.hosts.create + summary.hosts.unchanged).toBe(HOSTS);
    expect(await violations(topology)).toEqual([]);
  });

  it("ends with what failed when the database becomes unavailable", async () => {
    const { topology, owner, network } = await startWith(() => Promise.reject(new AppError("unavailable")));
    const { summary, hosts } = await importScan(owner, network, scanOfMany(HOSTS));
    const { create, failed } = summary.hosts;
    expect([create > 0, create <= MOST_CREATED, create + failed]).toEqual([true, true, HOSTS]);
    expect(hosts.at(-1)!.error!.code).toBe("unavailable");
    expect(await topology.db.collection("hosts").countDocuments()).toBe(create);
    expect(await violations(topology)).toEqual([]);
  });
});

describe("an import through the gateway", () => {
  it("is streamed", async () => {
    const stack = await sharedStack();
    const account = await anAccount(stack.url);
    const network = await account.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Office" });
    const sent = send(stack, account.cookie, network.id);
    sent.end(scanFile("office"));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers["content-length"]]).toEqual([200, undefined]);
    expect(ImportPlan.parse(((await read(response)) as { data: unknown }).data).hosts.length).toBeGreaterThan(0);
  });

  it("waits for no incomplete upload, neither of the same nor of another organization", async () => {
    const stack = await sharedStack();
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

function send({ url }: { readonly url: string }, cookie: string, networkId: string): ClientRequest {
  const headers = { cookie, "content-type": "application/xml" };
  return request(`${url}/api/v1/imports/nmap?network_id=${networkId}`, { method: "POST", headers });
}

async function readAll(sent: ClientRequest): Promise<unknown> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return read(response);
}

async function read(response: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  return JSON.parse(text);
}
