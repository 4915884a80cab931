/** `q` of the lists of subnets and networks: matches, also after changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  createNetwork,
  createSubnet,
  listNetworks,
  listSubnets,
  patchNetwork,
  patchSubnet,
  type QueryInputOf,
} from "@nts/shared/contract";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let home: World;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});
beforeEach(async () => {
  owner = topology.aCaller();
  home = await aNetwork(owner);
});

const subnetNames = async (query: QueryInputOf<typeof listSubnets>, caller = owner): Promise<string[]> =>
  (await caller.list(listSubnets, { query })).rows.map(({ name }) => name).sort();

const networkNames = async (query: QueryInputOf<typeof listNetworks>, caller = owner): Promise<string[]> =>
  (await caller.list(listNetworks, { query })).rows.map(({ name }) => name).sort();

describe("topology.search: subnets", () => {
  const lan = (name: string, cidr: string, { network } = home) =>
    owner.call(createSubnet, { body: { network_id: network.id, name, cidr } });

  it("are found by a part of the name or the block, in any case and normal form, also by the word null", async () => {
    await lan("Gäste".normalize("NFD"), "10.20.0.0/24");
    await lan("null", "FD00:0:0:5::/64");
    for (const form of ["NFC", "NFD"] as const)
      expect(await subnetNames({ q: "GÄSTE".normalize(form) })).toHaveLength(1);
    expect(await subnetNames({ q: ".20.0.0/2" })).toEqual(["Gäste".normalize("NFD")]);
    expect([await subnetNames({ q: "null" }), await subnetNames({ q: "fd00:0:0:5::/64" })]).toEqual([
      ["null"],
      ["null"],
    ]);
    for (const q of ["10.20.0.0/24null", ".*", "10-20"]) expect([q, await subnetNames({ q })]).toEqual([q, []]);
    expect(await subnetNames({ q: "" })).toHaveLength(3);
  });

  it("are found after changes of names and blocks, with other filters and pages, and never those of others", async () => {
    const office = await aNetwork(owner, "office");
    const first = await lan("lab 1", "10.31.0.0/24");
    await lan("lab 2", "10.32.0.0/24", office);
    await owner.call(patchSubnet, { params: first, body: { name: "shop", cidr: "10.33.0.0/24" } });
    expect([
      await subnetNames({ q: "lab" }),
      await subnetNames({ q: ".31." }),
      await subnetNames({ q: ".33." }),
    ]).toEqual([["lab 2"], [], ["shop"]]);
    const { rows, total } = await owner.list(listSubnets, {
      query: { q: "10.3", order_by: "cidr", limit: 1, offset: 1 },
    });
    expect([rows.map(({ name }) => name), total]).toEqual([["shop"], 2]);
    const all = await owner.list(listSubnets, { query: { q: "10.3", group_by: "name", limit: 0 } });
    expect([all.rows.map(({ name }) => name), all.total]).toEqual([["lab 2", "shop"], 2]);
    expect(await subnetNames({ q: "10.3", network_id: office.network.id })).toEqual(["lab 2"]);
    expect(await subnetNames({ q: "10.3" }, owner.colleague({ networks: [home.network.id] }))).toEqual(["shop"]);
    expect(await subnetNames({ q: "10.3" }, topology.aCaller())).toEqual([]);
  });
});

describe("topology.search: networks", () => {
  it("are found by a part of the name, in any case and normal form, also by the word null, and after changes", async () => {
    const made = await owner.call(createNetwork, { body: { name: "Büro".normalize("NFD") } });
    await owner.call(createNetwork, { body: { name: "null" } });
    for (const form of ["NFC", "NFD"] as const)
      expect(await networkNames({ q: "BÜR".normalize(form) })).toEqual([made.name]);
    expect([await networkNames({ q: "null" }), await networkNames({ q: "." })]).toEqual([["null"], []]);
    await owner.call(patchNetwork, { params: made, body: { name: "Werk" } });
    expect([await networkNames({ q: "büro" }), await networkNames({ q: "wer" })]).toEqual([[], ["Werk"]]);
    expect(await networkNames({ q: "wer", ids: [home.network.id] })).toEqual([]);
    expect(await networkNames({ q: "wer" }, owner.colleague({ networks: [home.network.id] }))).toEqual([]);
    expect(await networkNames({ q: "wer" }, topology.aCaller())).toEqual([]);
  });
});
