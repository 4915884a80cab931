import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createService,
  deleteInterface,
  deletePort,
  getService,
  type Host,
  patchService,
  type Service,
  updateService,
} from "@nts/shared/contract";
import { type ServiceResponse, startTopology, type Topology } from "../support/topology.js";
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
  readonly other: Host;
  readonly service: Service;
}

/** Two hosts with two interfaces and two ports each, and a service without bindings on the first. */
async function twoHosts(): Promise<Bound> {
  const world = await aNetwork(topology.aCaller());
  const host = await aHost(world, { name: "a", interfaces: 2, ports: 2 });
  const other = await aHost(world, { name: "b", interfaces: 2, ports: 2 });
  return { ...world, host, other, service: await aService(world, host) };
}

type Bindings = Parameters<typeof inputOf>[0][];

/** Sends the same bindings with PUT, with PATCH of another service, and with a create: the rules are the same. */
async function byEveryWrite(world: Bound, bindings: Bindings): Promise<ServiceResponse<Service>[]> {
  const { owner, host, service } = world;
  const patched = await aService(world, host, { name: "patched" });
  const created = { host_id: host.id, network_id: host.network_id, name: "new", service_definition: "nginx", bindings };
  return [
    await owner.send(updateService, { params: { id: service.id }, body: { ...echoOf(service), bindings } }),
    await owner.send(patchService, { params: { id: patched.id }, body: { bindings } }),
    await owner.send(createService, { body: created }),
  ];
}

describe("services.bindings: targets", () => {
  it("are stored ports and interfaces of the service's host, with all that the server adds", async () => {
    const world = await twoHosts();
    const { interfaces, ports } = world.host;
    const bindings = [onPort(ports[1], interfaces[0]), onInterface(interfaces[1])];
    for (const { status, data } of await byEveryWrite(world, bindings)) {
      expect(status).toBe(200);
      expect(data.bindings.map(inputOf)).toEqual(expect.arrayContaining(bindings));
      expect(data.bindings).toHaveLength(2);
      for (const binding of data.bindings)
        expect(binding).toMatchObject({
          service_id: data.id,
          network_id: data.network_id,
          created_at: data.updated_at,
        });
      expect((await world.owner.call(getService, { params: { id: data.id } })).bindings).toEqual(data.bindings);
    }
  });

  it("have interface_id null when a port is bound on all interfaces, also when it was omitted", async () => {
    const world = await twoHosts();
    const [port] = world.host.ports;
    const [updated] = await byEveryWrite(world, [{ type: "Port", port_id: port!.id } as never]);
    expect(updated!.data.bindings.map(inputOf)).toEqual([onPort(port)]);
    expect(JSON.parse(updated!.text)).toMatchObject({ bindings: [{ interface_id: null }] });
  });

  it("of another host or missing are all reported, and nothing is stored", async () => {
    const world = await twoHosts();
    const { host, other } = world;
    const missing = unknownEntity();
    const bindings = [
      onPort(host.ports[0]),
      onPort(other.ports[0]),
      onPort(host.ports[1], other.interfaces[0]),
      onInterface(missing),
      onPort(missing, missing),
    ];
    const violations = [
      { index: 1, type: "Port", port_id: other.ports[0]!.id },
      { index: 2, type: "Port", interface_id: other.interfaces[0]!.id },
      { index: 3, type: "Interface", interface_id: missing.id },
      { index: 4, type: "Port", port_id: missing.id, interface_id: missing.id },
    ];
    for (const { status, code, params } of await byEveryWrite(world, bindings))
      expect({ status, code, params }).toEqual({ status: 400, code: "binding_cross_host", params: { violations } });
    expect(await world.owner.call(getService, { params: { id: world.service.id } })).toEqual(world.service);
  });

  it("of another organization are rejected like missing ones", async () => {
    const world = await twoHosts();
    const foreign = await twoHosts();
    const refusal = async (id: string): Promise<string> => {
      const [updated] = await byEveryWrite(world, [{ type: "Port", port_id: id, interface_id: null }]);
      return updated!.text.replaceAll(id, "ID");
    };
    expect(await refusal(foreign.host.ports[0]!.id)).toBe(await refusal(unknownEntity().id));
  });
});

describe("services.bindings: duplicates and conflicts", () => {
  it("removes duplicates and bindings covered by one to all interfaces, silently", async () => {
    const world = await twoHosts();
    const { interfaces, ports } = world.host;
    const bindings = [
      onPort(ports[0], interfaces[0]),
      onPort(ports[1], interfaces[1]),
      onPort(ports[0]),
      onPort(ports[1], interfaces[1]),
    ];
    for (const { status, data } of await byEveryWrite(world, bindings)) {
      expect(status).toBe(200);
      expect(data.bindings.map(inputOf)).toHaveLength(2);
      expect(data.bindings.map(inputOf)).toEqual(
        expect.arrayContaining([onPort(ports[0]), onPort(ports[1], interfaces[1])]),
      );
    }
  });

  it("reports every conflicting pair of an interface binding and a port binding, and stores nothing", async () => {
    const world = await twoHosts();
    const { interfaces, ports } = world.host;
    const bindings = [onInterface(interfaces[0]), onPort(ports[0], interfaces[0]), onPort(ports[1])];
    const violations = [ports[0]!, ports[1]!].map((port, index) => ({
      index: 0,
      interface_id: interfaces[0]!.id,
      conflicts_with: index + 1,
      port_id: port.id,
    }));
    for (const { status, code, params } of await byEveryWrite(world, bindings))
      expect({ status, code, params }).toEqual({ status: 409, code: "binding_conflict", params: { violations } });
    expect(await world.owner.call(getService, { params: { id: world.service.id } })).toEqual(world.service);
  });

  it("lets services share a port", async () => {
    const world = await twoHosts();
    const [port] = world.host.ports;
    expect((await byEveryWrite(world, [onPort(port)])).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("services.bindings: kept and removed bindings", () => {
  it("keep their id and times when they are unchanged", async () => {
    const world = await twoHosts();
    const { owner, service, host } = world;
    const params = { id: service.id };
    const update = (bindings: Bindings): Promise<Service> =>
      owner.call(updateService, { params, body: { ...echoOf(service), bindings } });
    const before = await update([onPort(host.ports[0]), onPort(host.ports[1], host.interfaces[0])]);
    const after = await update([onPort(host.ports[1], host.interfaces[1]), onPort(host.ports[0])]);
    const kept = before.bindings.find((binding) => binding.type === "Port" && binding.interface_id === null);
    expect(after.bindings).toContainEqual(kept);
    expect(after.bindings.filter(({ id }) => before.bindings.some((one) => one.id === id))).toEqual([kept]);
  });

  it("are returned and stored the same, whatever the order sent; the second time nothing changes", async () => {
    const { owner, service, host } = await twoHosts();
    const bindings = [
      onPort(host.ports[0], host.interfaces[0]),
      onPort(host.ports[1]),
      onPort(host.ports[0], host.interfaces[1]),
    ];
    const params = { id: service.id };
    const first = await owner.send(updateService, { params, body: { ...echoOf(service), bindings } });
    const second = await owner.send(updateService, {
      params,
      body: { ...echoOf(service), bindings: bindings.reverse() },
    });
    expect(second.data).toEqual(first.data);
    expect(second.etag).toBe(first.etag);
  });

  it("include on every service those to a deleted port or interface, and no others", async () => {
    const world = await twoHosts();
    const { owner, host, service } = world;
    const { interfaces, ports } = host;
    const bindings = [
      onPort(ports[0], interfaces[0]),
      onPort(ports[1], interfaces[0]),
      onPort(ports[1], interfaces[1]),
    ];
    const [updated] = await byEveryWrite(world, bindings);
    const bystander = await aService(world, host, { name: "bystander", bindings: [onPort(ports[1], interfaces[1])] });
    const params = { id: service.id };
    await owner.call(deletePort, { params: ports[0]! });
    const left = await owner.send(getService, { params });
    expect(left.data.bindings).toEqual(
      updated!.data.bindings.filter((one) => one.type === "Port" && one.port_id === ports[1]!.id),
    );
    expect(left.etag).not.toBe(updated!.etag);
    expect(Date.parse(left.data.updated_at)).toBeGreaterThan(Date.parse(updated!.data.updated_at));

    await owner.call(deleteInterface, { params: interfaces[0]! });
    expect((await owner.call(getService, { params })).bindings.map(inputOf)).toEqual([onPort(ports[1], interfaces[1])]);
    expect(await owner.call(getService, { params: bystander })).toEqual(bystander);
  });

  it("are a thousand at most", async () => {
    const world = await twoHosts();
    const bindings = Array.from({ length: 1001 }, () => onPort(world.host.ports[0]));
    for (const { status, code } of await byEveryWrite(world, bindings))
      expect([status, code]).toEqual([400, "validation_failed"]);
  });
});
