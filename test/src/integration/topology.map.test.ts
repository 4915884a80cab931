/** The map on a real database: contents, permissions, consistency, and cost. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createHost,
  createLink,
  createService,
  createSubnet,
  createVlan,
  deleteHost,
  getTopology,
  type Host,
  type Link,
  patchSubnet,
  type QueryInputOf,
  Topology,
} from "@nts/shared/contract";
import { readMap, storedSource } from "@nts/topology/map/read";
import { createStorage } from "@nts/topology/storage/storage";
import { seedTopology } from "../support/seed.js";
import { type Caller, startTopology, type Topology as Service } from "../support/topology.js";
import { aHost, aNetwork, aService, onInterface, onPort, type World } from "../support/topology-world.js";

let topology: Service;

beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

/** The map for a caller, checked against the contract and for dangling edges. */
async function graphOf(caller: Caller, query: QueryInputOf<typeof getTopology> = {}): Promise<Topology> {
  const response = await caller.call(getTopology, { query });
  const map = Topology.parse(response);
  expect(map).toEqual(response);
  const ids = new Set(map.nodes.map(({ id }) => id));
  expect(ids.size).toBe(map.nodes.length);
  expect(new Set(map.edges.map(({ id }) => id)).size).toBe(map.edges.length);
  expect(map.edges.filter(({ source, target }) => !ids.has(source) || !ids.has(target))).toEqual([]);
  return map;
}

const virtualizedBy = (details: object) => ({ virtualization: { type: "Docker", details } });

async function aGuest({ owner, network }: World, name: string, details: object): Promise<Host> {
  return owner.call(createHost, { body: { network_id: network.id, name, ...virtualizedBy(details) } as never });
}

describe("topology.map: contents", () => {
  it("contain subnets, hosts and services, and their relations", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const { network, subnet } = world;
    const host = await aHost(world, { interfaces: 2, ports: 1 });
    const [first, second] = host.interfaces;
    const vlan = await owner.call(createVlan, { body: { network_id: network.id, vid: 10, name: "Office" } });
    await owner.call(patchSubnet, { params: { id: subnet.id }, body: { vlan_id: vlan.id } });
    const bindings = [onPort(host.ports[0], first), onInterface(second)];
    const runtime = await aService(world, host, {
      name: "Docker",
      service_definition: "Docker",
      bindings,
      tags: ["x"],
    });
    const container = await aService(world, host, { name: "web", ...virtualizedBy({ service_id: runtime.id }) });
    const guest = await aGuest(world, "guest", { host_id: host.id });

    const { nodes, edges } = await graphOf(owner);
    expect(nodes).toEqual([
      {
        kind: "subnet",
        id: subnet.id,
        label: "LAN",
        network_id: network.id,
        tags: [],
        cidr: "10.0.0.0/16",
        subnet_type: null,
        vlan: { id: vlan.id, vid: 10, name: "Office" },
      },
      {
        kind: "host",
        id: host.id,
        label: "nas",
        network_id: network.id,
        tags: [],
        hostname: null,
        hidden: false,
        role: null,
        virtualization_type: null,
      },
      {
        kind: "host",
        id: guest.id,
        label: "guest",
        network_id: network.id,
        tags: [],
        hostname: null,
        hidden: false,
        role: null,
        virtualization_type: "Docker",
      },
      {
        kind: "service",
        id: runtime.id,
        label: "Docker",
        network_id: network.id,
        tags: ["x"],
        host_id: host.id,
        service_definition: "Docker",
        category: "Virtualization",
        virtualization_type: null,
      },
      {
        kind: "service",
        id: container.id,
        label: "web",
        network_id: network.id,
        tags: [],
        host_id: host.id,
        service_definition: "nginx",
        category: "ReverseProxy",
        virtualization_type: "Docker",
      },
    ]);
    expect(edges).toEqual([
      ...[first!, second!].map(({ id, name, ip_address, mac_address }) => ({
        kind: "in_subnet",
        id: `in_subnet:${id}`,
        source: host.id,
        target: subnet.id,
        interface_id: id,
        name,
        ip_address,
        mac_address,
      })),
      {
        kind: "on_host",
        id: `on_host:${runtime.id}`,
        source: runtime.id,
        target: host.id,
        bindings: [
          { type: "Interface", id: runtime.bindings[0]?.id, interface_id: second?.id },
          {
            type: "Port",
            id: runtime.bindings[1]?.id,
            port_id: host.ports[0]?.id,
            port: 1,
            protocol: "Tcp",
            interface_id: first?.id,
          },
        ],
      },
      { kind: "on_host", id: `on_host:${container.id}`, source: container.id, target: host.id, bindings: [] },
      {
        kind: "virtualized_by",
        id: `virtualized_by:${container.id}`,
        source: container.id,
        target: runtime.id,
        type: "Docker",
      },
      { kind: "virtualized_by", id: `virtualized_by:${guest.id}`, source: guest.id, target: host.id, type: "Docker" },
    ]);
    expect(await graphOf(owner)).toEqual({ nodes, edges });
  });

  it("are empty in an empty organization", async () => {
    expect(await graphOf(topology.aCaller())).toEqual({ nodes: [], edges: [] });
  });
});

describe("topology.map: links", () => {
  it("are a tree from the core, with ports, VLANs and what hosts run on, also as files", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const { network } = world;
    const host = (name: string, more: object = {}): Promise<Host> =>
      owner.call(createHost, { body: { network_id: network.id, name, ...more } });
    const server = await host("server");
    const core = await host("core", { role: "Switch" });
    const router = await host("router", { role: "Router" });
    const guest = await host("guest", virtualizedBy({ host_id: server.id }));
    await host("alone");
    const vlans = await Promise.all(
      [20, 10].map((vid) => owner.call(createVlan, { body: { network_id: network.id, vid, name: `VLAN ${vid}` } })),
    );
    const link = (ends: readonly object[], more: object = {}): Promise<Link> =>
      owner.call(createLink, { body: { network_id: network.id, ends, ...more } as never });
    const at = ({ id }: Host, port: string | null = null) => ({ host_id: id, port });
    const up = await link([at(router, "lan1"), at(core, "24")], {
      vlan_ids: vlans.map(({ id }) => id),
      speed_mbps: 1_000,
    });
    const down = await link([at(server), at(core, "1")]);
    const second = await link([at(core, "2"), at(server, "eth1")]);
    const { nodes, edges } = await graphOf(owner, { layer: "l2" });
    const depths = nodes.map((node) => [node.label, node.kind === "host" ? node.depth : "no host"]);
    expect(Object.fromEntries(depths)).toEqual({ server: 2, core: 1, router: 0, guest: 3, alone: undefined });
    const bare = { link_kind: "Ethernet", link_source: "Manual", source_interface_id: null, target_interface_id: null };
    expect(edges).toEqual([
      { kind: "virtualized_by", id: `virtualized_by:${guest.id}`, source: guest.id, target: server.id, type: "Docker" },
      ...[
        [up, core, "24", router, "lan1", { speed_mbps: 1_000, vlan_ids: up.vlan_ids, vids: [10, 20], is_tree: true }],
        [down, server, null, core, "1", { is_tree: true }],
        [second, server, "eth1", core, "2", { is_tree: false }],
      ].map((edge) => {
        const [{ id }, source, source_port, target, target_port, more] = edge as [
          Link,
          Host,
          string,
          Host,
          string,
          object,
        ];
        const ends = { source: source.id, source_port, target: target.id, target_port };
        const own = { kind: "link", id: `link:${id}`, link_id: id, ...bare, ...ends };
        return { ...own, speed_mbps: null, vlan_ids: [], vids: [], ...more };
      }),
    ]);
    for (const [format, part] of [
      ["dot", 'label="24 – lan1"'],
      ["mermaid", '---|"24 #8211; lan1"|'],
      ["graphml", '<data key="edge_target_port">lan1</data>'],
    ] as const)
      expect((await owner.raw("get", `/api/v1/topology?layer=l2&format=${format}`)).text).toContain(part);
    const limited = owner.colleague({ networks: [(await aNetwork(owner)).network.id] });
    expect(await graphOf(limited, { layer: "l2" })).toEqual({ nodes: [], edges: [] });
  });
});

describe("topology.map: formats", () => {
  it.each([
    ["dot", "text/vnd.graphviz", "topology.dot", /^digraph topology \{\n[^]*\}\n$/],
    ["mermaid", "application/vnd.mermaid", "topology.mmd", /^flowchart LR\n[^]*n\d+ --- ?\|"10\.0\.0\.1"\| n\d+\n$/],
    ["graphml", "application/graphml+xml", "topology.graphml", /^<\?xml [^]*<\/graphml>\n$/],
  ] as const)("include the file that %s reads", async (format, type, name, content) => {
    const owner = topology.aCaller();
    const host = await aHost(await aNetwork(owner), { name: 'a "nas"', interfaces: 1 });
    const response = await owner.raw("get", `/api/v1/topology?format=${format}`);
    expect([response.status, response.headers["content-type"]]).toEqual([200, `${type}; charset=utf-8`]);
    expect(response.headers["content-disposition"]).toBe(`attachment; filename="${name}"`);
    expect(response.text).toMatch(content);
    if (format !== "mermaid") expect(response.text).toContain(host.id);
    expect(getTopology.files).toContain(type);
    const head = await owner.raw("head", `/api/v1/topology?format=${format}`);
    expect([head.text, head.headers["content-type"]]).toEqual(["", `${type}; charset=utf-8`]);
  });

  it("reject a map that Mermaid cannot draw, with an error instead of a file", async () => {
    const organizationId = randomUUID();
    await seedTopology(topology.db, { organizationId, networks: 1, hostsPerNetwork: 51, servicesPerHost: 10 });
    const refused = await topology.aCaller({ organizationId }).raw("get", "/api/v1/topology?format=mermaid");
    expect([refused.status, refused.code, refused.headers["content-disposition"]]).toEqual([
      400,
      "validation_failed",
      undefined,
    ]);
    expect(refused.params).toEqual({
      errors: [{ path: "format", message: expect.stringContaining("500 edges") as unknown }],
    });
  });

  it.each(["format=svg", "format=dot&format=dot", "layer=l4", "network_id=x", "limit=5"])(
    "reject %s",
    async (query) => {
      const response = await topology.aCaller().raw("get", `/api/v1/topology?${query}`);
      expect([response.status, response.code]).toEqual([400, "validation_failed"]);
    },
  );
});

describe("topology.map: permissions", () => {
  let owner: Caller;
  let one: World;
  let two: World;
  let foreign: World;

  beforeAll(async () => {
    owner = topology.aCaller();
    [one, two, foreign] = [await aNetwork(owner), await aNetwork(owner), await aNetwork(topology.aCaller())];
    for (const world of [one, two, foreign]) {
      const host = await aHost(world, { interfaces: 1, ports: 1 });
      await aService(world, host, { bindings: [onPort(host.ports[0])] });
    }
  });

  const networksIn = ({ nodes }: Topology): string[] => [...new Set(nodes.map(({ network_id }) => network_id))].sort();

  it("allow all networks of the organization, or the requested one", async () => {
    expect(networksIn(await graphOf(owner))).toEqual([one.network.id, two.network.id].sort());
    expect(networksIn(await graphOf(owner, { network_id: two.network.id }))).toEqual([two.network.id]);
  });

  it("allow only the networks that the caller may use, whatever is requested", async () => {
    const limited = owner.colleague({ networks: [one.network.id], permission: "Viewer" });
    expect(networksIn(await graphOf(limited))).toEqual([one.network.id]);
    for (const network_id of [two.network.id, foreign.network.id, randomUUID()])
      expect(await graphOf(limited, { network_id })).toEqual({ nodes: [], edges: [] });
    expect(await graphOf(owner.colleague({ networks: [] }))).toEqual({ nodes: [], edges: [] });
  });

  it("leave no trace of a virtualization parent in a network out of scope", async () => {
    const hidden = await aHost(two, { name: "hypervisor" });
    const service = await aService(two, hidden);
    await aGuest(one, "guest", { host_id: hidden.id, service_id: service.id });
    const limited = owner.colleague({ networks: [one.network.id] });
    const kinds = async (caller: Caller): Promise<string[]> => (await graphOf(caller)).edges.map(({ kind }) => kind);
    expect(await kinds(owner)).toContain("virtualized_by");
    expect(await kinds(limited)).not.toContain("virtualized_by");
    for (const format of ["json", "dot", "graphml", "mermaid"]) {
      const { text } = await limited.raw("get", `/api/v1/topology?format=${format}`);
      expect([hidden.id, service.id, two.network.id].filter((id) => text.includes(id))).toEqual([]);
    }
  });
});

describe("topology.map: reading", () => {
  it("is complete at 5,000 nodes in every format, and never in the memory of the service at once", async () => {
    const organizationId = randomUUID();
    await seedTopology(topology.db, { organizationId, networks: 2, hostsPerNetwork: 500, servicesPerHost: 4 });
    const caller = topology.aCaller({ organizationId });
    const { nodes, edges } = await graphOf(caller);
    expect([nodes.length, edges.length]).toEqual([5_000, 4_000]);
    for (const [format, node, edge] of [
      ["dot", /shape=/g, / -> /g],
      ["graphml", /<node /g, /<edge /g],
    ] as const) {
      const { text } = await caller.raw("get", `/api/v1/topology?format=${format}`);
      expect([text.match(node)?.length, text.match(edge)?.length]).toEqual([5_000, 4_000]);
    }
    const storage = createStorage(topology.db, () => Promise.reject(new Error("nothing is written here")));
    for await (const piece of readMap(storedSource(storage, { organizationId, networks: "all" })))
      expect((piece.nodes ?? piece.edges)?.length).toBeLessThanOrEqual(500);
  });

  it("is consistent while hosts come and go: no edge without its ends, no host without its addresses", async () => {
    const owner = topology.aCaller();
    const world = await aNetwork(owner);
    const { network, subnet } = world;
    const other = await owner.call(createSubnet, {
      body: { network_id: network.id, cidr: "10.1.0.0/16", name: "two" },
    });
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const at = (subnet_id: string, net: number) => ({ subnet_id, ip_address: `10.${net}.${writer}.${n % 250}` });
        const body = {
          network_id: network.id,
          name: `${writer} ${n}`,
          interfaces: [at(subnet.id, 0), at(other.id, 1)],
        };
        const host = await owner.call(createHost, { body });
        const service = { network_id: network.id, host_id: host.id, name: "s", service_definition: "nginx" };
        await owner.call(createService, { body: service });
        if (n % 3 !== 0) await owner.call(deleteHost, { params: host });
      }
    };
    const writers = Promise.all([0, 1, 2].map(write));
    try {
      for (let reads = 0; reads < 40; reads++) {
        const { nodes, edges } = await graphOf(owner);
        for (const { id } of nodes.filter(({ kind }) => kind === "host"))
          expect(edges.filter(({ source, kind }) => source === id && kind === "in_subnet")).toHaveLength(2);
      }
    } finally {
      isOver = true;
      await writers;
    }
  });
});
