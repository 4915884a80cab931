/** Saved views: what they keep, who sees and writes them, and what becomes of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteViews,
  createTag,
  createView,
  deleteNetwork,
  deleteTag,
  deleteView,
  getView,
  listViews,
  MOST_PLACES,
  patchView,
  updateView,
} from "@nts/shared/contract";
import { archiveOf, entitiesIn, imported } from "../support/archives.js";
import { waitForJournal } from "../support/moments.js";
import { revert, withRequestId } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, unknownEntity, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let home: World;
let office: World;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(() => topology.stop());

beforeEach(async () => {
  owner = topology.aCaller();
  home = await aNetwork(owner, "Home");
  office = await aNetwork(owner, "Office");
});

const ALL_NETWORKS = [403, "permission_denied", { required: "all_networks" }];
const NONE = { search: "", tags: [], categories: [], subnets: [], vlans: [], with_hidden: false };

describe("a view", () => {
  it("has defaults, and returns what was sent", async () => {
    const plain = await owner.call(createView, { body: { name: " Plain " } });
    expect(plain).toMatchObject({
      network_id: null,
      name: "Plain",
      layer: "l3",
      filters: NONE,
      positions: {},
      tags: [],
    });
    const body = {
      network_id: home.network.id,
      name: "Rack",
      layer: "tags",
      filters: {
        search: "nas",
        tags: ["lab"],
        categories: ["Media"],
        subnets: [home.subnet.id],
        vlans: [],
        with_hidden: true,
      },
      collapsed: [`untagged:${home.network.id}`],
      positions: { [home.subnet.id]: { x: -40, y: 12 } },
      tags: ["lab"],
    } as const;
    const made = await owner.call(createView, { body: body as never });
    expect(made).toMatchObject(body);
    expect(await owner.call(getView, { params: made })).toEqual(made);
  });

  it("keeps the positions that a patch does not name, and loses those that it clears", async () => {
    const positions = { a: { x: 0, y: 0 }, b: { x: 4, y: 4 } };
    const view = await owner.call(createView, { body: { name: "Rack", positions } });
    const patched = await owner.call(patchView, {
      params: view,
      body: { positions: { a: null, c: { x: 8, y: 8 } } },
    });
    expect(patched.positions).toEqual({ b: { x: 4, y: 4 }, c: { x: 8, y: 8 } });
    const put = await owner.call(updateView, { params: view, body: { name: "Rack" } });
    expect(put).toEqual(patched);
  });

  it("is limited in each part, with the place of the fault", async () => {
    const places = Array.from({ length: MOST_PLACES + 1 }, (_, n) => `place ${n}`);
    const at = { x: 0, y: 0 };
    for (const [path, more] of [
      ["positions", { positions: Object.fromEntries(places.map((place) => [place, at])) }],
      ["positions.a.x", { positions: { a: { x: 1_000_001, y: 0 } } }],
      ["positions.a.y", { positions: { a: { x: 0, y: 0.5 } } }],
      ["collapsed", { collapsed: places }],
      ["collapsed.0", { collapsed: ["x".repeat(201)] }],
      ["layer", { layer: "l4" }],
      ["filters.subnets.0", { filters: { subnets: ["lan"] } }],
      ["filters.categories.0", { filters: { categories: ["Toys"] } }],
    ] as const) {
      const [status, code, params] = await owner.refusal(createView, { body: { name: "x", ...more } as never });
      const [fault] = params["errors"] as { path: string }[];
      expect([path, status, code, fault?.path]).toEqual([path, 400, "validation_failed", path]);
    }
  });

  it("stays in its network, and needs one that the caller may use", async () => {
    const view = await owner.call(createView, { body: { network_id: home.network.id, name: "Rack" } });
    for (const network_id of [office.network.id, null])
      expect(await owner.refusal(updateView, { params: view, body: { name: "Rack", network_id } })).toEqual([
        400,
        "network_mismatch",
        { path: "network_id" },
      ]);
    const limited = owner.restrictedTo([home.network.id]);
    for (const { id } of [office.network, unknownEntity()])
      expect(await limited.refusal(createView, { body: { network_id: id, name: "x" } })).toEqual([
        400,
        "invalid_reference",
        { path: "network_id" },
      ]);
  });
});

describe("who sees and writes views", () => {
  it("callers of a network see its views and those of the organization, and no others", async () => {
    const names = async (caller: Caller, query = {}): Promise<string[]> =>
      (await caller.list(listViews, { query: { order_by: "name", ...query } })).rows.map(({ name }) => name);
    const mine = await owner.call(createView, { body: { network_id: home.network.id, name: "home" } });
    const theirs = await owner.call(createView, { body: { network_id: office.network.id, name: "office" } });
    const all = await owner.call(createView, { body: { name: "all" } });
    const limited = owner.restrictedTo([home.network.id]);
    expect(await names(owner)).toEqual(["all", "home", "office"]);
    expect(await names(owner, { network_id: office.network.id })).toEqual(["all", "office"]);
    expect(await names(limited)).toEqual(["all", "home"]);
    expect(await names(owner.restrictedTo([]))).toEqual(["all"]);
    expect(await limited.call(getView, { params: mine })).toEqual(mine);
    expect(await limited.call(getView, { params: all })).toEqual(all);
    const absent = [404, "not_found", { entity: "View" }];
    const stranger = topology.aCaller();
    for (const [caller, params] of [
      [limited, theirs],
      [stranger, all],
      [stranger, mine],
      [owner, unknownEntity()],
    ] as const) {
      expect(await caller.refusal(getView, { params })).toEqual(absent);
      expect(await caller.refusal(patchView, { params, body: { name: "x" } })).toEqual(absent);
      expect(await caller.refusal(deleteView, { params })).toEqual(absent);
    }
  });

  it("a key limited to networks writes none of the organization, also not by a revert", async () => {
    const limited = owner.colleague({ networks: [home.network.id], permission: "Member" });
    const all = await owner.call(createView, { body: { name: "all" } });
    const mine = await limited.call(createView, { body: { name: "home", network_id: home.network.id } });
    expect(await limited.refusal(createView, { body: { name: "x" } })).toEqual(ALL_NETWORKS);
    expect(await limited.refusal(patchView, { params: all, body: { name: "x" } })).toEqual(ALL_NETWORKS);
    expect(await limited.refusal(deleteView, { params: all })).toEqual(ALL_NETWORKS);
    expect(await limited.refusal(bulkDeleteViews, { body: [mine.id, all.id] })).toEqual(ALL_NETWORKS);
    const requestId = await withRequestId((headers) =>
      owner.raw("patch", `/api/v1/views/${all.id}`, { name: "renamed" }, headers),
    );
    await waitForJournal(owner);
    const { status, code } = await limited.raw("post", "/api/v1/changes/revert", { request_id: requestId });
    expect([status, code]).toEqual([403, "permission_denied"]);
    await revert(owner, requestId);
    expect((await owner.call(getView, { params: all })).name).toBe("all");
  });
});

describe("what becomes of views", () => {
  it("those of a deleted network go with it, those of the organization stay", async () => {
    const mine = await owner.call(createView, { body: { network_id: home.network.id, name: "home" } });
    const all = await owner.call(createView, { body: { name: "all" } });
    await owner.call(deleteNetwork, { params: home.network });
    expect(await owner.refusal(getView, { params: mine })).toEqual([404, "not_found", { entity: "View" }]);
    expect((await owner.list(listViews, { query: {} })).rows).toEqual([all]);
  });

  it("a deleted tag is taken off them", async () => {
    const tag = await owner.call(createTag, { body: { name: `lab ${Math.random()}` } });
    const view = await owner.call(createView, { body: { name: "all", tags: [tag.id, "label"] } });
    expect((await owner.list(listViews, { query: { tag_ids: [tag.id] } })).rows).toEqual([view]);
    await owner.call(deleteTag, { params: tag });
    expect((await owner.call(getView, { params: view })).tags).toEqual(["label"]);
  });

  it("an archive names what they refer to as it is named where it is imported", async () => {
    const host = await aHost(home, { name: "nas" });
    const group = `none:${home.network.id}`;
    await owner.call(createView, {
      body: {
        network_id: home.network.id,
        name: "Rack",
        filters: { subnets: [home.subnet.id] },
        collapsed: [group],
        positions: { [host.id]: { x: 4, y: 8 }, elsewhere: { x: 0, y: 0 } },
      },
    });
    const out = await archiveOf(owner);
    const again = await imported(owner, out.text);
    expect(again.summary.View).toEqual({ create: 0, update: 0, unchanged: 1, failed: 0 });
    const other = topology.aCaller();
    await imported(other, out.text);
    const there = await archiveOf(other);
    const [view] = (await other.list(listViews, { query: {} })).rows;
    const [subnet] = entitiesIn(there, "Subnet");
    const [nas] = entitiesIn(there, "Host");
    expect(nas!.id).not.toBe(host.id);
    expect(view).toMatchObject({
      network_id: nas!["network_id"],
      filters: { subnets: subnet === undefined ? [] : [expect.any(String)] },
      collapsed: [`none:${String(nas!["network_id"])}`],
      positions: { [nas!.id]: { x: 4, y: 8 }, elsewhere: { x: 0, y: 0 } },
    });
  });
});
