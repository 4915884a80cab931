import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createInterface,
  createSubnet,
  deleteInterface,
  getHost,
  getInterface,
  type Host,
  type Interface,
  listInterfaces,
  type Subnet,
  updateInterface,
} from "@nts/shared/contract";
import { type Refusal, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, unknownEntity, type World } from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

interface Place extends World {
  readonly host: Host;
}

async function aPlace(interfaces = 0): Promise<Place> {
  const world = await aNetwork(topology.aCaller());
  return { ...world, host: await aHost(world, { interfaces }) };
}

const bodyAt = ({ host, subnet }: Place, more: object = {}) => ({
  host_id: host.id,
  network_id: host.network_id,
  subnet_id: subnet.id,
  ip_address: "10.0.1.1",
  name: null,
  ...more,
});

const add = (place: Place, more: object = {}): Promise<Interface> =>
  place.owner.call(createInterface, { body: bodyAt(place, more) });

const update = ({ owner }: World, it: Interface, changes: object): Promise<Interface> =>
  owner.call(updateInterface, { params: it, body: { ...it, ...changes } });

const refusal = ({ owner }: World, it: Interface, changes: object): Promise<Refusal> =>
  owner.refusal(updateInterface, { params: it, body: { ...it, ...changes } });

const aSubnet = ({ owner, network }: World, cidr: string): Promise<Subnet> =>
  owner.call(createSubnet, { body: { network_id: network.id, cidr, name: cidr } });

/** Addresses by position, which must be 0, 1, 2 and so on. */
async function placesOn({ owner, host }: Place): Promise<string[]> {
  const { interfaces } = await owner.call(getHost, { params: host });
  expect(interfaces.map(({ position }) => position)).toEqual(interfaces.map((_, index) => index));
  return interfaces.map(({ ip_address }) => ip_address.replace("10.0.0.", ""));
}

describe("interfaces: addresses", () => {
  it.each([
    { cidr: "10.20.0.0/24", inside: "10.20.0.255", outside: "10.20.1.0", written: "10.20.1.0" },
    { cidr: "2001:db8:1::/48", inside: "2001:DB8:1:ffff::1", outside: "2001:DB8:2::1", written: "2001:db8:2::1" },
    { cidr: "2001:db8:1::/48", inside: "2001:db8:1::", outside: "10.0.0.1", written: "10.0.0.1" },
    { cidr: "10.20.0.0/24", inside: "::ffff:10.20.0.7", outside: "::ffff:10.21.0.7", written: "10.21.0.7" },
    { cidr: "::a01:200/120", inside: "::10.1.2.3", outside: "::ffff:10.1.2.3", written: "10.1.2.3" },
    { cidr: "10.1.2.0/24", inside: "10.1.2.3", outside: "::10.1.2.3", written: "::a01:203" },
    { cidr: "192.0.2.7/32", inside: "192.0.2.7", outside: "192.0.2.8", written: "192.0.2.8" },
  ])("may be $inside in $cidr and not $outside: on create, update and change of subnet", async (one) => {
    const place = await aPlace();
    const { cidr } = one;
    const at = { subnet_id: (await aSubnet(place, cidr)).id };
    const made = await add(place, { ...at, ip_address: one.inside });
    const refused = [400, "ip_outside_subnet", { ip_address: one.written, cidr }];
    const body = bodyAt(place, { ...at, ip_address: one.outside });
    expect(await place.owner.refusal(createInterface, { body })).toEqual(refused);
    expect(await refusal(place, made, { ip_address: one.outside })).toEqual(refused);
    const elsewhere = await add(place, { ip_address: "10.0.9.9" });
    expect(await refusal(place, elsewhere, at)).toEqual([400, "ip_outside_subnet", { ip_address: "10.0.9.9", cidr }]);
    expect(await place.owner.call(getInterface, { params: elsewhere })).toEqual(elsewhere);
  });

  it("are returned in canonical form, also when they were sent in another", async () => {
    const place = await aPlace();
    const subnet = await aSubnet(place, "2001:db8::/32");
    const made = await add(place, { subnet_id: subnet.id, ip_address: "2001:DB8:0:0:1:0:0:1" });
    expect(made.ip_address).toBe("2001:db8::1:0:0:1");
    const echoed = await update(place, made, { ip_address: "2001:0db8::0001:0:0:1" });
    expect(echoed).toEqual(made);
  });

  it("are unique per subnet and host, in any notation", async () => {
    const place = await aPlace();
    const taken = [409, "already_exists", { entity: "Interface", field: "ip_address" }];
    await add(place, { ip_address: "10.0.0.7" });
    const other = await add(place, { ip_address: "10.0.0.8" });
    expect(
      await place.owner.refusal(createInterface, { body: bodyAt(place, { ip_address: "::ffff:10.0.0.7" }) }),
    ).toEqual(taken);
    expect(await refusal(place, other, { ip_address: "10.0.0.7" })).toEqual(taken);
    expect(await placesOn(place)).toEqual(["7", "8"]);

    const overlapping = await aSubnet(place, "10.0.0.0/24");
    expect((await add(place, { ip_address: "10.0.0.7", subnet_id: overlapping.id })).position).toBe(2);
    const another = await aHost(place, { name: "other" });
    expect((await add({ ...place, host: another }, { ip_address: "10.0.0.7" })).position).toBe(0);
  });

  it("may move to another subnet of the network, and to none of another network or a missing one", async () => {
    const place = await aPlace();
    const made = await add(place);
    const wide = await aSubnet(place, "10.0.0.0/8");
    expect(await update(place, made, { subnet_id: wide.id })).toMatchObject({ subnet_id: wide.id });
    const office = await aNetwork(place.owner, "office");
    expect(await refusal(place, made, { subnet_id: office.subnet.id })).toEqual([
      400,
      "network_mismatch",
      { path: "subnet_id" },
    ]);
    expect(await refusal(place, made, { subnet_id: unknownEntity().id })).toEqual([
      400,
      "invalid_reference",
      { path: "subnet_id" },
    ]);
  });
});

describe("interfaces: the MAC address is set once", () => {
  const MAC = "AA:BB:CC:DD:EE:0F";
  const immutable = [409, "mac_address_immutable", {}];

  it("is normalized and never changes again, whatever else does", async () => {
    const place = await aPlace();
    const made = await add(place);
    expect(made.mac_address).toBeNull();
    expect((await update(place, made, { mac_address: "aabb.ccdd.ee0f" })).mac_address).toBe(MAC);
    expect(await refusal(place, made, { mac_address: "aa:bb:cc:dd:ee:00" })).toEqual(immutable);
    expect(await refusal(place, made, { mac_address: "aa:bb:cc:dd:ee:00", name: "eth9" })).toEqual(immutable);
    expect(await place.owner.call(getInterface, { params: made })).toMatchObject({ mac_address: MAC, name: null });
  });

  it.each([MAC, "aa-bb-cc-dd-ee-0f", null, undefined])("is kept when %s is sent", async (mac_address) => {
    const place = await aPlace();
    const made = await add(place, { mac_address: MAC });
    expect(await update(place, made, { mac_address })).toEqual(made);
    expect((await update(place, made, { mac_address, name: "eth9" })).mac_address).toBe(MAC);
  });
});

describe("interfaces: positions on the host", () => {
  it("append, insert, move, stay when absent, are limited to the end, and close gaps", async () => {
    const place = await aPlace(3);
    const [first] = place.host.interfaces;
    const at = (n: number, more: object = {}): Promise<Interface> => add(place, { ip_address: `10.0.0.${n}`, ...more });
    await at(4);
    await at(5, { position: 0 });
    await at(6, { position: 99 });
    expect(await placesOn(place)).toEqual(["5", "1", "2", "3", "4", "6"]);
    const moved = await update(place, first!, { position: 3 });
    expect(await placesOn(place)).toEqual(["5", "2", "3", "1", "4", "6"]);
    expect((await update(place, moved, { position: undefined, name: "kept" })).position).toBe(3);
    await update(place, moved, { position: 99 });
    expect(await placesOn(place)).toEqual(["5", "2", "3", "4", "6", "1"]);
    await place.owner.call(deleteInterface, { params: place.host.interfaces[1]! });
    expect(await placesOn(place)).toEqual(["5", "3", "4", "6", "1"]);
    expect(await refusal(place, moved, { position: -1 })).toMatchObject([400, "validation_failed", {}]);
  });
});

describe("interfaces: immutable members and queries", () => {
  it("stay on their host and in their network", async () => {
    const place = await aPlace();
    const made = await add(place);
    const other = await aHost(place, { name: "other" });
    const office = await aNetwork(place.owner, "office");
    expect(await refusal(place, made, { host_id: other.id })).toMatchObject([
      400,
      "validation_failed",
      { errors: [{ path: "host_id" }] },
    ]);
    expect(await refusal(place, made, { network_id: office.network.id })).toEqual([
      400,
      "network_mismatch",
      { path: "network_id" },
    ]);
    const create = (more: object): Promise<Refusal> =>
      place.owner.refusal(createInterface, { body: bodyAt(place, { ip_address: "10.0.5.5", ...more }) });
    expect(await create({ network_id: office.network.id })).toEqual([400, "network_mismatch", { path: "network_id" }]);
    expect(await create({ subnet_id: office.subnet.id })).toEqual([400, "network_mismatch", { path: "subnet_id" }]);
    expect(await create({ host_id: unknownEntity().id })).toEqual([400, "invalid_reference", { path: "host_id" }]);
  });

  it("require the members of the specification: a name may be null but not absent", async () => {
    const place = await aPlace();
    const made = await add(place);
    const { params } = await place.owner.raw("put", `/api/v1/interfaces/${made.id}`, {});
    expect((params["errors"] as { path: string }[]).map(({ path }) => path).sort()).toEqual([
      "host_id",
      "ip_address",
      "name",
      "network_id",
      "subnet_id",
    ]);
    expect((await update(place, made, { name: null })).name).toBeNull();
  });

  it("are listed by host and by subnet, in the numeric order of their addresses", async () => {
    const place = await aPlace();
    const v6 = await aSubnet(place, "2001:db8::/32");
    for (const ip_address of ["10.0.0.10", "10.0.0.9", "10.0.0.100"]) await add(place, { ip_address });
    for (const ip_address of ["2001:db8::a", "2001:db8::9"]) await add(place, { subnet_id: v6.id, ip_address });
    const other = await aHost(place, { name: "other", interfaces: 1 });
    const listed = async (query: object): Promise<string[]> =>
      (await place.owner.list(listInterfaces, { query })).rows.map(({ ip_address }) => ip_address);
    const all = ["10.0.0.9", "10.0.0.10", "10.0.0.100", "2001:db8::9", "2001:db8::a"];
    expect(await listed({ host_id: place.host.id, order_by: "ip_address" })).toEqual(all);
    expect(await listed({ host_id: place.host.id, order_by: "ip_address", order_direction: "desc" })).toEqual(
      [...all].reverse(),
    );
    expect(await listed({ host_id: place.host.id, order_by: "position" })).toEqual([
      "10.0.0.10",
      "10.0.0.9",
      "10.0.0.100",
      "2001:db8::a",
      "2001:db8::9",
    ]);
    expect(await listed({ subnet_id: v6.id, order_by: "ip_address" })).toEqual(all.slice(3));
    expect(await listed({ host_id: other.id })).toEqual(["10.0.0.1"]);
  });
});
