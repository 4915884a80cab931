import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import {
  bulkDeleteHosts,
  bulkDeleteInterfaces,
  createHost,
  createInterface,
  createSubnet,
  deleteInterface,
  deleteSubnet,
  getSubnetUtilization,
  type Host,
  type Interface,
  patchSubnet,
  reportUtilization,
  type ReservedRange,
  type Subnet,
  updateInterface,
} from "@nts/shared/contract";
import { createAddressAllocator } from "@nts/topology/storage/address-allocator";
import type { Storage } from "@nts/topology/storage/storage";
import { parseAddress } from "@nts/topology/values/addresses";
import { mapConcurrently } from "../support/map-concurrently.js";
import { type Caller, type ServiceResponse, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

/** Addresses that are requested concurrently: a /22 in the long run. */
const CREATES = Number(process.env["NEXT_CREATES"] ?? 60);
/** At most the concurrency of one organization through two gateways. */
const CONCURRENCY = Number(process.env["NEXT_AT_ONCE"] ?? (CREATES > 250 ? 128 : 24));
/** The number of hosts; writers of one host are serialized. */
const HOSTS = Math.max(8, Math.ceil(CREATES / 10));
jest.setTimeout(300_000 + CREATES * 100);

let topology: Topology;
let owner: Caller;
let home: World;
let hosts: Host[];
let blocks = 0;
/** Requests that did not take their addresses in their own transaction. */
let reservations = 0;

beforeAll(async () => {
  // Steps so short that most scans take several.
  const step = CREATES > 250 ? 500 : 5;
  const storage = (it: Storage): Storage => {
    const allocator = createAddressAllocator(it, step);
    const reserve: typeof allocator.reserve = (wanting) => {
      reservations += 1;
      return allocator.reserve(wanting);
    };
    return { ...it, addressAllocator: { ...allocator, reserve } };
  };
  topology = await startTopology({ instances: 2, storage });
  owner = topology.aCaller();
  home = await aNetwork(owner);
  hosts = await Promise.all(Array.from({ length: HOSTS }, (_, n) => aHost(home, { name: `host ${n}` })));
});

afterAll(() => topology.stop());

/** A subnet of its own, 10.n.0.0 with this many bits. */
function aSubnet(bits: number, reserved: readonly Partial<ReservedRange>[] = []): Promise<Subnet> {
  const cidr = `10.${++blocks}.0.0/${bits}`;
  return owner.call(createSubnet, {
    body: { network_id: home.network.id, cidr, name: cidr, reserved: reserved as never },
  });
}

function next(subnet: Subnet, n = 0, ip_address = "next"): Promise<Interface> {
  return owner.via(n % 2).call(createInterface, { body: bodyFor(subnet, n, ip_address) });
}

/** A request that loses to others several times, as on a busy machine, is sent again, as clients do. */
async function sendAgain<T>(write: () => Promise<ServiceResponse<T>>): Promise<ServiceResponse<T>> {
  let response = await write();
  for (let again = 0; again < 5 && response.code === "write_conflict"; again++) response = await write();
  return response;
}

const bodyFor = ({ id }: Subnet, n: number, ip_address: string) => ({
  ...{ host_id: hosts[n % hosts.length]!.id, network_id: home.network.id, subnet_id: id, ip_address },
});
const addressOf = ({ ip_address }: Interface): string => ip_address;
const utilizationOf = ({ id }: Subnet) => owner.call(getSubnetUtilization, { params: { id } });

describe("next addresses: one after another", () => {
  it("are the lowest free ones, without the network, the broadcast address and reserved ranges, until the subnet is full", async () => {
    const subnet = await aSubnet(29, [{ from: "10.1.0.3", to: "10.1.0.4", purpose: "DHCP" }]);
    expect(await utilizationOf(subnet)).toEqual({ size: 6, used: 0, reserved: 2, free: 4, next: "10.1.0.1" });
    await next(subnet, 0, "10.1.0.2");
    const made = [await next(subnet, 1), await next(subnet, 2), await next(subnet, 3)];
    expect(made.map(addressOf)).toEqual(["10.1.0.1", "10.1.0.5", "10.1.0.6"]);
    const full = { subnet_id: subnet.id, cidr: subnet.cidr };
    expect(await owner.refusal(createInterface, { body: bodyFor(subnet, 4, "next") })).toEqual([
      409,
      "subnet_full",
      full,
    ]);
    expect(await utilizationOf(subnet)).toEqual({ size: 6, used: 4, reserved: 2, free: 0, next: null });
    const report = (caller: Caller) => caller.call(reportUtilization, { query: { ids: [subnet.id, home.network.id] } });
    const amounts = { subnet_id: subnet.id, size: 6, used: 4, reserved: 2, free: 0 };
    expect(await report(owner)).toEqual({ subnets: [amounts] });
    expect(await report(owner.colleague({ networks: [] }))).toEqual({ subnets: [] });
  });

  it("are free at once when their interface is deleted, gets another address, or is deleted with its host", async () => {
    const subnet = await aSubnet(28);
    const made: Interface[] = [];
    for (let n = 0; n < 6; n++) made.push(await next(subnet, n));
    const [first, second, third] = made;
    await owner.via(1).call(deleteInterface, { params: { id: third!.id } });
    expect(addressOf(await next(subnet, 7))).toBe(third!.ip_address);
    const moved = { ...second!, ip_address: subnet.cidr.replace("0/28", "14") };
    await owner.call(updateInterface, { params: { id: second!.id }, body: moved });
    await owner.call(deleteInterface, { params: { id: first!.id } });
    expect((await utilizationOf(subnet)).next).toBe(first!.ip_address);
    expect([addressOf(await next(subnet)), addressOf(await next(subnet, 1))]).toEqual(
      [first, second].map((one) => one!.ip_address),
    );

    const body = {
      network_id: home.network.id,
      name: "gone",
      interfaces: [nextAddressIn(subnet), nextAddressIn(subnet)],
    };
    const gone = await owner.call(createHost, { body });
    const theirs = gone.interfaces.map(addressOf);
    await owner.call(bulkDeleteHosts, { body: [gone.id] });
    expect([addressOf(await next(subnet, 2)), addressOf(await next(subnet, 3))]).toEqual(theirs);
  });

  it("are taken in the transaction of a request that comes alone, once the first search has set the mark", async () => {
    const subnet = await aSubnet(28);
    const first = await next(subnet);
    const before = reservations;
    const interfaces = [nextAddressIn(subnet), nextAddressIn(subnet)];
    const body = { network_id: home.network.id, name: "alone", interfaces };
    const host = await owner.via(1).call(createHost, { body });
    await owner.call(deleteInterface, { params: { id: first.id } });
    const made = [...host.interfaces, await next(subnet, 1), await next(subnet, 2)];
    expect(made.map((one) => one.ip_address.split(".").at(-1))).toEqual(["2", "3", "1", "4"]);
    expect(reservations - before).toBe(0);
  });

  it("differ for each interface of a new host, and from those that the host specifies", async () => {
    const subnet = await aSubnet(28);
    const named = { ...nextAddressIn(subnet), ip_address: subnet.cidr.replace("0/28", "2") };
    const interfaces = [nextAddressIn(subnet), named, nextAddressIn(subnet), nextAddressIn(subnet)];
    const host = await owner.call(createHost, { body: { network_id: home.network.id, name: "new", interfaces } });
    expect(host.interfaces.map((one) => one.ip_address.split(".").at(-1))).toEqual(["1", "2", "3", "4"]);
    expect(addressOf(await next(subnet))).toMatch(/\.5$/);
  });
});

describe("next addresses: large hosts and IPv6", () => {
  it("include those of a large host as soon as its deletion is acknowledged, and after it was swept", async () => {
    const subnet = await aSubnet(22);
    const interfaces = Array.from({ length: 510 }, () => nextAddressIn(subnet));
    const large = await owner.call(createHost, { body: { network_id: home.network.id, name: "large", interfaces } });
    const after = await next(subnet);
    await owner.call(bulkDeleteHosts, { body: [large.id] });
    const first = await next(subnet);
    const second = await next(subnet, 1);
    expect([first, second].map(addressOf)).toEqual(large.interfaces.slice(0, 2).map(addressOf));
    expect(await utilizationOf(subnet)).toMatchObject({ used: 3, next: large.interfaces[2]!.ip_address });
    expect(addressOf(after)).toBe(subnet.cidr.replace("0.0/22", "1.255"));
  });

  it("are allocated in an IPv6 block of 64 bits as well, whose size is exact", async () => {
    const body = {
      network_id: home.network.id,
      cidr: "fd00:1::/64",
      name: "six",
      reserved: [{ from: "fd00:1::", to: "fd00:1::ff" }],
    };
    const subnet = await owner.call(createSubnet, { body });
    expect([await next(subnet), await next(subnet, 1)].map(addressOf)).toEqual(["fd00:1::100", "fd00:1::101"]);
    const { text } = await owner.send(getSubnetUtilization, { params: { id: subnet.id } });
    expect(text).toBe(
      '{"size":18446744073709551615,"used":2,"reserved":255,"free":18446744073709551358,"next":"fd00:1::102"}',
    );
  });
});

describe("next addresses: held for a request", () => {
  const entries = () => topology.db.collection<{ _id: string; taken?: number }>("free_addresses");
  const entryOf = ({ id }: Subnet, { key }: { key: string }) => ({ _id: `${id}:${key}` });

  it("are reserved until they are released or time out, and a subnet is not full before", async () => {
    const subnet = await aSubnet(30);
    const first = await next(subnet);
    await owner.call(deleteInterface, { params: { id: first.id } });
    const entry = entryOf(subnet, parseAddress(first.ip_address));
    await entries().updateOne(entry, { $set: { held_by: "another", held_until: new Date(Date.now() + 60_000) } });
    const second = await next(subnet, 1);
    expect([addressOf(second), (await utilizationOf(subnet)).next]).toEqual([
      first.ip_address.replace(/1$/, "2"),
      null,
    ]);
    const searches = async () => (await entries().findOne({ _id: subnet.id }))?.taken ?? 0;
    const before = await searches();
    const waiting = next(subnet);
    await until(async () => (await searches()) > before + 1);
    await entries().updateOne(entry, { $set: { held_until: new Date(0) } });
    expect(addressOf(await waiting)).toBe(first.ip_address);
  });

  it("are released at once when the request is rejected, and never held by a dry run", async () => {
    const subnet = await aSubnet(29);
    const nowhere = { ...bodyFor(subnet, 0, "next"), host_id: subnet.id };
    expect(await owner.refusal(createInterface, { body: nowhere })).toMatchObject([400, "invalid_reference", {}]);
    const before = await entries().find().toArray();
    const tried = await owner.call(createInterface, { query: { dry_run: true }, body: bodyFor(subnet, 0, "next") });
    expect(await entries().find().toArray()).toEqual(before);
    const named = { "idempotency-key": "next", "if-match": '"plan-another"' };
    const other = { body: bodyFor(subnet, 0, "next"), headers: named };
    expect(await owner.refusal(createInterface, other)).toMatchObject([412, "precondition_failed", {}]);
    expect([addressOf(tried), addressOf(await next(subnet))]).toEqual(Array(2).fill(subnet.cidr.replace("0/29", "1")));
  });

  it("are found after more used ones than one step scans, also concurrently", async () => {
    const subnet = await aSubnet(25);
    for (let n = 1; n <= 23; n++) await next(subnet, n, subnet.cidr.replace("0/25", String(n)));
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => next(subnet, n)));
    expect(made.map((one) => Number(addressOf(one).split(".").at(-1))).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => 24 + n),
    );
  });
});

describe("next addresses: concurrent requests", () => {
  it("are the lowest of an IPv6 block of 64 bits, each once and without gaps, and free at once when they are deleted", async () => {
    const from = { from: "fd00:2::3", to: "fd00:2::ff" };
    const body = { network_id: home.network.id, cidr: "fd00:2::/64", name: "six", reserved: [from] };
    const subnet = await owner.call(createSubnet, { body });
    const count = Math.ceil(CREATES / 2);
    const take = () => mapConcurrently(count, CONCURRENCY, (n) => next(subnet, n));
    const lowest = [
      "fd00:2::1",
      "fd00:2::2",
      ...Array.from({ length: count - 2 }, (_, n) => `fd00:2::${(256 + n).toString(16)}`),
    ];
    const made = await take();
    expect(new Set(made.map(addressOf))).toEqual(new Set(lowest));
    for (let from = 0; from < made.length; from += 50)
      await owner.call(bulkDeleteInterfaces, { body: made.slice(from, from + 50).map(({ id }) => id) });
    expect(new Set((await take()).map(addressOf))).toEqual(new Set(lowest));
  });

  it("leave no gap, are never allocated twice, and fail only when nothing is free", async () => {
    const bits = CREATES > 250 ? 22 : 26;
    const size = 2 ** (32 - bits) - 2;
    const at = (n: number): string => `10.${blocks + 1}.${n >> 8}.${n & 255}`;
    const subnet = await aSubnet(bits, [
      { from: at(10), to: at(14), purpose: "DHCP" },
      { from: at(40), to: at(40) },
    ]);
    const room = size - 6;
    const results = await mapConcurrently(Math.max(CREATES, room + 3), CONCURRENCY, (n) =>
      sendAgain(() => owner.via(n % 2).send(createInterface, { body: bodyFor(subnet, n, "next") })),
    );
    const made = results.filter(({ status }) => status === 200).map(({ data }) => addressOf(data));
    expect(new Set(made).size).toBe(made.length);
    const codes = results.filter(({ status }) => status !== 200).map(({ code }) => code);
    expect([made.length, codes]).toEqual([room, codes.map(() => "subnet_full")]);
    expect(await utilizationOf(subnet)).toEqual({ size, used: room, reserved: 6, free: 0, next: null });
  });

  it("allow concurrent allocation and release, and finally yield every free address, the lowest first", async () => {
    const subnet = await aSubnet(26);
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => next(subnet, n)));
    await Promise.all([
      ...all
        .filter((_one, n) => n % 2 === 0)
        .map(({ id }, n) => owner.via(n % 2).call(deleteInterface, { params: { id } })),
      ...Array.from({ length: 12 }, (_, n) => next(subnet, n)),
    ]);
    const { free } = await utilizationOf(subnet);
    const rest: string[] = [];
    for (let n = 0; n < free; n++) rest.push(addressOf(await next(subnet, n)));
    const order = rest.map((address) => Number(address.split(".").at(-1)));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect((await utilizationOf(subnet)).free).toBe(0);
  });
});

describe("reserved ranges of a subnet", () => {
  it("are inside of its block and disjoint, and free again when they are removed", async () => {
    const subnet = await aSubnet(29);
    const [a, b, c] = [1, 2, 3].map((n) => subnet.cidr.replace("0/29", String(n)));
    const params = { id: subnet.id };
    const wrong = [
      [{ from: "192.0.2.1", to: "192.0.2.2" }],
      [{ from: b!, to: a! }],
      [
        { from: a!, to: b! },
        { from: b!, to: c! },
      ],
      [{ from: a!, to: b!, purpose: "x".repeat(101) }],
      Array.from({ length: 51 }, () => ({ from: a!, to: a! })),
    ];
    for (const reserved of wrong)
      expect(await owner.refusal(patchSubnet, { params, body: { reserved } })).toEqual([
        400,
        "validation_failed",
        expect.anything(),
      ]);
    const kept = await owner.call(patchSubnet, {
      params,
      body: {
        reserved: [
          { from: c!, to: c! },
          { from: a!, to: b!, purpose: "printers" },
        ],
      },
    });
    expect(kept.reserved).toEqual([
      { from: a, to: b, purpose: "printers" },
      { from: c, to: c, purpose: "" },
    ]);
    expect(addressOf(await next(subnet))).toMatch(/\.4$/);
    await owner.call(patchSubnet, { params, body: { reserved: [] } });
    expect(addressOf(await next(subnet))).toBe(a);
    const smaller = { params, body: { cidr: subnet.cidr.replace("/29", "/30") } };
    expect(await owner.refusal(patchSubnet, smaller)).toEqual([400, "ip_outside_subnet", expect.anything()]);
  });

  it("are deleted with the subnet, and kept by a deletion that is only planned or refused", async () => {
    const subnet = await aSubnet(29);
    const made = await next(subnet);
    await owner.call(deleteInterface, { params: { id: made.id } });
    const params = { id: subnet.id };
    const kept = () => topology.db.collection("free_addresses").find({ subnet_id: subnet.id }).toArray();
    const before = await kept();
    expect(before.length).toBeGreaterThan(1);
    await owner.call(deleteSubnet, { params, query: { dry_run: true } });
    const headers = { "idempotency-key": "delete", "if-match": '"plan-another"' };
    expect((await owner.refusal(deleteSubnet, { params, headers }))[1]).toBe("precondition_failed");
    expect(await kept()).toEqual(before);
    await owner.call(deleteSubnet, { params, query: { explain: true } });
    expect(await kept()).toEqual([]);
  });
});

const nextAddressIn = ({ id }: Subnet) => ({ subnet_id: id, ip_address: "next" });
