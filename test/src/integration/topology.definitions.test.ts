import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { listServiceDefinitions, type ServiceDefinition } from "@nts/shared/contract";
import { type Caller, type Page, startTopology, type Topology } from "../support/topology.js";
import { unknownEntity } from "../support/topology-world.js";

let topology: Topology;
let anybody: Caller;

beforeAll(async () => {
  topology = await startTopology();
  anybody = topology.aCaller({ permission: "Viewer", networks: [] });
});
afterAll(() => topology.stop());

const list = (query: object = {}): Promise<Page<ServiceDefinition>> => anybody.list(listServiceDefinitions, { query });
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("service definitions: the common catalogue", () => {
  it("is sorted by name by default, in pages of 50", async () => {
    const { rows, total, limit } = await list();
    expect([rows.length, limit, total >= 150]).toEqual([50, 50, true]);
    expect(rows).toEqual(rows.toSorted((a, b) => compare(a.name, b.name)));
  });

  it.each([
    { query: { order_by: "name", order_direction: "desc" }, categories: 0, names: -1 },
    { query: { order_direction: "desc" }, categories: 0, names: -1 },
    { query: { order_by: "category" }, categories: 1, names: 1 },
    { query: { order_by: "category", order_direction: "desc" }, categories: -1, names: -1 },
    { query: { group_by: "category" }, categories: 1, names: 1 },
    { query: { group_by: "category", order_by: "name", order_direction: "desc" }, categories: 1, names: -1 },
    { query: { group_by: "category", order_by: "category", order_direction: "desc" }, categories: 1, names: -1 },
  ])("follows $query, with names breaking ties", async ({ query, categories, names }) => {
    const { rows } = await list({ ...query, limit: 0 });
    const inOrder = rows.toSorted(
      (a, b) => categories * compare(a.category, b.category) || names * compare(a.name, b.name),
    );
    expect(rows.map(({ name }) => name)).toEqual(inOrder.map(({ name }) => name));
  });

  it("filters by categories, pages, and ignores networks", async () => {
    const { rows, total } = await list({ category: ["DNS", "VPN"], limit: 0 });
    expect(new Set(rows.map(({ category }) => category))).toEqual(new Set(["DNS", "VPN"]));
    expect(total).toBe(rows.length);
    const page = await list({ category: ["DNS", "VPN"], limit: 2, offset: 1 });
    expect(page).toEqual({ rows: rows.slice(1, 3), total, limit: 2, offset: 1 });
    expect((await list({ network_id: unknownEntity().id, limit: 1 })).rows).toHaveLength(1);
    expect((await list({ category: ["Custom"] })).total).toBe(0);
    expect((await list({ limit: 0, offset: 3 })).total).toBe((await list()).total);
  });
});
