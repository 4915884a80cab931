/** Statistics: permissions, and agreement with the lists. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createSubnet,
  createTag,
  createView,
  forPlurals,
  getStats,
  KINDS_IN_NETWORKS,
  type Stats,
} from "@nts/shared/contract";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, aService, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

let topology: Topology;
let reads = 0;
beforeAll(async () => {
  topology = await startTopology({
    journal: true,
    onCommand: ({ commandName }) => {
      if (["find", "aggregate", "count"].includes(commandName)) reads++;
    },
  });
});
afterAll(() => topology.stop());

/** A host with an address, the ports 443/tcp and 53/udp, and a service on the first one. */
async function aServer({ owner, network, subnet }: World, name: string, service_definition: string): Promise<void> {
  const host = await owner.call(createHost, {
    body: {
      ...{ network_id: network.id, name, interfaces: [{ ip_address: `10.0.0.${name}`, subnet_id: subnet.id }] },
      ports: [
        { number: 443, protocol: "Tcp" },
        { number: 53, protocol: "Udp" },
      ],
      virtualization: { type: `L"X\\C "virtualization":{"type":"x`, details: { virtualization: { type: "no" } } },
    },
  });
  const virtualization = { type: "docker", details: {} };
  await aService({ owner }, host, { service_definition, bindings: [onPort(host.ports[0])], virtualization });
}

/** The counts of an empty network. */
const NONE = forPlurals(KINDS_IN_NETWORKS, () => 0);

const statsOf = (caller: Caller, query = {}): Promise<Stats> => caller.call(getStats, { query });

describe("the statistics of an inventory", () => {
  it("count all networks, one, or those that the caller may see", async () => {
    const owner = topology.aCaller();
    const one = await aNetwork(owner, "One");
    const two = await aNetwork(owner, "Two");
    await owner.call(createTag, { body: { name: "web" } });
    for (const name of ["1", "2"]) await aServer(one, name, "nginx");
    await aServer(two, "3", "PostgreSQL");
    for (const network_id of [two.network.id, null])
      await owner.call(createView, { body: { network_id, name: "all" } });
    const ofOne = { ...NONE, subnets: 1, hosts: 2, interfaces: 2, ports: 4, services: 2 };
    const ofTwo = { ...NONE, subnets: 1, views: 1, hosts: 1, interfaces: 1, ports: 2, services: 1 };
    const ofBoth = { ...NONE, subnets: 2, views: 2, hosts: 3, interfaces: 3, ports: 6, services: 3 };
    const all = await statsOf(owner);
    expect(all.totals).toEqual({ networks: 2, ...ofBoth, tags: 1 });
    expect(all.networks).toEqual([
      { id: one.network.id, name: "One", ...ofOne },
      { id: two.network.id, name: "Two", ...ofTwo },
    ]);
    expect(all.categories).toEqual([
      { category: "ReverseProxy", services: 2 },
      { category: "Database", services: 1 },
    ]);
    expect(all.ports).toEqual([
      { number: 53, protocol: "Udp", hosts: 3 },
      { number: 443, protocol: "Tcp", hosts: 3 },
    ]);
    expect(new Set(all.virtualization)).toEqual(
      new Set([
        { type: "docker", hosts: 0, services: 3 },
        { type: `L"X\\C "virtualization":{"type":"x`, hosts: 3, services: 0 },
      ]),
    );
    expect(all.subnets.map(({ id, used, size }) => [id, used, size])).toEqual([
      [one.subnet.id, 2, 65_534],
      [two.subnet.id, 1, 65_534],
    ]);

    for (const stats of [
      await statsOf(owner, { network_id: one.network.id }),
      await statsOf(owner.restrictedTo([one.network.id])),
    ]) {
      // That of the whole organization is visible with each network.
      expect(stats.totals).toEqual({ networks: 1, ...ofOne, views: 1, tags: 1 });
      expect([stats.networks.length, stats.categories.length, stats.subnets.length]).toEqual([1, 1, 1]);
      expect(stats.ports).toEqual([
        { number: 53, protocol: "Udp", hosts: 2 },
        { number: 443, protocol: "Tcp", hosts: 2 },
      ]);
    }
    for (const stats of [await statsOf(owner.restrictedTo([])), await statsOf(topology.aCaller())])
      expect({ ...stats.totals, tags: 0, views: 0, ports: stats.ports }).toEqual({
        ...NONE,
        networks: 0,
        ports: [],
        tags: 0,
      });
  });

  it("count the changes of each of the last days, by few reads, as each takes long on a busy machine", async () => {
    const { owner, network } = await aNetwork(topology.aCaller());
    await aNetwork(owner, "Another");
    const today = async (caller: Caller): Promise<number | undefined> => (await statsOf(caller)).days.at(-1)?.changes;
    // Changes are recorded with a delay.
    await until(async () => {
      reads = 0;
      return (await today(owner)) === 4;
    });
    expect(reads).toBeLessThan(25);
    expect(await today(owner.restrictedTo([network.id]))).toBe(2);
    const { days } = await statsOf(owner);
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 7 }, (_, n) => new Date(Date.now() - (6 - n) * 86_400_000).toISOString().slice(0, 10)),
    );
  });

  it("return 304 while they are the same", async () => {
    const { owner } = await aNetwork(topology.aCaller());
    const readIfNoneMatch = (etag: string): ReturnType<Caller["raw"]> =>
      owner.raw("get", "/api/v1/stats", undefined, { "if-none-match": etag });
    await until(
      async () => (await readIfNoneMatch(String((await readIfNoneMatch("")).headers["etag"]))).status === 304,
    );
    const { headers } = await readIfNoneMatch("");
    await aNetwork(owner, "Another");
    await until(async () => (await readIfNoneMatch(String(headers["etag"]))).status === 200);
  });

  it("are rejected for an invalid network", async () => {
    const { status, code } = await topology.aCaller().raw("get", "/api/v1/stats?network_id=x");
    expect([status, code]).toEqual([400, "validation_failed"]);
  });
});

describe("the statistics of subnets", () => {
  it("contain the exact size of an IPv6 subnet, however large", async () => {
    const { owner, network } = await aNetwork(topology.aCaller());
    for (const [n, [cidr, address]] of [
      ["fd00:1::/64", "fd00:1::1"],
      ["10.7.0.0/30", "10.7.0.1"],
      ["::/0", "fd00:2::1"],
    ].entries()) {
      const subnet = await owner.call(createSubnet, { body: { network_id: network.id, cidr: cidr!, name: cidr! } });
      const interfaces = [{ ip_address: address!, subnet_id: subnet.id }];
      await owner.call(createHost, { body: { network_id: network.id, name: `h${n}`, interfaces } });
    }
    const { status, text, data } = await owner.send(getStats, {});
    expect([status, data.subnets.map(({ cidr }) => cidr)]).toEqual([200, ["10.7.0.0/30", "fd00:1::/64", "::/0"]]);
    const sizes = [...text.matchAll(/"size":(\d+),"used":1[,}]/g)].map(([, size]) => size);
    // The last one without the IPv4-mapped addresses, which are IPv4.
    expect(sizes).toEqual(["2", "18446744073709551615", String(2n ** 128n - 2n ** 32n - 1n)]);
  });
});
