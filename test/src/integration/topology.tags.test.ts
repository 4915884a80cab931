import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type BodyOf,
  bulkDeleteTags,
  createTag,
  deleteTag,
  getHost,
  getTag,
  listServices,
  listTags,
  patchHost,
  patchNetwork,
  patchService,
  patchSubnet,
  type Tag,
  updateService,
  updateTag,
} from "@nts/shared/contract";
import { findTagIds } from "@nts/shared/contract/internal";
import { TAGGED } from "@nts/topology/kinds/index";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { createOneOfEachKind, operationsOf } from "../support/topology-everything.js";
import { aHost, aNetwork, aService, echoOf, unknownEntity } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

const add = (name: string, more: object = {}): Promise<Tag> => owner.call(createTag, { body: { name, ...more } });

describe("tags", () => {
  beforeAll(() => {
    owner = topology.aCaller();
  });

  it("return what was sent, with the organization's id and null for absent members", async () => {
    const { organizationId } = owner.scope;
    const made = await add("  Rack 1 ", { color: "#3b82f6" });
    expect(made).toMatchObject({
      name: "Rack 1",
      color: "#3b82f6",
      description: null,
      organization_id: organizationId,
    });
    expect(await owner.call(getTag, { params: made })).toEqual(made);
  });

  it("have unique names in the organization, ignoring case and normal form", async () => {
    const taken = [409, "already_exists", { entity: "Tag", field: "name" }];
    const made = await add("Küche");
    const other = await add("Keller");
    for (const name of ["Küche", "KÜCHE", "küche", "Ku\u0308che"]) {
      expect(await owner.refusal(createTag, { body: { name } })).toEqual(taken);
      expect(await owner.refusal(updateTag, { params: other, body: { name } })).toEqual(taken);
    }
    expect((await owner.call(updateTag, { params: made, body: { name: "KÜCHE" } })).name).toBe("KÜCHE");
    expect((await topology.aCaller().call(createTag, { body: { name: "Küche" } })).name).toBe("Küche");
  });

  it("keep absent members, and clear null ones", async () => {
    const made = await add("colourful", { color: "blue", description: "d" });
    expect(await owner.call(updateTag, { params: made, body: { name: "colourful" } })).toEqual(made);
    const cleared = { color: null, description: null };
    expect(await owner.call(updateTag, { params: made, body: { name: "c", ...cleared } })).toMatchObject(cleared);
  });

  it("are visible to a caller restricted to networks, and changed by an Admin only", async () => {
    const made = await add("seen");
    const limited = owner.colleague({ networks: [], permission: "Member" });
    expect(await limited.call(getTag, { params: made })).toEqual(made);
    expect((await limited.list(listTags, { query: { ids: [made.id] } })).rows).toEqual([made]);
    expect(await limited.refusal(deleteTag, { params: made })).toEqual([
      403,
      "permission_denied",
      { required: "Admin" },
    ]);
    for (const stranger of [topology.aCaller()])
      expect(await stranger.refusal(getTag, { params: made })).toEqual([404, "not_found", { entity: "Tag" }]);
  });

  it("tell internal callers which of some ids are tags of an organization", async () => {
    const a = await add("known a");
    const b = await add("known b");
    const foreign = await topology.aCaller().call(createTag, { body: { name: "foreign" } });
    const body = { ids: [a.id, foreign.id, b.id, unknownEntity().id] };
    const params = { id: owner.scope.organizationId };
    expect((await topology.aProcess().call(findTagIds, { params, body })).sort()).toEqual([a.id, b.id].sort());
    expect((await owner.refusal(findTagIds, { params, body }))[0]).toBe(403);
  });
});

describe("tags: names that differ by case in some letters only", () => {
  const taken = [409, "already_exists", { entity: "Tag", field: "name" }];
  beforeEach(() => {
    owner = topology.aCaller();
  });

  it.each([
    ["ΟΔΟΣ", "οδοσ"],
    ["STRASSE", "Straße"],
    ["FI4", "ﬁ4"],
    ["μ9", "µ9"],
  ])("are the same: %s and %s", async (name, same) => {
    const made = await add(name);
    expect(await owner.refusal(createTag, { body: { name: same } })).toEqual(taken);
    expect((await owner.call(updateTag, { params: made, body: { name: same } })).name).toBe(same);
  });
});

describe("tags: in another Unicode normalization form", () => {
  beforeAll(() => {
    owner = topology.aCaller();
  });

  it("are the same when added, removed, replaced and repeated, and stay as they were first written", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world);
    const service = await aService(world, host);
    const stored = "Küche";
    const other = stored.normalize("NFD");
    type Patch = BodyOf<typeof patchService>;
    const patches = [
      (body: Patch) => owner.call(patchService, { params: service, body }),
      (body: Patch) => owner.call(patchHost, { params: host, body }),
      (body: Patch) => owner.call(patchNetwork, { params: world.network, body }),
      (body: Patch) => owner.call(patchSubnet, { params: world.subnet, body }),
    ];
    for (const patch of patches) {
      expect((await patch({ tags: [stored, other, "x"] })).tags).toEqual([stored, "x"]);
      const before = await patch({ tags: { add: [other] } });
      expect([before.tags, (await patch({ tags: [other, "x"] })).updated_at]).toEqual([
        [stored, "x"],
        before.updated_at,
      ]);
      expect((await patch({ tags: { remove: [other] } })).tags).toEqual(["x"]);
    }
    const tagged = await owner.call(patchService, { params: service, body: { tags: [stored] } });
    const body = { ...echoOf(tagged), tags: [other] };
    expect(await owner.call(updateService, { params: service, body })).toEqual(tagged);
  });
});

describe("tags: colours", () => {
  let count = 0;
  beforeAll(() => {
    owner = topology.aCaller();
  });

  it.each([...["#3b82f6", "#ABC", "blue", "RebeccaPurple"]])(
    "are a hexadecimal number or a named colour of CSS: %s",
    async (color) => {
      const made = await owner.call(createTag, { body: { name: `coloured ${count++}`, color } });
      expect(made.color).toBe(color);
      expect(await owner.call(getTag, { params: made })).toEqual(made);
    },
  );

  it.each([
    ...["", "x".repeat(51), "red\u0000", "red\nblue", "#12", "#1234", "#12345678", "3b82f6", "rgb(59 130 246 / 50%)"],
    ...["Rot, RAL 3020", "inherit", "transparent", "red;background:url(x)", '"><script>alert(1)</script>'],
  ])("are never %j", async (color) => {
    const [status, code, params] = await owner.refusal(createTag, { body: { name: "uncoloured", color } });
    expect([status, code, params]).toMatchObject([400, "validation_failed", { errors: [{ path: "color" }] }]);
  });

  it("that are stored from before this rule stay, until they are changed", async () => {
    const made = await add("old", { color: "red" });
    const wire = JSON.stringify({ ...made, color: "Rot" });
    await topology.db.collection<{ _id: string }>("tags").updateOne({ _id: made.id }, { $set: { color: "Rot", wire } });
    const [, , params] = await owner.refusal(updateTag, { params: made, body: { name: "old", color: "Blau" } });
    expect(params).toMatchObject({ errors: [{ path: "color" }] });
    expect((await owner.call(updateTag, { params: made, body: { name: "new", color: "Rot" } })).color).toBe("Rot");
  });
});

describe("tags: delete", () => {
  beforeAll(() => {
    owner = topology.aCaller();
  });

  it("removes them from everything, as a change of what carried them, and notifies the other parts of the system", async () => {
    const doomed = await add("doomed");
    const kept = await add("kept");
    const tags = ["label", doomed.id, kept.id];
    const everything = await createOneOfEachKind(owner);
    const before: Record<string, string | undefined> = {};
    for (const kind of TAGGED)
      before[kind] = (await operationsOf(owner, kind).update(everything[kind].id, { ...everything[kind], tags })).etag;
    before["hosts"] = (await operationsOf(owner, "hosts").get(everything.hosts.id)).etag;

    await owner.call(deleteTag, { params: doomed });
    for (const kind of TAGGED) {
      const { data, etag } = await operationsOf(owner, kind).get(everything[kind].id);
      expect([kind, data["tags"], etag === before[kind]]).toEqual([kind, ["label", kept.id], false]);
      expect((await operationsOf(owner, kind).list({ tag_ids: [doomed.id] })).data).toEqual([]);
      expect((await operationsOf(owner, kind).list({ tag_ids: [kept.id] })).data).toHaveLength(1);
    }
    expect(await owner.refusal(getTag, { params: doomed })).toEqual([404, "not_found", { entity: "Tag" }]);
    expect(topology.notices).toContainEqual(["tag", owner.scope.organizationId, doomed.id]);
  });

  it("prevents assigning them again", async () => {
    const world = await aNetwork(owner);
    const service = await aService(world, await aHost(world));
    const doomed = await add("given no more");
    await owner.call(deleteTag, { params: doomed });
    const body = { ...echoOf(service), tags: [doomed.id] };
    expect(await owner.refusal(updateService, { params: service, body })).toEqual([
      400,
      "invalid_reference",
      { path: "tags.0" },
    ]);
  });
});

describe("tags: deleting large numbers", () => {
  it("removes them from more services than one transaction changes, with the revision of their host", async () => {
    const world = await aNetwork(topology.aCaller());
    const doomed = await world.owner.call(createTag, { body: { name: "everywhere" } });
    const host = await aHost(world, { services: 510 });
    const carry = [
      {
        $set: {
          tags: [doomed.id],
          wire: { $replaceOne: { input: "$wire", find: '"tags":[]', replacement: `"tags":["${doomed.id}"]` } },
        },
      },
    ];
    await topology.db.collection("services").updateMany({ host_id: host.id }, carry);
    expect((await world.owner.list(listServices, { query: { tag_ids: [doomed.id], limit: 1 } })).total).toBe(510);
    const { etag } = await world.owner.send(getHost, { params: host });
    await world.owner.call(deleteTag, { params: doomed });
    expect((await world.owner.list(listServices, { query: { tag_ids: [doomed.id] } })).total).toBe(0);
    const after = await world.owner.send(getHost, { params: host });
    expect(after.text).not.toContain(doomed.id);
    expect(after.etag).not.toBe(etag);
  });

  it("ends also when indexed fields contain a tag that the entity does not", async () => {
    const world = await aNetwork(topology.aCaller());
    const doomed = await world.owner.call(createTag, { body: { name: "half there" } });
    const host = await aHost(world, { services: 500 });
    await topology.db.collection("services").updateMany({ host_id: host.id }, { $set: { tags: [doomed.id] } });
    await world.owner.call(deleteTag, { params: doomed });
    expect((await world.owner.list(listServices, { query: { tag_ids: [doomed.id] } })).total).toBe(0);
  });

  it("does not deadlock for the same ones in two orders, while one of them is being updated", async () => {
    const made = await Promise.all(["x", "y", "z"].map((name) => add(`at once ${name}`)));
    const ids = made.map(({ id }) => id);
    const update = owner.send(updateTag, { params: made[1]!, body: { name: "at once" } });
    const deletes = [ids, ids.toReversed()].map((body) => owner.send(bulkDeleteTags, { body }));
    const statuses = (await Promise.all([update, ...deletes])).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(statuses.slice(1)).toContain(200);
    expect((await owner.list(listTags, { query: { ids } })).rows).toEqual([]);
  });
});
