import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createTag,
  listServices,
  SERVICE_ORDER_FIELDS,
  type QueryInputOf,
  type Service,
  updateService,
} from "@nts/shared/contract";
import { naturalKey } from "@nts/topology/values/natural-names.rules";
import { type Caller, type Page, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, unknownEntity, type World } from "../support/topology-world.js";

type Query = QueryInputOf<typeof listServices>;
type Field = (typeof SERVICE_ORDER_FIELDS)[number];

let topology: Topology;
let owner: Caller;
let home: World;
let office: World;
let tagId: string;
let all: Service[];
const hostNames = new Map<string, string>();

const list = (query: Query): Promise<Page<Service>> => owner.list(listServices, { query });
const names = async (query: Query): Promise<string[]> => (await list(query)).rows.map(({ name }) => name).sort();
const namesOf = (...chosen: Service[]): string[] => chosen.map(({ name }) => name).sort();

// Names that sort differently by code points, by UTF-16 and by language.
const SERVICES: readonly [host: "nas" | "Router" | "gate", name: string, definition: string, tags: string[]][] = [
  ["nas", "web", "nginx", ["prod", "edge"]],
  ["nas", "Web", "nginx", ["prod"]],
  ["nas", "\u{1f600}", "PostgreSQL", ["test"]],
  ["nas", "\uff5e", "my own thing", []],
  ["Router", "élan", "Pi-hole", ["edge"]],
  ["Router", "web", "Grafana", []],
  ["gate", "zoo", "nginx", ["test"]],
  ["gate", "Zoo", "unbound", ["prod"]],
];

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller();
  home = await aNetwork(owner, "home");
  office = await aNetwork(owner, "office");
  const hosts = {
    nas: await aHost(home, { name: "nas" }),
    Router: await aHost(home, { name: "Router" }),
    gate: await aHost(office, { name: "gate" }),
  };
  for (const { id, name } of Object.values(hosts)) hostNames.set(id, name);
  tagId = (await owner.call(createTag, { body: { name: "Important" } })).id;
  all = [];
  for (const [host, name, service_definition, tags] of SERVICES)
    all.push(await aService(home, hosts[host], { name, service_definition, tags }));
  // The first one becomes the last updated, and gets a managed tag.
  const [first] = all;
  const body = { ...echoOf(first!), tags: [...first!.tags, tagId] };
  all[0] = await owner.call(updateService, { params: { id: first!.id }, body });
});

afterAll(() => topology.stop());

const keyOf = (service: Service, field: Field): string | number =>
  field === "host"
    ? hostNames.get(service.host_id)!
    : field === "natural_name"
      ? naturalKey(service.name)
      : service[field];

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" || typeof b === "number"
    ? Number(a) - Number(b)
    : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** All services in the requested order. */
function expected({ group_by, order_by = "created_at", order_direction }: Query): Service[] {
  const sign = order_direction === "desc" ? -1 : 1;
  return [...all].sort(
    (a, b) =>
      (group_by === undefined ? 0 : compare(keyOf(a, group_by), keyOf(b, group_by))) ||
      sign * compare(keyOf(a, order_by), keyOf(b, order_by)) ||
      sign * compare(a.id, b.id),
  );
}

describe("services.lists: orders", () => {
  it("is by creation, oldest first, by default", async () => {
    expect((await list({})).rows).toEqual(all);
  });

  it("applies a direction alone to the default order", async () => {
    expect((await list({ order_direction: "desc" })).rows).toEqual([...all].reverse());
  });

  it.each(SERVICE_ORDER_FIELDS)(
    "orders by %s in both directions, text by code points, ties by id in the same direction",
    async (order_by) => {
      for (const order_direction of ["asc", "desc"] as const)
        expect((await list({ order_by, order_direction })).rows).toEqual(expected({ order_by, order_direction }));
    },
  );

  it.each(SERVICE_ORDER_FIELDS)("groups by %s, always ascending, and orders within the groups", async (group_by) => {
    for (const order_by of [undefined, "name", "position"] as const)
      for (const order_direction of ["asc", "desc"] as const) {
        const query = { group_by, order_direction, ...(order_by !== undefined && { order_by }) };
        expect((await list(query)).rows).toEqual(expected(query));
      }
  });

  it("keeps a group ascending when the order is by the same field and descending", async () => {
    const query = { group_by: "name", order_by: "name", order_direction: "desc" } as const;
    expect((await list(query)).rows).toEqual(expected(query));
  });
});

describe("services.lists: filters", () => {
  it("restrict to a network, in any notation", async () => {
    expect(await names({ network_id: office.network.id })).toEqual(["Zoo", "zoo"]);
    expect(await names({ network_id: office.network.id.toUpperCase() })).toEqual(["Zoo", "zoo"]);
  });

  it("restrict to a host", async () => {
    expect(await names({ host_id: all[4]!.host_id })).toEqual(["web", "élan"]);
  });

  it("restrict to ids; unknown ones match nothing", async () => {
    const a = all[2]!;
    const b = all[6]!;
    expect(await names({ ids: [a.id, b.id.toUpperCase(), unknownEntity().id] })).toEqual(namesOf(a, b));
    const commas = await owner.raw("get", `/api/v1/services?ids=${a.id},${unknownEntity().id}&ids=${b.id}`);
    expect((commas.data as Service[]).map(({ id }) => id)).toEqual([a.id, b.id]);
    expect(await names({ ids: [unknownEntity().id] })).toEqual([]);
  });

  it("match services with any of the tags, labels or ids of tags", async () => {
    expect(await names({ tag_ids: ["test"] })).toEqual(namesOf(all[2]!, all[6]!));
    expect(await names({ tag_ids: ["test", "edge"] })).toEqual(namesOf(all[0]!, all[2]!, all[4]!, all[6]!));
    expect(await names({ tag_ids: [tagId.toUpperCase()] })).toEqual(["web"]);
    expect(await names({ tag_ids: ["Test"] })).toEqual([]);
  });

  it("match labels with commas and backslashes", async () => {
    const world = await aNetwork(topology.aCaller());
    const host = await aHost(world);
    const labels = ["a,b", "a", "b", "a\\", "a\\,b"];
    for (const label of labels) await aService(world, host, { name: label, tags: [label] });
    for (const label of labels) {
      const { rows } = await world.owner.list(listServices, { query: { tag_ids: [label] } });
      expect(rows.map(({ name }) => name)).toEqual([label]);
    }
  });

  it("exclude the given categories; what is not in the catalogue is Custom", async () => {
    expect(await names({ exclude_categories: ["ReverseProxy"] })).toEqual(
      namesOf(all[2]!, all[3]!, all[4]!, all[5]!, all[7]!),
    );
    expect(await names({ exclude_categories: ["ReverseProxy", "Database", "DNS", "Dashboard"] })).toEqual(
      namesOf(all[3]!, all[4]!),
    );
    expect(await names({ exclude_categories: ["Custom", "AdBlock"] })).not.toEqual(expect.arrayContaining(["\uff5e"]));
  });

  it("combine, and the total counts the result", async () => {
    const { rows, total } = await list({
      network_id: home.network.id,
      host_id: all[0]!.host_id,
      tag_ids: ["prod", "test"],
      exclude_categories: ["Database"],
      limit: 1,
    });
    expect([rows.length, total]).toEqual([1, 2]);
  });

  it.each([
    "",
    "?ids=",
    "?tag_ids=&exclude_categories=",
    "?network_id=",
    "?network_id=null&host_id=null&group_by=null&limit=",
  ])("treat %j as no filter", async (search) => {
    expect((await owner.raw("get", `/api/v1/services${search}`)).data).toEqual(all);
  });
});

describe("services.lists: pages", () => {
  it("have 50 rows by default, with the limit reported", async () => {
    expect(await list({})).toMatchObject({ total: 8, limit: 50, offset: 0 });
  });

  it("show every service once over all pages, whatever the size", async () => {
    for (const limit of [1, 3, 7, 8, 1000]) {
      const rows: Service[] = [];
      for (let offset = 0; offset < 8; offset += limit) {
        const page = await list({ order_by: "service_definition", limit, offset });
        expect([page.total, page.limit, page.offset]).toEqual([8, limit, offset]);
        rows.push(...page.rows);
      }
      expect(rows).toEqual(expected({ order_by: "service_definition" }));
    }
  });

  it("are empty beyond the end, with the same total", async () => {
    expect(await list({ offset: 8 })).toEqual({ rows: [], total: 8, limit: 50, offset: 8 });
    expect(await list({ offset: 2_147_483_647, limit: 1000 })).toMatchObject({ rows: [], total: 8 });
  });

  it("include everything without a limit, and the total includes skipped rows", async () => {
    expect(await list({ limit: 0 })).toEqual({ rows: all, total: 8, limit: 0, offset: 0 });
    expect(await list({ limit: 0, offset: 5 })).toEqual({ rows: all.slice(5), total: 8, limit: 0, offset: 5 });
    expect(await list({ limit: 0, offset: 9 })).toEqual({ rows: [], total: 8, limit: 0, offset: 9 });
    expect(await list({ limit: 0, tag_ids: ["nobody has this"] })).toMatchObject({ rows: [], total: 0 });
  });

  it("stream thousands of rows, each once", async () => {
    const world = await aNetwork(topology.aCaller());
    const services = Array.from({ length: 1000 }, (_, n) => ({ name: `s${n}`, service_definition: "nginx" }));
    for (const name of ["a", "b"])
      await world.owner.call(createHost, { body: { network_id: world.network.id, name, services } });
    const { rows, total } = await world.owner.list(listServices, { query: { limit: 0 } });
    expect([new Set(rows.map(({ id }) => id)).size, rows.length, total]).toEqual([2000, 2000, 2000]);
  });
});

describe("services.lists: rejected requests", () => {
  it.each([
    ["limit=-1", ["limit"]],
    ["limit=1001", ["limit"]],
    ["limit=ten", ["limit"]],
    ["offset=-1", ["offset"]],
    ["offset=2147483648", ["offset"]],
    ["order_by=colour", ["order_by"]],
    ["group_by=id", ["group_by"]],
    ["order_direction=up", ["order_direction"]],
    ["exclude_categories=DNS,Nonsense", ["exclude_categories.1"]],
    ["network_id=home", ["network_id"]],
    ["ids=1,2", ["ids.0", "ids.1"]],
    ["limit=1&limit=2", ["limit"]],
    ["colour=red&limit=-1&host_id=x", ["colour", "host_id", "limit"]],
  ])("include %s, with every error", async (search, paths) => {
    const { status, code, params } = await owner.raw("get", `/api/v1/services?${search}`);
    expect([status, code]).toEqual([400, "validation_failed"]);
    expect((params["errors"] as { path: string }[]).map(({ path }) => path).sort()).toEqual(paths);
  });
});
