import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createService,
  deleteService,
  getHost,
  getService,
  type Host,
  listServices,
  Service,
  updateService,
} from "@nts/shared/contract";
import { type Refusal, startTopology, type Topology } from "../support/topology.js";
import {
  aHost,
  aNetwork,
  aService,
  echoOf,
  inputOf,
  unknownEntity,
  onPort,
  type World,
} from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

const aWorld = (): Promise<World> => aNetwork(topology.aCaller());

/** The names of a host's services by position, which must be 0, 1, 2 and so on. */
async function placesOn({ owner }: World, host: Host): Promise<string[]> {
  const { services } = await owner.call(getHost, { params: host });
  expect(services.map(({ position }) => position)).toEqual(services.map((_, index) => index));
  return services.map(({ name }) => name);
}

async function update({ owner }: World, service: Service, changes: object): Promise<Service> {
  return owner.call(updateService, { params: service, body: { ...echoOf(service), ...changes } });
}

async function refusal({ owner }: World, service: Service, changes: object): Promise<Refusal> {
  return owner.refusal(updateService, { params: service, body: { ...echoOf(service), ...changes } });
}

describe("services: create and read", () => {
  it("returns what a later read returns, with the server's own members", async () => {
    const world = await aWorld();
    const host = await aHost(world);
    const body = {
      id: unknownEntity().id,
      created_at: "1999-01-01T00:00:00.000Z",
      host_id: host.id,
      network_id: host.network_id,
      name: "  web ",
      service_definition: "nginx",
      source: { type: "Forged" },
      tags: ["prod", "prod"],
      virtualization: { type: "container", details: { image: "nginx:1", ports: [80] } },
      colour: "red",
    };
    const created = await world.owner.send(createService, { body });
    const { id, created_at } = created.data;
    expect(id).not.toBe(body.id);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    expect(Math.abs(Date.now() - Date.parse(created_at))).toBeLessThan(60_000);
    expect(Object.keys(created.data).toSorted()).toEqual(Object.keys(Service.shape).toSorted());
    expect(created.data).toMatchObject({
      id,
      created_at,
      updated_at: created_at,
      bindings: [],
      host_id: host.id,
      name: "web",
      network_id: host.network_id,
      position: 0,
      service_definition: "nginx",
      source: { type: "Manual" },
      tags: ["prod"],
      virtualization: body.virtualization,
      seen: null,
      missed_since: null,
      observed: null,
      attributes: {},
    });
    const read = await world.owner.send(getService, { params: { id: id.toUpperCase() } });
    expect([read.data, read.etag]).toEqual([created.data, created.etag]);
  });

  it("requires every member of the specification, and reports all missing ones", async () => {
    const world = await aWorld();
    const service = await aService(world, await aHost(world));
    const required = ["bindings", "host_id", "name", "network_id", "position", "service_definition", "source", "tags"];
    const response = await world.owner.raw("put", `/api/v1/services/${service.id}`, {});
    expect([response.status, response.code]).toEqual([400, "validation_failed"]);
    expect((response.params["errors"] as { path: string }[]).map(({ path }) => path).sort()).toEqual(required);
  });

  it("rejects a missing host and a network that is not the host's", async () => {
    const world = await aWorld();
    const { id } = unknownEntity();
    const host = await aHost(world);
    const body = { host_id: host.id, network_id: host.network_id, name: "web", service_definition: "nginx" };
    const refusal = (changes: object): Promise<Refusal> =>
      world.owner.refusal(createService, { body: { ...body, ...changes } });
    expect(await refusal({ host_id: id })).toEqual([400, "invalid_reference", { path: "host_id" }]);
    expect(await refusal({ network_id: id })).toEqual([400, "network_mismatch", { path: "network_id" }]);
    expect(await refusal({ tags: ["a", id] })).toEqual([400, "invalid_reference", { path: "tags.1" }]);
    expect(await placesOn(world, host)).toEqual([]);
  });

  it("deletes a service once; then it is not found", async () => {
    const world = await aWorld();
    const service = await aService(world, await aHost(world));
    expect(await world.owner.call(deleteService, { params: service })).toBeNull();
    for (const operation of [getService, deleteService])
      expect(await world.owner.refusal(operation, { params: service })).toEqual([
        404,
        "not_found",
        { entity: "Service" },
      ]);
  });
});

describe("services: update", () => {
  it("changes what was sent, keeps the server's members, and increases updated_at", async () => {
    const world = await aWorld();
    const service = await aService(world, await aHost(world));
    const changes = {
      name: "api",
      service_definition: "my own",
      tags: ["b", "a"],
      virtualization: { type: "vm", details: {} },
    };
    const forged = { id: unknownEntity().id, created_at: "1999-01-01T00:00:00.000Z", source: { type: "Forged" } };
    const updated = await update(world, service, { ...changes, ...forged });
    expect(updated).toEqual({ ...service, ...changes, updated_at: updated.updated_at });
    expect(Date.parse(updated.updated_at)).toBeGreaterThan(Date.parse(service.updated_at));
  });

  it("keeps virtualization when it is absent and clears it when it is null", async () => {
    const world = await aWorld();
    const virtualization = { type: "container", details: { image: "nginx" } };
    const service = await aService(world, await aHost(world), { virtualization });
    expect((await update(world, service, { virtualization: undefined })).virtualization).toEqual(virtualization);
    expect((await update(world, service, { virtualization: null })).virtualization).toBeNull();
  });

  it("changes nothing when the entity is sent back: neither the revision nor updated_at, nor the host's revision", async () => {
    const world = await aWorld();
    const host = await aHost(world, { ports: 1, services: 2 });
    const virtualization = { type: "vm", details: { b: 1, a: { d: [1, 2], c: null } } };
    const service = await aService(world, host, { bindings: [onPort(host.ports[0])], tags: ["x"], virtualization });
    const before = await world.owner.send(getService, { params: service });
    const hostBefore = await world.owner.send(getHost, { params: host });
    const reordered = { ...before.data, virtualization: { details: { a: { c: null, d: [1, 2] }, b: 1 }, type: "vm" } };
    for (const echoed of [before.data, reordered]) {
      const after = await world.owner.send(updateService, { params: service, body: echoOf(echoed) });
      expect([after.data, after.etag]).toEqual([before.data, before.etag]);
    }
    expect((await world.owner.send(getHost, { params: host })).etag).toBe(hostBefore.etag);
  });

  it("rejects another network than its own, also that of the host it is to move to", async () => {
    const world = await aWorld();
    const office = await aNetwork(world.owner, "office");
    const service = await aService(world, await aHost(world));
    const elsewhere = await aHost(office);
    for (const changes of [
      { network_id: office.network.id },
      { network_id: unknownEntity().id },
      { host_id: elsewhere.id },
      { host_id: elsewhere.id, network_id: office.network.id },
    ])
      expect(await refusal(world, service, changes)).toEqual([400, "network_mismatch", { path: "network_id" }]);
    expect(await world.owner.call(getService, { params: service })).toEqual(service);
  });
});

describe("services: positions", () => {
  it("append by default, and shift the others when one is given", async () => {
    const world = await aWorld();
    const host = await aHost(world, { services: 2 });
    await aService(world, host, { name: "last" });
    await aService(world, host, { name: "first", position: 0 });
    await aService(world, host, { name: "beyond", position: 99 });
    expect(await placesOn(world, host)).toEqual(["first", "s0", "s1", "last", "beyond"]);
  });

  it("move an item, and count the shift as a change of the shifted ones alone", async () => {
    const world = await aWorld();
    const host = await aHost(world, { services: 5 });
    const [s0, s1, , s3] = host.services;
    await update(world, s3!, { position: 1 });
    expect(await placesOn(world, host)).toEqual(["s0", "s3", "s1", "s2", "s4"]);
    const { rows } = await world.owner.list(listServices, { query: { host_id: host.id, order_by: "name" } });
    expect(rows.map(({ updated_at }, n) => updated_at !== host.services[n]!.updated_at)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    await update(world, s0!, { position: 99 });
    await update(world, s1!, { position: 3 });
    expect(await placesOn(world, host)).toEqual(["s3", "s2", "s4", "s1", "s0"]);
  });

  it("have no gap after a deleted service", async () => {
    const world = await aWorld();
    const host = await aHost(world, { services: 4 });
    await world.owner.call(deleteService, { params: host.services[1]! });
    expect(await placesOn(world, host)).toEqual(["s0", "s2", "s3"]);
  });

  it("may not be negative", async () => {
    const world = await aWorld();
    const service = await aService(world, await aHost(world));
    for (const position of [-1, 0.5, 2_147_483_648])
      expect(await refusal(world, service, { position })).toMatchObject([
        400,
        "validation_failed",
        { errors: [{ path: "position" }] },
      ]);
  });
});

describe("services: moves to another host of the network", () => {
  it("take a position there, close the gap, and get bindings of the new host", async () => {
    const world = await aWorld();
    const from = await aHost(world, { name: "from", services: 3, ports: 1 });
    const to = await aHost(world, { name: "to", services: 2, ports: 1 });
    const moved = await update(world, from.services[1]!, {
      host_id: to.id,
      position: 1,
      bindings: [onPort(to.ports[0])],
    });
    expect([moved.host_id, moved.position, moved.bindings.map(inputOf)]).toEqual([to.id, 1, [onPort(to.ports[0])]]);
    expect(await placesOn(world, from)).toEqual(["s0", "s2"]);
    expect(await placesOn(world, to)).toEqual(["s0", "s1", "s1"]);
    const byHost = await world.owner.list(listServices, {
      query: { order_by: "host", ids: [moved.id, from.services[0]!.id] },
    });
    expect(byHost.rows.map(({ host_id }) => host_id)).toEqual([from.id, to.id]);
  });

  it("do not keep bindings of the old host", async () => {
    const world = await aWorld();
    const from = await aHost(world, { name: "from", ports: 1 });
    const to = await aHost(world, { name: "to" });
    const service = await aService(world, from, { bindings: [onPort(from.ports[0])] });
    expect(await refusal(world, service, { host_id: to.id })).toMatchObject([400, "binding_cross_host", {}]);
    expect(await placesOn(world, from)).toEqual(["web"]);
  });

  it("reject a missing host", async () => {
    const world = await aWorld();
    const service = await aService(world, await aHost(world));
    const refused = [400, "invalid_reference", { path: "host_id" }];
    expect(await refusal(world, service, { host_id: unknownEntity().id })).toEqual(refused);
  });
});
