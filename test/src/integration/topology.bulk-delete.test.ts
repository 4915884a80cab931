import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  bulkDeleteInterfaces,
  bulkDeletePorts,
  bulkDeleteServices,
  bulkDeleteSubnets,
  createSubnet,
  getHost,
  getService,
  listBindings,
  listHosts,
  listSubnets,
} from "@nts/shared/contract";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { createOneOfEachKind, type Kind, KINDS, operationsOf } from "../support/topology-everything.js";
import { aHost, aNetwork, aService, unknownEntity, onPort } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

/** Three entities of a kind in networks of their own, so that related entities do not interfere. */
async function three(kind: Kind): Promise<string[]> {
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) ids.push((await createOneOfEachKind(owner, name))[kind].id);
  if (kind === "subnets") await owner.call(bulkDeleteHosts, { body: await allHosts() });
  return ids;
}

const allHosts = async (): Promise<string[]> => (await owner.list(listHosts, {})).rows.map(({ id }) => id);

describe.each(KINDS)("bulk-delete of %s", (kind) => {
  /** Without the hosts at the other ends of links. */
  const left = async (): Promise<string[]> =>
    (await operationsOf(owner, kind).list({ limit: 0 })).data.flatMap(({ id, name }) => (name === "switch" ? [] : id));

  let ids: string[];

  beforeAll(async () => {
    owner = topology.aCaller();
    ids = await three(kind);
  });

  it("deletes nothing when one of them does not exist", async () => {
    const before = await left();
    const { status, code, params } = await operationsOf(owner, kind).removeAll([...ids, unknownEntity().id]);
    expect([status, code, params]).toEqual([404, "not_found", { entity: operationsOf(owner, kind).entityName }]);
    expect(await left()).toEqual(before);
    expect(before).toHaveLength(3);
  });

  it("deletes all of them, also of several networks, and counts a repeated id once", async () => {
    const { status, data } = await operationsOf(owner, kind).removeAll([ids[2]!, ids[0]!, ids[2]!.toUpperCase()]);
    expect([status, data]).toEqual([200, { deleted_count: 2, requested_count: 2 }]);
    expect(await left()).toEqual([ids[1]]);
    await operationsOf(owner, kind).removeAll([ids[1]!]);
    expect(await left()).toEqual([]);
  });

  it.each([
    ["no ids", []],
    ["an invalid id", ["not an id"]],
    ["more than a thousand", Array.from({ length: 1001 }, () => unknownEntity().id)],
    ["an object", { ids: [] }],
    ["null", null],
  ])("rejects %s", async (_what, body) => {
    const response = await owner.raw("post", `/api/v1/${kind}/bulk-delete`, JSON.stringify(body));
    expect([response.status, response.code]).toEqual([400, "validation_failed"]);
  });
});

describe("bulk-delete: dependent entities", () => {
  beforeAll(() => {
    owner = topology.aCaller();
  });

  it("closes the gaps of several interfaces and services of a host, and removes their bindings", async () => {
    const world = await aNetwork(owner);
    const host = await aHost(world, { interfaces: 5, ports: 3, services: 5 });
    const { interfaces, ports, services } = host;
    const bindings = [
      onPort(ports[0], interfaces[1]),
      onPort(ports[1], interfaces[3]),
      onPort(ports[2], interfaces[4]),
    ];
    const service = await aService(world, host, { bindings });
    const chosen = <T extends { id: string }>(from: T[], ...places: number[]): string[] =>
      places.map((n) => from[n]!.id);
    await owner.call(bulkDeleteInterfaces, { body: chosen(interfaces, 3, 0, 1) });
    await owner.call(bulkDeleteServices, { body: chosen(services, 4, 0, 2) });
    const after = await owner.call(getHost, { params: host });
    const placed = (of: { id: string; position: number }[]): [string, number][] =>
      of.map((one) => [one.id, one.position]);
    expect(placed(after.interfaces)).toEqual(chosen(interfaces, 2, 4).map((id, n) => [id, n]));
    expect(placed(after.services)).toEqual([...chosen(services, 1, 3), service.id].map((id, n) => [id, n]));
    expect((await owner.call(getService, { params: service })).bindings).toHaveLength(1);
    await owner.call(bulkDeletePorts, { body: ports.map(({ id }) => id) });
    expect((await owner.list(listBindings, { query: { service_id: service.id } })).total).toBe(0);
  });

  it("deletes no subnet when one of them is in use", async () => {
    const world = await aNetwork(owner);
    await aHost(world, { interfaces: 1 });
    const body = { network_id: world.network.id, cidr: "10.9.0.0/16", name: "free" };
    const free = await owner.call(createSubnet, { body });
    const ids = [free.id, world.subnet.id];
    expect(await owner.refusal(bulkDeleteSubnets, { body: ids })).toEqual([409, "in_use", { entity: "Subnet" }]);
    expect((await owner.list(listSubnets, { query: { ids } })).total).toBe(2);
  });
});
