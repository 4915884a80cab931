import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type Binding,
  deleteInterface,
  getBinding,
  type Host,
  listBindings,
  type Service,
  updateService,
} from "@nts/shared/contract";
import { startTopology, type Topology } from "../support/topology.js";
import {
  aHost,
  aNetwork,
  aService,
  echoOf,
  inputOf,
  unknownEntity,
  onInterface,
  onPort,
  type World,
} from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

interface Bound extends World {
  readonly host: Host;
  readonly web: Service;
  readonly ping: Service;
}

/**
 * A host with two services: one bound to two ports, one on its first interface and one on all; the other to the second
 * interface.
 */
async function twoServices(): Promise<Bound> {
  const world = await aNetwork(topology.aCaller());
  const host = await aHost(world, { interfaces: 2, ports: 2 });
  const [a, b] = host.interfaces;
  const web = await aService(world, host, { bindings: [onPort(host.ports[0], a), onPort(host.ports[1])] });
  return { ...world, host, web, ping: await aService(world, host, { name: "ping", bindings: [onInterface(b)] }) };
}

const listed = async ({ owner }: World, query: object = {}): Promise<Binding[]> =>
  (await owner.list(listBindings, { query })).rows;

describe("bindings: the read view of services' bindings", () => {
  it("shows every binding as its service does, alone and in the list", async () => {
    const world = await twoServices();
    const all = [...world.web.bindings, ...world.ping.bindings];
    expect(new Set(await listed(world))).toEqual(new Set(all));
    for (const binding of all) expect(await world.owner.call(getBinding, { params: binding })).toEqual(binding);
    expect(await world.owner.refusal(getBinding, { params: unknownEntity() })).toEqual([
      404,
      "not_found",
      { entity: "Binding" },
    ]);
  });

  it("filters by a service, a port, an interface and a network", async () => {
    const world = await twoServices();
    const { host, web, ping, network } = world;
    const office = await aNetwork(world.owner, "office");
    expect(new Set(await listed(world, { service_id: web.id }))).toEqual(new Set(web.bindings));
    expect((await listed(world, { port_id: host.ports[1]!.id })).map(inputOf)).toEqual([onPort(host.ports[1])]);
    expect((await listed(world, { interface_id: host.interfaces[0]!.id })).map(inputOf)).toEqual([
      onPort(host.ports[0], host.interfaces[0]),
    ]);
    expect(await listed(world, { interface_id: host.interfaces[1]!.id })).toEqual(ping.bindings);
    expect(await listed(world, { network_id: network.id })).toHaveLength(3);
    expect(await listed(world, { network_id: office.network.id })).toEqual([]);
    expect(await listed(world, { service_id: web.id, port_id: host.ports[0]!.id })).toHaveLength(1);
    expect(await listed(world, { service_id: unknownEntity().id })).toEqual([]);
  });

  it("follows every change of a service and every delete", async () => {
    const world = await twoServices();
    const { owner, host, web, ping } = world;
    const [kept] = web.bindings.filter((one) => one.type === "Port" && one.interface_id === null);
    const bindings = [inputOf(kept!), onPort(host.ports[0], host.interfaces[1])];
    const updated = await owner.call(updateService, { params: web, body: { ...echoOf(web), bindings } });
    expect(new Set(await listed(world, { service_id: web.id }))).toEqual(new Set(updated.bindings));
    expect(updated.bindings).toContainEqual(kept);
    await owner.call(deleteInterface, { params: host.interfaces[1]! });
    expect(await listed(world)).toEqual([kept]);
    expect((await owner.refusal(getBinding, { params: ping.bindings[0]! }))[0]).toBe(404);
  });

  it("shows nothing of hidden networks and other organizations", async () => {
    const world = await twoServices();
    const [binding] = world.web.bindings;
    const outsiders = [world.owner.colleague({ networks: [] }), topology.aCaller()];
    for (const outsider of outsiders) {
      expect(await outsider.refusal(getBinding, { params: binding! })).toEqual([
        404,
        "not_found",
        { entity: "Binding" },
      ]);
      expect(await outsider.list(listBindings, { query: { service_id: world.web.id } })).toMatchObject({
        rows: [],
        total: 0,
      });
    }
  });
});
