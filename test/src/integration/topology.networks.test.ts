import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createInterface,
  createNetwork,
  createSubnet,
  deleteInterface,
  deleteNetwork,
  deleteSubnet,
  getSubnet,
  listNetworks,
  listSubnets,
  patchSubnet,
  type Subnet,
  updateNetwork,
  updateSubnet,
} from "@nts/shared/contract";
import { listNetworkIds } from "@nts/shared/contract/internal";
import { profiled } from "../support/profiled.js";
import { type Refusal, startTopology, type Topology } from "../support/topology.js";
import { createOneOfEachKind, KINDS, operationsOf } from "../support/topology-everything.js";
import { aHost, aNetwork, unknownEntity, type World } from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

const aWorld = (): Promise<World> => aNetwork(topology.aCaller());

async function documentsOf(organizationId: string): Promise<number> {
  const collections = [...KINDS, "bindings", "guards"].map((kind) => topology.db.collection(kind));
  const counts = await Promise.all(collections.map((each) => each.countDocuments({ organization_id: organizationId })));
  return counts.reduce((sum, count) => sum + count, 0);
}

describe("networks: deleting", () => {
  it("removes everything in them, including guards and bindings, and nothing of another", async () => {
    const owner = topology.aCaller();
    const kept = await createOneOfEachKind(owner, "kept");
    const before = await documentsOf(owner.scope.organizationId);
    const doomed = await createOneOfEachKind(owner, "doomed");
    expect(await owner.call(deleteNetwork, { params: doomed.networks })).toBeNull();
    expect(await documentsOf(owner.scope.organizationId)).toBe(before);
    for (const kind of KINDS) {
      const { get, entityName } = operationsOf(owner, kind);
      expect((await get(kept[kind].id)).status).toBe(200);
      expect(await get(doomed[kind].id)).toMatchObject({ status: 404, params: { entity: entityName } });
    }
  });

  it("is announced to the other parts of the system when they are deleted, and only then", async () => {
    const world = await aWorld();
    const { owner, network } = world;
    await owner.refusal(deleteNetwork, { params: network, headers: { "if-match": '"0"' } });
    await owner.refusal(deleteNetwork, { params: unknownEntity() });
    const notice = ["network", owner.scope.organizationId, network.id];
    expect(topology.notices).not.toContainEqual(notice);
    await owner.call(deleteNetwork, { params: network });
    expect(topology.notices.filter(([, , id]) => id === network.id)).toEqual([notice]);
  });
});

describe("networks: scopes and lists", () => {
  it("prevent a restricted key from creating a network, which it could not see", async () => {
    const { owner, network } = await aWorld();
    for (const networks of [[network.id], []]) {
      const restricted = owner.colleague({ networks });
      expect((await restricted.refusal(createNetwork, { body: { name: "new" } })).slice(0, 2)).toEqual([
        403,
        "permission_denied",
      ]);
    }
    expect((await owner.list(listNetworks, {})).rows).toEqual([network]);
  });

  it("allow a restricted Admin to change and delete networks in scope", async () => {
    const { owner, network } = await aWorld();
    const admin = owner.colleague({ networks: [network.id], permission: "Admin" });
    expect((await admin.call(updateNetwork, { params: network, body: { name: "renamed" } })).name).toBe("renamed");
    expect(await admin.call(deleteNetwork, { params: network })).toBeNull();
  });

  it("keep absent tags in an update, and the caller's organization whatever is sent", async () => {
    const owner = topology.aCaller();
    const { organizationId } = owner.scope;
    const made = await owner.call(createNetwork, { body: { name: "n", tags: ["x"], organization_id: organizationId } });
    expect(made.organization_id).toBe(organizationId);
    expect((await owner.call(updateNetwork, { params: made, body: { name: "m" } })).tags).toEqual(["x"]);
    expect((await owner.call(updateNetwork, { params: made, body: { name: "m", tags: [] } })).tags).toEqual([]);
  });

  it("are listed in order, filtered by ids and tags", async () => {
    const owner = topology.aCaller();
    const add = (name: string, ...tags: string[]) => owner.call(createNetwork, { body: { name, tags } });
    const b = await add("b", "x");
    const a = await add("a", "x", "y");
    const listed = async (query: object): Promise<string[]> =>
      (await owner.list(listNetworks, { query })).rows.map(({ name }) => name);
    expect(await listed({})).toEqual(["b", "a"]);
    expect(await listed({ order_by: "name" })).toEqual(["a", "b"]);
    expect(await listed({ tag_ids: ["y"] })).toEqual(["a"]);
    expect(await listed({ ids: [b.id] })).toEqual(["b"]);
    expect(await listed({ network_id: a.id })).toEqual(["a"]);
  });

  it("return ids to internal callers only", async () => {
    const { owner, network } = await aWorld();
    const params = { id: owner.scope.organizationId };
    expect(await owner.refusal(listNetworkIds, { params })).toEqual([403, "permission_denied", {}]);
    expect(await topology.aProcess().call(listNetworkIds, { params })).toEqual([network.id]);
    expect(await topology.aProcess().call(listNetworkIds, { params: unknownEntity() })).toEqual([]);
  });
});

const update = ({ owner, subnet }: World, changes: object): Promise<Subnet> =>
  owner.call(updateSubnet, { params: subnet, body: { ...subnet, ...changes } });

const refusal = ({ owner, subnet }: World, changes: object): Promise<Refusal> =>
  owner.refusal(updateSubnet, { params: subnet, body: { ...subnet, ...changes } });

describe("the block of a subnet", () => {
  it("changes while it contains every address, and otherwise the refusal names the first one outside", async () => {
    const world = await aWorld();
    await aHost(world, { interfaces: 3 });
    expect((await update(world, { cidr: "10.0.0.0/30" })).cidr).toBe("10.0.0.0/30");
    expect(await refusal(world, { cidr: "10.0.0.0/31" })).toMatchObject([
      400,
      "ip_outside_subnet",
      { cidr: "10.0.0.0/31" },
    ]);
    expect(await refusal(world, { cidr: "2001:db8::/32" })).toMatchObject([400, "ip_outside_subnet", {}]);
    expect((await world.owner.call(getSubnet, { params: world.subnet })).cidr).toBe("10.0.0.0/30");
    expect((await update(world, { cidr: "10.0.0.0/8" })).cidr).toBe("10.0.0.0/8");
  });

  it("changes after reading one address outside of it, or none, whatever the number of interfaces", async () => {
    const world = await aWorld();
    await aHost(world, { interfaces: 200 });
    const examined = async (cidr: string): Promise<unknown[]> => {
      const filter = { ns: /\.interfaces$/, "command.find": "interfaces" };
      const params = world.subnet;
      let status = 0;
      const reads = await profiled(topology.db, filter, async () => {
        ({ status } = await world.owner.send(patchSubnet, { params, body: { cidr } }));
      });
      return [status, Math.max(...reads.map((read) => Number(read["docsExamined"])))];
    };
    expect(await examined("10.0.0.0/24")).toEqual([200, 0]);
    expect(await examined("10.0.0.128/25")).toEqual([400, 1]);
    expect(await examined("10.0.0.0/25")).toEqual([400, 1]);
    expect(await examined("2001:db8::/32")).toEqual([400, 1]);
  });

  it("is what new addresses are checked against", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    await update(world, { cidr: "10.0.0.0/30" });
    const body = { host_id: host.id, network_id: host.network_id, subnet_id: world.subnet.id, ip_address: "10.0.0.4" };
    expect(await world.owner.refusal(createInterface, { body })).toEqual([
      400,
      "ip_outside_subnet",
      { ip_address: "10.0.0.4", cidr: "10.0.0.0/30" },
    ]);
  });
});

describe("subnets", () => {
  it("are stored in canonical form, without host bits, with the server's source", async () => {
    const { owner, network } = await aWorld();
    const add = (cidr: string, more: object = {}) =>
      owner.call(createSubnet, { body: { network_id: network.id, name: "n", cidr, ...more } });
    expect((await add("2001:0DB8:0:0::/32")).cidr).toBe("2001:db8::/32");
    const made = await add("10.9.0.0/16", { source: { type: "Forged" }, subnet_type: "Lan", description: "d" });
    expect(made).toMatchObject({ source: { type: "Manual" }, subnet_type: "Lan", description: "d", tags: [] });
    for (const cidr of ["10.0.0.1/24", "2001:db8::1/64", "10.0.0.0/33", "10.0.0.0", "2001:db8::/129", "lan"])
      expect(await owner.refusal(createSubnet, { body: { network_id: network.id, name: "n", cidr } })).toMatchObject([
        400,
        "validation_failed",
        { errors: [{ path: "cidr" }] },
      ]);
  });

  it("are in use while they have an interface, and can be deleted after", async () => {
    const world = await aWorld();
    const { owner, subnet } = world;
    const { interfaces } = await aHost(world, { interfaces: 1 });
    expect(await owner.refusal(deleteSubnet, { params: subnet })).toEqual([409, "in_use", { entity: "Subnet" }]);
    await owner.call(deleteInterface, { params: interfaces[0]! });
    expect(await owner.call(deleteSubnet, { params: subnet })).toBeNull();
    expect(await owner.refusal(getSubnet, { params: subnet })).toEqual([404, "not_found", { entity: "Subnet" }]);
  });

  it("stay in their network, keep absent members, and clear null ones", async () => {
    const world = await aWorld();
    const office = await aNetwork(world.owner, "office");
    expect(await refusal(world, { network_id: office.network.id })).toEqual([
      400,
      "network_mismatch",
      { path: "network_id" },
    ]);
    const set = await update(world, { description: "d", subnet_type: "Lan", tags: ["t"] });
    const bare = { network_id: set.network_id, cidr: set.cidr, name: set.name };
    expect(await world.owner.call(updateSubnet, { params: set, body: bare })).toEqual(set);
    const cleared = { description: null, subnet_type: null };
    expect(await world.owner.call(updateSubnet, { params: set, body: { ...bare, ...cleared } })).toMatchObject({
      ...cleared,
      tags: ["t"],
    });
  });

  it("require an existing network", async () => {
    const { owner } = await aWorld();
    const body = { network_id: unknownEntity().id, cidr: "10.0.0.0/8", name: "n" };
    expect(await owner.refusal(createSubnet, { body })).toEqual([400, "invalid_reference", { path: "network_id" }]);
  });

  it("are listed in numeric order of their blocks, and by type with null first", async () => {
    const { owner, network } = await aWorld();
    const add = (cidr: string, subnet_type?: string) =>
      owner.call(createSubnet, {
        body: { network_id: network.id, name: "n", cidr, ...(subnet_type && { subnet_type }) },
      });
    for (const [cidr, type] of [["10.10.0.0/16", "b"], ["10.9.0.0/16", "a"], ["2001:db8::/32"], ["9.0.0.0/8", "B"]])
      await add(cidr!, type);
    const listed = async (query: object): Promise<string[]> =>
      (await owner.list(listSubnets, { query })).rows.map(({ cidr }) => cidr);
    expect(await listed({ order_by: "cidr" })).toEqual([
      "9.0.0.0/8",
      "10.0.0.0/16",
      "10.9.0.0/16",
      "10.10.0.0/16",
      "2001:db8::/32",
    ]);
    expect(await listed({ order_by: "subnet_type" })).toEqual([
      "10.0.0.0/16",
      "2001:db8::/32",
      "9.0.0.0/8",
      "10.9.0.0/16",
      "10.10.0.0/16",
    ]);
  });
});
