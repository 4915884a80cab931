/** Database connections are shared by all organizations; reads of each one are limited to its share. */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createTag, type Host } from "@nts/shared/contract";
import { findTagIds, listNetworkIds } from "@nts/shared/contract/internal";
import { MOST_SMALL, turnsOf } from "@nts/topology/storage/large-writes";
import { createStorage } from "@nts/topology/storage/storage";
import { importScan, scanOf, upHost } from "../support/imports.js";
import { startTopology, type Topology, type TopologyOptions } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";

const SHARE = 3;
/** Connections of the process itself. */
const OWN = 1;
const AT_ONCE = 48;

let topology: Topology;
afterEach(() => topology.stop());

async function aWorld(options: TopologyOptions): Promise<{ world: World; host: Host }> {
  topology = await startTopology(options);
  const world = await aNetwork(topology.aCaller());
  return { world, host: await aHost(world, { interfaces: 5, ports: 5, services: 5 }) };
}

/** Paths that an organization may request repeatedly. */
function pathsOf({ world: { network, subnet }, host }: { world: World; host: Host }): string[] {
  const service = host.services[0]!;
  const port = host.ports[0]!;
  const at = host.interfaces[0]!;
  const single = [
    `networks/${network.id}`,
    `subnets/${subnet.id}`,
    `services/${service.id}`,
    `ports/${port.id}`,
    `interfaces/${at.id}`,
    `hosts/${host.id}`,
  ];
  const lists = ["hosts?limit=50", "services?q=s1", "services?limit=0", "networks", "tags", "bindings", "topology"];
  return [...single, ...lists].map((path) => `/api/v1/${path}`);
}

/** The maximum number of connections in use during a task. */
async function maxInUse(task: () => Promise<unknown>): Promise<number> {
  const { client } = topology.db;
  let inUse = 0;
  let most = 0;
  const taken = (): void => {
    most = Math.max(most, ++inUse);
  };
  const given = (): void => {
    inUse--;
  };
  client.on("connectionCheckedOut", taken).on("connectionCheckedIn", given);
  await task();
  client.off("connectionCheckedOut", taken).off("connectionCheckedIn", given);
  return most;
}

describe("the share of an organization", () => {
  it("limits the connections of all its reads together", async () => {
    const made = await aWorld({ shares: { operations: SHARE, streams: AT_ONCE } });
    const { owner } = made.world;
    for (const path of pathsOf(made)) {
      const most = await maxInUse(async () => {
        const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => owner.raw("get", path)));
        expect(responses.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
      });
      expect(`${path}: ${Math.max(most, SHARE + OWN)}`).toBe(`${path}: ${SHARE + OWN}`);
    }
  });

  it("limits every read outside of transactions", async () => {
    const turns = new AsyncLocalStorage<string>();
    const outside = new Set<string>();
    const { world, host } = await aWorld({
      storage: ({ transaction }, db) =>
        createStorage(db, transaction, { shares: { use: (organization, read) => turns.run(organization, read) } }),
      onCommand: ({ commandName, command }) => {
        const collection = String(command[commandName === "getMore" ? "collection" : commandName]);
        const isRead = ["find", "getMore", "aggregate", "count", "distinct"].includes(commandName);
        // Hidden entities and the cursor key are read once for everybody.
        const isOfAll = ["deletions", "journal_secrets"].includes(collection);
        if (isRead && command["autocommit"] === undefined && !isOfAll && turns.getStore() === undefined)
          outside.add(`${commandName} ${collection}`);
      },
    });
    const { owner, network } = world;
    outside.clear();
    for (const path of pathsOf({ world, host })) expect((await owner.raw("get", path)).status).toBe(200);
    const scan = scanOf([upHost("10.0.0.1", { ports: [22] }), upHost("10.0.9.1")].join(""));
    for (const dry_run of ["true", "false", "false"]) await importScan(owner, network.id, scan, { dry_run });
    const tag = await owner.call(createTag, { body: { name: "red" } });
    const { organizationId: id } = owner.scope;
    await topology.aProcess().call(listNetworkIds, { params: { id } });
    await topology.aProcess().call(findTagIds, { params: { id }, body: { ids: [tag.id] } });
    for (const gone of [`services/${host.services[0]!.id}`, `tags/${tag.id}`, `networks/${network.id}`])
      expect((await owner.raw("delete", `/api/v1/${gone}`)).status).toBe(200);
    expect([...outside]).toEqual([]);
  });

  it("queues only its own requests: others are served, and excess ones are rejected with Retry-After", async () => {
    const made = await aWorld({ shares: { operations: 1, waiting: 2 } });
    const paths = pathsOf(made).slice(0, 6);
    const sent = Array.from({ length: 300 }, (_, n) => made.world.owner.raw("get", paths[n % paths.length]!));
    const other = await topology.aCaller().raw("get", "/api/v1/networks");
    const responses = await Promise.all(sent);
    expect(other.status).toBe(200);
    expect([...new Set(responses.map(({ status }) => status))].sort()).toEqual([200, 429]);
    const refused = responses.filter(({ status }) => status === 429);
    expect(new Set(refused.map(({ code, headers }) => `${code} ${headers["retry-after"]}`))).toEqual(
      new Set(["rate_limited 1"]),
    );
  });
});

describe("writes of many documents", () => {
  it("take turns by organization, each until its transaction ends, and small ones do not wait", async () => {
    topology = await startTopology();
    const inTurn = turnsOf(topology.db.client);
    const order: string[] = [];
    const write = async (name: string, documents = MOST_SMALL + 1): Promise<void> => {
      const owner = { organization_id: name.slice(0, 1) };
      await topology.db.client.withSession(async (session) => {
        for (const command of ["begins", "ends"]) {
          await inTurn({ documents, owner, session }, () => topology.db.command({ ping: 1 }));
          order.push(`${name} ${command}`);
        }
      });
    };
    await Promise.all([write("a1"), write("a2"), write("a3"), write("b1"), write("c1", MOST_SMALL)]);
    const large = order.filter((one) => !one.startsWith("c1"));
    expect(large).toEqual(["a1", "a2", "b1", "a3"].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(order.indexOf("c1 ends")).toBeLessThan(order.indexOf("a2 begins"));
  });
});
