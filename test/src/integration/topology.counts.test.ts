import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createInterface,
  createPort,
  deleteHost,
  deleteInterface,
  deleteNetwork,
  deletePort,
  deleteService,
  deleteSubnet,
  listBindings,
  updateService,
} from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { KINDS, operationsOf } from "../support/topology-everything.js";
import { aHost, aNetwork, aService, echoOf, onPort, type World } from "../support/topology-world.js";

// Guards maintain totals, which are compared here with the real numbers.

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

type Totals = Record<string, number>;

/** The totals of the lists, by kind. */
async function totals(caller: Caller, query: object = {}): Promise<Totals> {
  const entries = KINDS.map(async (kind): Promise<[string, number]> => {
    const { headers } = await operationsOf(caller, kind).list({ ...query, limit: 1 });
    return [kind, Number(headers[INTERNAL.listTotal])];
  });
  const bindings = await caller.list(listBindings, { query: { ...query, limit: 1 } });
  return { ...Object.fromEntries(await Promise.all(entries)), bindings: bindings.total };
}

/** The numbers of documents, by kind. */
async function countDocumentsByKind(organizationId: string, networkIds?: readonly string[]): Promise<Totals> {
  const entries = [...KINDS, "bindings"].map(async (kind): Promise<[string, number]> => {
    const filter = { organization_id: organizationId, ...(networkIds && { network_id: { $in: networkIds } }) };
    return [kind, await topology.db.collection(kind).countDocuments(filter)];
  });
  return Object.fromEntries<number>(await Promise.all(entries));
}

/** Compares both for the organization, each of its networks, and keys restricted to some of them. */
async function expectTotalsMatch(owner: Caller, ...worlds: readonly World[]): Promise<Totals> {
  const { organizationId } = owner.scope;
  const all = await totals(owner);
  expect(all).toEqual(await countDocumentsByKind(organizationId));
  const ids = worlds.map(({ network }) => network.id);
  for (const id of ids) {
    const real = await countDocumentsByKind(organizationId, [id]);
    expect(await totals(owner, { network_id: id })).toEqual(real);
    expect(await totals(owner.colleague({ networks: [id] }))).toEqual(real);
    const others = ids.filter((other) => other !== id);
    expect(await totals(owner.colleague({ networks: others }), { network_id: id })).toEqual(
      await countDocumentsByKind(organizationId, []),
    );
  }
  expect(await totals(owner.colleague({ networks: ids }))).toEqual(all);
  return all;
}

async function twoNetworks(): Promise<{ owner: Caller; home: World; office: World }> {
  const owner = topology.aCaller();
  return { owner, home: await aNetwork(owner, "home"), office: await aNetwork(owner, "office") };
}

describe("counts: total_count is exact", () => {
  it("after creates, one by one and with a host in one request", async () => {
    const { owner, home, office } = await twoNetworks();
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({ networks: 2, subnets: 2, hosts: 0 });
    const host = await aHost(home, { interfaces: 3, ports: 2, services: 2 });
    const at = { host_id: host.id, network_id: host.network_id };
    await owner.call(createInterface, { body: { ...at, subnet_id: home.subnet.id, ip_address: "10.0.9.9" } });
    await owner.call(createPort, { body: { ...at, number: 99, protocol: "Udp" } });
    await aService(home, host, { bindings: [onPort(host.ports[0]), onPort(host.ports[1], host.interfaces[0])] });
    await aHost(office, { interfaces: 1, services: 1 });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({
      networks: 2,
      subnets: 2,
      hosts: 2,
      interfaces: 5,
      ports: 3,
      services: 4,
      bindings: 2,
    });
  });

  it("after deletes of single entities and changes of bindings", async () => {
    const { owner, home, office } = await twoNetworks();
    const host = await aHost(home, { interfaces: 3, ports: 3, services: 2 });
    const bindings = host.ports.map((port) => onPort(port, host.interfaces[0]));
    const service = await aService(home, host, { bindings });
    await owner.call(updateService, { params: service, body: { ...echoOf(service), bindings: bindings.slice(1) } });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({ bindings: 2, services: 3 });
    await owner.call(deletePort, { params: host.ports[2]! });
    await owner.call(deleteInterface, { params: host.interfaces[1]! });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({ bindings: 1, ports: 2, interfaces: 2 });
    await owner.call(deleteInterface, { params: host.interfaces[0]! });
    await owner.call(deleteService, { params: host.services[0]! });
    await owner.call(deleteSubnet, { params: office.subnet });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({ bindings: 0, services: 2, subnets: 1 });
  });

  it("after deletes of a host with its children, and of a network", async () => {
    const { owner, home, office } = await twoNetworks();
    const host = await aHost(home, { interfaces: 2, ports: 2, services: 2 });
    await aService(home, host, { bindings: [onPort(host.ports[0])] });
    await aHost(home, { name: "stays", interfaces: 1, ports: 1, services: 1 });
    await aHost(office, { interfaces: 1, ports: 1, services: 1 });
    await owner.call(deleteHost, { params: host });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({
      networks: 2,
      subnets: 2,
      hosts: 2,
      interfaces: 2,
      ports: 2,
      services: 2,
      bindings: 0,
    });
    await owner.call(deleteNetwork, { params: home.network });
    expect(await expectTotalsMatch(owner, office)).toMatchObject({
      networks: 1,
      subnets: 1,
      hosts: 1,
      interfaces: 1,
      ports: 1,
      services: 1,
      bindings: 0,
    });
  });

  it("after failed writes, which do not count", async () => {
    const { owner, home, office } = await twoNetworks();
    const host = await aHost(home, { interfaces: 1, ports: 1 });
    const before = await expectTotalsMatch(owner, home, office);
    const at = { host_id: host.id, network_id: host.network_id };
    await owner.refusal(createPort, { body: { ...at, number: 1, protocol: "Tcp" } });
    await owner.refusal(createInterface, { body: { ...at, subnet_id: home.subnet.id, ip_address: "10.0.0.1" } });
    await owner.refusal(deleteSubnet, { params: home.subnet });
    const twice = [1, 1].map((number) => ({ number, protocol: "Tcp" as const }));
    await owner.refusal(createHost, { body: { network_id: host.network_id, name: "h", ports: twice } });
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject(before);
  });

  it("after concurrent writers", async () => {
    const { owner, home, office } = await twoNetworks();
    const hosts = await Promise.all(Array.from({ length: 12 }, (_, n) => aHost(n % 2 ? home : office, { ports: 2 })));
    await Promise.all(
      hosts.flatMap((host) => [
        aService(home, host),
        aService(home, host),
        owner.call(deletePort, { params: host.ports[0]! }),
      ]),
    );
    await Promise.all(hosts.slice(0, 5).map((host) => owner.call(deleteHost, { params: host })));
    expect(await expectTotalsMatch(owner, home, office)).toMatchObject({ hosts: 7, ports: 7, services: 14 });
  });
});
