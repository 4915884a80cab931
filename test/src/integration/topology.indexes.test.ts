/**
 * Query plans of lists, for every filter with every order, from the profiler of the database: no collection scans, and
 * no sorts in memory beyond a page except for those listed here.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Document } from "mongodb";
import { batchesById, createIndexes } from "@nts/shared/mongo/migrations";
import { INDEXES } from "@nts/topology/storage/indexes";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { getTopology, listHosts, listServices, OPERATIONS, type AnyEndpoint } from "@nts/shared/contract";
import { profiled } from "../support/profiled.js";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { SEED_TAGS, seedTopology, type Seeded } from "../support/seed.js";
import { aHost, aNetwork, aService } from "../support/topology-world.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

/** One of so many queries. */
const PLANS_EVERY = Number(process.env["PLANS_EVERY"] ?? 8);
const PAGE = 250;
const AT_A_TIME = 4;
/** How much of a list is returned says nothing of how it is read. */
const ROWS = "10";

/** Lists that are sorted in memory, and why that is right. */
const SORTED_IN_MEMORY: readonly (readonly [why: string, test: (query: URLSearchParams) => boolean])[] = [
  [
    "a group and another order within it: an index for each pair and direction would be dozens more to write to; the best page is kept while reading",
    (query) => query.has("group_by") && query.get("group_by") !== (query.get("order_by") ?? "created_at"),
  ],
  [
    "a search: a part of a text can stand anywhere in it, so all entries of one index in the scope are read, and no entity that does not match; what matches is sorted",
    (query) => query.has("q"),
  ],
];

let topology: Topology;
let owner: Caller;
let limited: Caller;
let seeded: Seeded;

beforeAll(async () => {
  topology = await startTopology();
  const organizationId = randomUUID();
  seeded = await seedTopology(topology.db, { organizationId, networks: 4, hostsPerNetwork: 130, servicesPerHost: 10 });
  await seedTopology(topology.db, {
    organizationId: randomUUID(),
    networks: 1,
    hostsPerNetwork: 130,
    servicesPerHost: 4,
  });
  owner = topology.aCaller({ organizationId });
  limited = topology.aCaller({ organizationId, networks: seeded.networkIds.slice(0, 2) });
});

afterAll(() => topology.stop());

const lists = OPERATIONS.filter(
  ({ upstream, list, operationId }) => upstream === "topology" && list && operationId !== "list_service_definitions",
);

describe("topology.indexes: how lists are read", () => {
  it.each(lists.map((operation) => [operation.operationId, operation] as const))(
    "%s scans no whole collection and sorts no more than a page",
    async (_id, operation) => {
      const queries = queriesOf(operation);
      const isAllowed = (query: URLSearchParams): boolean => SORTED_IN_MEMORY.some(([, test]) => test(query));
      const served = await profileOf(
        operation,
        queries.filter((query) => !isAllowed(query)),
      );
      expect(served.flatMap((entry) => [...scansIn(entry), ...sortsIn(entry)])).toEqual([]);
      const allowed = await profileOf(operation, queries.filter(isAllowed));
      expect(allowed.flatMap(scansIn)).toEqual([]);
    },
    180_000,
  );

  it.each([
    [listHosts, "host 7", 520],
    [listServices, "SERVICE 7", 5_200],
  ] as const)(
    "a search scans one index within the scope, and reads no entity that does not match: %#",
    async (operation, q, inScope) => {
      const matching = await owner.list(operation, { query: { q, limit: 0 } });
      expect(matching.total).toBeGreaterThan(10);
      const seen = await profileOf(operation, [new URLSearchParams({ q })]);
      // Pages of hosts read their children, too; their totals do not.
      const searches = seen.filter((entry) => planOf(entry).includes("$regex"));
      expect(searches.length).toBeGreaterThan(0);
      for (const entry of searches) {
        expect([planOf(entry), Number(entry["keysExamined"]) <= inScope + 10]).toEqual([planOf(entry), true]);
        expect([planOf(entry), Number(entry["docsExamined"]) <= matching.total]).toEqual([planOf(entry), true]);
        expect(entry["planSummary"]).toContain("search: 1");
      }
    },
  );

  it("a search for an address and port reads what matches, and nothing else", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world, { interfaces: 3, ports: 3 });
    await aService(world, host, { bindings: [{ type: "Port", port_id: host.ports[1]?.id }] });
    for (const operation of [listHosts, listServices])
      for (const q of ["10.0.0.1:2", ":2"]) {
        const seen = await profileOf(operation, [new URLSearchParams({ q })]);
        for (const entry of seen)
          expect([planOf(entry), Number(entry["docsExamined"]) <= 3]).toEqual([planOf(entry), true]);
        expect((await owner.list(operation, { query: { q } })).total).toBe(1);
      }
  });

  it("those of a service take at most 550 bytes", async () => {
    // Copied, so that they have nothing but keys: those of the last five minutes also have the times of their writes.
    await topology.db
      .collection("services")
      .aggregate([{ $out: "copied" }])
      .toArray();
    await createIndexes(topology.db, { copied: INDEXES["services"] ?? [] });
    // Sizes are those of the last checkpoint.
    await topology.db.admin().command({ fsync: 1 });
    const stats = topology.db.collection("copied").aggregate([{ $collStats: { storageStats: {} } }]);
    const { storageStats } = (await stats.next()) as { storageStats: { count: number; totalIndexSize: number } };
    await topology.db.dropCollection("copied");
    expect(storageStats.totalIndexSize / storageStats.count).toBeLessThanOrEqual(550);
  });

  it("the journal is stored densely", async () => {
    const [journal] = await topology.db.listCollections({ name: "journal" }).toArray();
    expect(JSON.stringify(journal)).toContain("block_compressor=zstd");
  });

  it("lists of a database of the previous build are in the same order, and its indexes are dropped", async () => {
    const pages = async (): Promise<string[]> => {
      const network = seeded.networkIds[2] ?? "";
      const texts: string[] = [];
      for (let next = ""; next !== END_OF_LIST;) {
        const query = new URLSearchParams({ network_id: network, order_by: "service_definition", limit: "300" });
        if (next !== "") query.set("cursor", next);
        const { text, headers } = await owner.raw("get", `${listServices.path}?${query.toString()}`);
        texts.push(text);
        next = String(headers[INTERNAL.listNext]);
      }
      return texts;
    };
    const expected = await pages();
    expect(expected).toHaveLength(5);
    const services = topology.db.collection("services");
    const before = await services.indexes();
    await services.updateMany({}, { $unset: { id_key: 1 } });
    await createIndexes(topology.db, { services: [{ key: { organization_id: 1, name: 1, _id: 1, category: 1 } }] });
    await MIGRATIONS.find(({ name }) => name === "0006-short-indexes")?.up(topology.db, batchesById);
    await createIndexes(topology.db, INDEXES);
    expect((await services.indexes()).map(({ name }) => name).toSorted()).toEqual(
      before.map(({ name }) => name).toSorted(),
    );
    expect(await pages()).toEqual(expected);
  });

  it("the graph scans no whole collection and sorts nothing", async () => {
    const all = new URLSearchParams();
    const one = new URLSearchParams({ network_id: seeded.networkIds[1] ?? "" });
    const seen = await profileOf(getTopology, [all, one]);
    expect(
      seen.flatMap((entry) => [
        ...scansIn(entry),
        ...(sortedIn(entry["execStats"] as Document) > 0 ? [planOf(entry)] : []),
      ]),
    ).toEqual([]);
  });
});

/** Each filter alone and with the network, in each order and direction, and each group: in the long tier, all of them. */
function queriesOf(operation: AnyEndpoint): URLSearchParams[] {
  const shape = operation.query?.shape ?? {};
  const fields = fieldsOf(operation);
  const orders: Record<string, string>[] = [
    {},
    ...fields.flatMap((order_by): Record<string, string>[] => [
      { order_by },
      { order_by, order_direction: "desc" },
      { group_by: order_by },
    ]),
    ...fields.slice(1).map((group_by) => ({ group_by, order_by: fields[0] ?? "", order_direction: "desc" })),
  ];
  const values: Record<string, string[]> = {
    network_id: [seeded.networkIds[1] ?? ""],
    q: ["host 7", "SERVICE 7"],
    host_id: [seeded.hostIds[175] ?? ""],
    ids: [seeded.serviceIds.slice(0, 150).join(",")],
    tag_ids: [SEED_TAGS.common, SEED_TAGS.rare],
    attribute: [`seed:${SEED_TAGS.common}`, `seed:${SEED_TAGS.rare}`],
    role: ["Printer"],
    exclude_categories: ["DNS", "DNS,Media,Database,Monitoring,Custom"],
    subnet_id: [randomUUID()],
    service_id: [randomUUID()],
    port_id: [randomUUID()],
    interface_id: [randomUUID()],
  };
  const filters = Object.entries(values)
    .filter(([name]) => name in shape)
    .flatMap(([name, given]) => given.map((value): Record<string, string> => ({ [name]: value })));
  const network = { network_id: seeded.networkIds[1] ?? "" };
  const all = [{}, ...filters, ...filters.map((filter) => ({ ...network, ...filter }))];
  const queries = all.flatMap((filter) => orders.map((order) => ({ ...filter, ...order, limit: ROWS })));
  return queries.filter((_, n) => n % PLANS_EVERY === 0).map((query) => new URLSearchParams(query));
}

function fieldsOf({ query }: AnyEndpoint): string[] {
  const order = query?.shape["order_by"] as unknown as { unwrap(): { options: string[] } };
  return order.unwrap().options;
}

/** The profile of the database for these lists, requested by callers with all networks and with two. */
async function profileOf({ path }: AnyEndpoint, queries: readonly URLSearchParams[]): Promise<Document[]> {
  await topology.db.createCollection("system.profile", { capped: true, size: 128 * 2 ** 20 });
  // Within one network, both callers' scopes are that network.
  const callersOf = (query: URLSearchParams): Caller[] => (query.has("network_id") ? [limited] : [owner, limited]);
  const requests = queries.flatMap((query) => callersOf(query).map((caller) => ({ query, caller }))).values();
  const ask = async (): Promise<void> => {
    for (const { query, caller } of requests)
      expect((await caller.raw("get", `${path}?${query.toString()}`)).status).toBe(200);
  };
  // A timer reads `deletions` completely, which contains the few networks that are being swept.
  const seen = await profiled(topology.db, { ns: { $not: /system|\.deletions$/ } }, () =>
    Promise.all(Array.from({ length: AT_A_TIME }, ask)),
  );
  expect(seen.length).toBeGreaterThanOrEqual(queries.length);
  return seen;
}

const planOf = (entry: Document): string => `${String(entry["planSummary"])} for ${JSON.stringify(entry["command"])}`;

function scansIn(entry: Document): string[] {
  return String(entry["planSummary"]).includes("COLLSCAN") ? [planOf(entry)] : [];
}

function sortsIn(entry: Document): string[] {
  const sorted = sortedIn((entry["execStats"] ?? {}) as Document);
  return sorted > PAGE ? [`sorts ${sorted} by ${planOf(entry)}`] : [];
}

/** The number of documents sorted in memory; 0 without such a sort. */
function sortedIn(stage: Document): number {
  const inner = [stage["inputStage"], ...((stage["inputStages"] ?? []) as Document[])].filter(
    (one) => one !== undefined,
  );
  const own = stage["stage"] === "SORT" ? Number((stage["inputStage"] as Document)["nReturned"]) : 0;
  return Math.max(own, ...inner.map((one) => sortedIn(one as Document)));
}
