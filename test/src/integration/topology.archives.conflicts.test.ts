/** Archives of an inventory that has changed since: what contradicts it is restored as a whole, or reported and left alone. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ArchiveImport,
  createNetwork,
  createHost,
  createInterface,
  createPort,
  createSubnet,
  createTag,
  deleteHost,
  deleteInterface,
  deletePort,
  deleteTag,
  getHost,
  getService,
  getSubnet,
  type Host,
  listChanges,
  listHosts,
  listInterfaces,
  patchInterface,
  patchPort,
  patchService,
  patchTag,
  type Tag,
} from "@nts/shared/contract";
import {
  archiveOf,
  archiveText,
  type EntityLine,
  imported,
  normalForm,
  parsed,
  sendArchive,
} from "../support/archives.js";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onPort, type World } from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterEach(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
});
afterAll(() => topology.stop());

/** The result of importing an archive, of which parts may fail. */
async function importOf(caller: Caller, text: string, query = ""): Promise<ArchiveImport> {
  const response = await sendArchive(caller, text, query);
  expect(response.status).toBe(200);
  return response.data as ArchiveImport;
}

describe("the network of an entity", () => {
  /** A host with all kinds of children, and a second network. */
  async function twoNetworks() {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { interfaces: 1, ports: 1 });
    await aService(world, host, { bindings: [onPort(host.ports[0], host.interfaces[0])] });
    const other = await owner.call(createNetwork, { body: { name: "Other" } });
    const block = { network_id: other.id, cidr: "10.0.0.0/16", name: "LAN of the other" };
    const otherSubnet = await owner.call(createSubnet, { body: block });
    const { entities } = await archiveOf(owner);
    return { ...world, host, other, otherSubnet, entities };
  }

  const edited = (entities: readonly EntityLine[], edit: (line: EntityLine) => object): string =>
    archiveText(entities.map((line) => ({ ...line, data: { ...line.data, ...edit(line) } })));

  it("is never changed by an archive: a host with another one fails, and nothing of it is written", async () => {
    const { owner, host, network, other, otherSubnet, entities } = await twoNetworks();
    const isOnHost = ({ entity }: EntityLine): boolean => ["Host", "Interface", "Port", "Service"].includes(entity);
    const text = edited(entities, (line) =>
      isOnHost(line)
        ? { network_id: other.id, ...(line.entity === "Interface" && { subnet_id: otherSubnet.id }), name: "moved" }
        : {},
    );
    for (const query of ["?dry_run=true", ""]) {
      const { failed, summary } = await importOf(owner, text, query);
      expect(failed).toMatchObject([{ entity: "Host", id: host.id, code: "network_mismatch", taken: null }]);
      expect(summary.Host).toEqual({ create: 0, update: 0, unchanged: 0, failed: 1 });
      expect(summary.Service).toMatchObject({ update: 0, failed: 1 });
    }
    expect(await owner.call(getHost, { params: host })).toMatchObject({ name: "nas", network_id: network.id });
    for (const [{ id: network_id }, count] of [
      [network, 1],
      [other, 0],
    ] as const)
      for (const list of [listHosts, listInterfaces])
        expect(await owner.list(list, { query: { network_id } })).toMatchObject({
          total: count,
          rows: { length: count },
        });
  });

  it("is never changed by an archive: a subnet with another one fails, and others of the file are restored", async () => {
    const { owner, subnet, other, otherSubnet, network, entities } = await twoNetworks();
    const only = entities.filter(({ entity }) => entity === "Network" || entity === "Subnet");
    const text = edited(only, ({ data: { id } }) => {
      if (id === subnet.id) return { network_id: other.id, name: "moved" };
      return id === otherSubnet.id ? { name: "renamed" } : {};
    });
    for (const query of ["?dry_run=true", ""]) {
      const { failed, summary } = await importOf(owner, text, query);
      expect(failed).toMatchObject([{ entity: "Subnet", id: subnet.id, code: "network_mismatch" }]);
      expect(summary.Subnet).toEqual({ create: 0, update: 1, unchanged: 0, failed: 1 });
    }
    expect(await owner.call(getSubnet, { params: subnet })).toMatchObject({ name: "LAN", network_id: network.id });
    expect(await owner.call(getSubnet, { params: otherSubnet })).toMatchObject({ name: "renamed" });
  });
});

describe("entities that moved to another host since", () => {
  /** Two hosts with an address and a service each, and their archive. */
  async function twoHosts() {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const one = await aHost(world, { interfaces: 1, ports: 1 });
    const { id: subnet_id, network_id } = world.subnet;
    const address = { subnet_id, ip_address: "10.0.0.100" };
    const two = await owner.call(createHost, { body: { network_id, name: "other", interfaces: [address] } });
    const service = await aService(world, one, { bindings: [onPort(one.ports[0], one.interfaces[0])] });
    const { text } = await archiveOf(owner);
    return { owner, one, two, service, text, entities: parsed(text).entities };
  }

  it("are moved back when they are services, with their bindings, and listed in the plan", async () => {
    const { owner, one, two, service, text, entities } = await twoHosts();
    await owner.call(patchService, { params: service, body: { host_id: two.id, bindings: [] } });
    const plan = await imported(owner, text, "?dry_run=true");
    expect(plan.summary.Service).toEqual({ create: 0, update: 1, unchanged: 0, failed: 0 });
    expect((await imported(owner, text)).summary.Service).toEqual(plan.summary.Service);
    expect(normalForm(await archiveOf(owner))).toEqual(normalForm({ entities }));
    // Its host was deleted: its children are recreated, and moved ones stay where they are.
    await owner.call(patchService, { params: service, body: { host_id: two.id, bindings: [] } });
    await owner.call(deleteHost, { params: one });
    expect((await imported(owner, text)).summary.Service).toMatchObject({ create: 1 });
    for (const { create, update } of Object.values((await imported(owner, text)).summary))
      expect({ create, update }).toEqual({ create: 0, update: 0 });
    expect((await owner.call(getHost, { params: two })).services.map(({ id }) => id)).toEqual([service.id]);
  });

  it("are moved back when they are addresses, also of two hosts that have swapped theirs", async () => {
    const { owner, one, two, text, entities } = await twoHosts();
    const a = one.interfaces[0]!;
    const b = two.interfaces[0]!;
    await owner.call(patchInterface, { params: a, body: { ip_address: b.ip_address } });
    await owner.call(patchInterface, { params: b, body: { ip_address: a.ip_address } });
    const plan = await imported(owner, text, "?dry_run=true");
    expect([plan.summary.Interface.update, (await imported(owner, text)).summary]).toEqual([2, plan.summary]);
    expect(normalForm(await archiveOf(owner))).toEqual(normalForm({ entities }));
  });
});

/** A host with two interfaces, two ports and a service, another one with a port, and their archive. */
async function twoOfEach() {
  const world = await aNetwork(topology.aCaller());
  const { owner } = world;
  const host = await aHost(world, { interfaces: 2, ports: 2 });
  const bound = [onPort(host.ports[0], host.interfaces[0])];
  const service = await aService(world, host, { bindings: bound });
  const other = await aHost(world, { name: "other", ports: 1 });
  const { text, entities } = await archiveOf(owner);
  return { ...world, host, service, other, text, entities };
}

/** Moves a service to the first position of another host, which has one already, with a binding there. */
async function move(world: World, service: { id: string }, to: Host): Promise<void> {
  await aService(world, to, { name: "stays" });
  const body = { host_id: to.id, position: 0, bindings: [onPort(to.ports[0])] };
  await world.owner.call(patchService, { params: service, body });
}

/** Swaps the port numbers and the addresses of a host. */
async function swap({ owner }: World, { ports: [p, q], interfaces: [a, b] }: Host): Promise<void> {
  for (const [port, number] of [
    [p!, 99],
    [q!, p!.number],
    [p!, q!.number],
  ] as const)
    await owner.call(patchPort, { params: port, body: { number } });
  for (const [{ id }, ip_address] of [
    [a!, "10.0.0.99"],
    [b!, a!.ip_address],
    [a!, b!.ip_address],
  ] as const)
    await owner.call(patchInterface, { params: { id }, body: { ip_address } });
}

describe("what is unique on a host", () => {
  it("is restored when two of its entities have swapped it, and a service is moved back along with it", async () => {
    const world = await twoOfEach();
    const { owner, host, service, other, text, entities } = world;
    const a = host.interfaces[0]!;
    const b = host.interfaces[1]!;
    await swap(world, host);
    await move(world, service, other);
    const written = { ports: host.ports[0]!, interfaces: a, services: service };
    const revisions = () => Promise.all(Object.entries(written).map(([kind, { id }]) => revisionOf(kind, id)));
    const before = await revisions();
    const plan = await imported(owner, text, "?dry_run=true");
    expect((await imported(owner, text)).summary).toEqual(plan.summary);
    expect(await revisions()).toEqual(before.map((revision) => revision + 1));
    const isOld = ({ data }: EntityLine): boolean => data["name"] !== "stays";
    const after = await archiveOf(owner);
    expect(normalForm({ entities: after.entities.filter(isOld) })).toEqual(normalForm({ entities }));
    expect((await owner.call(getHost, { params: other })).services).toMatchObject([{ name: "stays", position: 0 }]);
    expect(await historyOf(owner, host.ports[0]!, "number", 4)).toEqual([1, 99, 2, 1]);
    expect(await historyOf(owner, a, "ip_address", 4)).toEqual([a.ip_address, "10.0.0.99", b.ip_address, a.ip_address]);
    expect(await historyOf(owner, service, "host_id", 3)).toEqual([host.id, other.id, host.id]);
  });

  it("is restored when one of its entities has what another, deleted one had", async () => {
    const { owner, host, text } = await twoOfEach();
    const a = host.ports[0]!;
    const b = host.ports[1]!;
    await owner.call(deletePort, { params: a });
    await owner.call(patchPort, { params: b, body: { number: a.number } });
    await imported(owner, text);
    const { ports } = await owner.call(getHost, { params: host });
    expect(ports.map(({ number }) => number)).toEqual([a.number, b.number]);
    expect(ports[1]?.id).toBe(b.id);
  });
});

describe("what a newer entity of a host has", () => {
  it("is kept: then nothing of the host is restored, and a service stays where it was moved to", async () => {
    const world = await twoOfEach();
    const { owner, host, service, other, text } = world;
    const [{ number, id } = { number: 0, id: "" }] = host.ports;
    await owner.call(patchPort, { params: { id }, body: { number: 99 } });
    const newer = { host_id: host.id, network_id: host.network_id, number, protocol: "Tcp" as const };
    const { id: newId } = await owner.call(createPort, { body: newer });
    await move(world, service, other);
    const moved = await owner.call(getService, { params: service });
    const before = await archiveOf(owner);
    const { failed } = await importOf(owner, text);
    expect(failed).toMatchObject([{ id: host.id, code: "already_exists", taken: null }]);
    expect(await owner.call(getService, { params: service })).toEqual(moved);
    expect((await archiveOf(owner)).entities).toEqual(before.entities);
    await owner.call(deletePort, { params: { id: newId } });
    await imported(owner, text);
    expect(await owner.call(getService, { params: service })).toMatchObject({ host_id: host.id, bindings: [{}] });
  });

  it("is reported with line and host when it is the address of an interface", async () => {
    const { owner, host, subnet, text, entities } = await twoOfEach();
    const a = host.interfaces[0]!;
    const b = host.interfaces[1]!;
    const give = ({ id }: { id: string }, ip_address: string) =>
      owner.call(patchInterface, { params: { id }, body: { ip_address } });
    await give(b, "10.0.0.200");
    const body = { host_id: host.id, network_id: host.network_id, subnet_id: subnet.id, ip_address: b.ip_address };
    const newer = await owner.call(createInterface, { body });
    const lineOf = (id: string): number => entities.findIndex(({ data }) => data.id === id) + 2;
    const { failed } = await importOf(owner, text);
    const taken = { line: lineOf(b.id), host_id: host.id };
    expect(failed).toMatchObject([{ line: lineOf(host.id), id: host.id, code: "already_exists", taken }]);
    await owner.call(deleteInterface, { params: newer });
    await imported(owner, text);
    const { interfaces } = await owner.call(getHost, { params: host });
    expect(interfaces.map(({ ip_address }) => ip_address)).toEqual([a.ip_address, b.ip_address]);
  });
});

describe("the names of tags", () => {
  it("are restored when tags have them from one another, also across batches, and kept by a newer tag", async () => {
    const owner = topology.aCaller();
    const create = (name: string) => owner.call(createTag, { body: { name } });
    const rename = (tag: { id: string }, name: string) => owner.call(patchTag, { params: tag, body: { name } });
    const tags: Tag[] = [];
    for (let n = 0; n < 24; n++) tags.push(await create(`tag ${n}`));
    const before = await archiveOf(owner);
    const a = tags[0]!;
    const b = tags[1]!;
    const c = tags[10]!;
    const d = tags[23]!; // In two batches of twenty.
    // Four have their names from one another, and a newer tag has that of the fifth.
    for (const [tag, name] of [
      [a, "free"],
      [c, a.name],
      [d, c.name],
      [tags[2]!, d.name],
      [a, "tag 2"],
      [b, "lost"],
    ] as const)
      await rename(tag, name);
    const newer = await create(b.name);
    const plan = await importOf(owner, before.text, "?dry_run=true");
    expect(plan.summary.Tag).toMatchObject({ create: 0, update: 5 });
    const { failed, summary } = await importOf(owner, before.text);
    expect(failed).toMatchObject([{ entity: "Tag", id: b.id, code: "already_exists" }]);
    expect(summary.Tag).toEqual({ create: 0, update: 4, unchanged: 19, failed: 1 });
    await owner.call(deleteTag, { params: newer });
    await imported(owner, before.text);
    expect(normalForm(await archiveOf(owner))).toEqual(normalForm(before));
  });
});

async function revisionOf(kind: string, id: string): Promise<number> {
  const found = await topology.db.collection<{ _id: string; revision: number }>(kind).findOne({ _id: id });
  return found?.revision ?? 0;
}

/** A member of an entity after each change in the journal, as soon as there are so many. */
async function historyOf(
  owner: Caller,
  { id: entity_id }: { id: string },
  member: string,
  count: number,
): Promise<unknown[]> {
  const read = () => owner.call(listChanges, { query: { entity_id, limit: 100, wait: 1 } });
  let rows = await read();
  for (let n = 0; n < 40 && rows.length < count; n++) rows = await read();
  return rows.map(({ after }) => after?.[member]);
}
