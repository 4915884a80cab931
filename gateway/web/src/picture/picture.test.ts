import { describe, expect, it } from "@jest/globals";
import type { Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { cardsOf } from "./cards.js";
import { svgOf } from "./files.js";
import { findIn, NO_FILTERS, shownIn } from "./filters.js";
import { type Layout, layoutOf, type Place } from "./layout.js";
import { hostIdOf, type Model, modelOf } from "./model.js";
import { sceneOf } from "./scene.js";
import { host, inSubnet as edgeOfCard, NETWORK, service, subnet } from "./testing/nodes.js";

/** An interface of its own for each address. */
const inSubnet = (source: string, target: string, ip_address = "10.0.0.1"): TopologyEdge =>
  edgeOfCard(source, target, { id: `${source}-${target}-${ip_address}`, ip_address });
const onHost = (source: string, target: string): TopologyEdge => ({
  id: `on-${source}`,
  kind: "on_host",
  source,
  target,
  bindings: [],
});

/** Hosts with services in subnets of one or two networks; some hosts in no subnet, some in two. */
const aTopology: fc.Arbitrary<Topology> = fc
  .record({
    subnets: fc.integer({ min: 0, max: 5 }),
    hosts: fc.array(
      fc.record({
        home: fc.option(fc.nat(4)),
        other: fc.option(fc.nat(4)),
        services: fc.oneof(fc.nat(6), fc.constant(25)),
      }),
      { maxLength: 15 },
    ),
  })
  .map(({ subnets, hosts }) => {
    const networkOf = (n: number): object => ({ network_id: n % 2 === 0 ? NETWORK : "other" });
    const nodes: TopologyNode[] = Array.from({ length: subnets }, (_, n) => subnet(`subnet ${n}`, networkOf(n)));
    const edges: TopologyEdge[] = [];
    for (const [n, one] of hosts.entries()) {
      const homes =
        subnets === 0 ? [] : [one.home, one.other].filter((home) => home !== null).map((home) => home % subnets);
      const where = networkOf(homes[0] ?? n);
      nodes.push(host(`host ${n}`, where));
      for (const home of new Set(homes)) edges.push(inSubnet(`host ${n}`, `subnet ${home}`));
      for (let m = 0; m < one.services; m++) {
        nodes.push(service(`service ${n}.${m}`, `host ${n}`, where));
        edges.push(onHost(`service ${n}.${m}`, `host ${n}`));
      }
    }
    return { nodes, edges };
  });

const distance = (a: Place, b: Place): number => Math.hypot(a.x - b.x, a.y - b.y);

const networksIn = (nodes: TopologyNode[]): number => new Set(nodes.map(({ network_id }) => network_id)).size;

function expectApart(topology: Topology, { places }: Layout): void {
  expect([...places.keys()].sort()).toEqual(topology.nodes.map(({ id }) => id).sort());
  const all = [...places.values()];
  const overlaps = all.flatMap((one, index) =>
    all.slice(index + 1).filter((other) => distance(one, other) < one.r + other.r - 1e-6),
  );
  expect(overlaps).toEqual([]);
}

function expectInAreas(model: Model, { places, discs, bounds }: Layout): void {
  const areas = discs.filter(({ kind }) => kind === "subnet");
  for (const [index, area] of areas.entries())
    for (const other of areas.slice(index + 1)) expect(distance(area, other)).toBeGreaterThan(area.r + other.r);
  for (const { node, interfaces, services } of model.hosts.values()) {
    const area = areas.find(({ id }) => id === (interfaces[0]?.target ?? `none:${node.network_id}`))!;
    for (const { id } of [node, ...services]) {
      const place = places.get(id)!;
      expect(distance(area, place) + place.r).toBeLessThanOrEqual(area.r);
    }
  }
  for (const { x, y, r } of discs) {
    expect(Math.max(bounds.left - x + r, x + r - bounds.right)).toBeLessThan(1e-6);
    expect(Math.max(bounds.bottom - y + r, y + r - bounds.top)).toBeLessThan(1e-6);
  }
}

describe("the layout of the picture", () => {
  it("places every node, without overlaps and hosts inside their subnet, also when it continues from another graph", () => {
    fc.assert(
      fc.property(fc.array(aTopology, { minLength: 1, maxLength: 4 }), (topologies) => {
        let layout: Layout | null = null;
        for (const topology of topologies) {
          const model = modelOf(topology);
          layout = layoutOf(model, layout);
          expectApart(topology, layout);
          expectInAreas(model, layout);
        }
      }),
      { numRuns: 12 },
    );
  });

  it("moves nothing when hosts are removed", () => {
    fc.assert(
      fc.property(aTopology, fc.func(fc.boolean()), (topology, stays) => {
        const nodes = topology.nodes.filter((node) => node.kind === "subnet" || stays(hostIdOf(node)));
        fc.pre(networksIn(nodes) === networksIn(topology.nodes));
        const ids = new Set(nodes.map(({ id }) => id));
        const edges = topology.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
        const before = layoutOf(modelOf(topology));
        const { places, bounds } = layoutOf(modelOf({ nodes, edges }), before);
        for (const [id, place] of places) expect(distance(place, before.places.get(id)!)).toBeLessThan(1e-6);
        expect(bounds).toBe(before.bounds);
      }),
      { numRuns: 12 },
    );
  });

  it("moves others no further than a new host needs, and places it in its subnet", () => {
    const nodes = [subnet("lan"), subnet("dmz"), ...["a", "b", "c", "d"].map((id) => host(id))];
    const edges = ["a", "b", "c"].map((id) => inSubnet(id, "lan")).concat(inSubnet("d", "dmz"));
    const before = layoutOf(modelOf({ nodes, edges }));
    const more = { nodes: [...nodes, host("e")], edges: [...edges, inSubnet("e", "lan")] };
    const { places } = layoutOf(modelOf(more), before);
    const movedBy = (id: string): number => distance(places.get(id)!, before.places.get(id)!);
    expect(Math.max(...["lan", "a", "b", "c"].map(movedBy))).toBeLessThan(1e-6);
    expect(Math.max(...["dmz", "d"].map(movedBy))).toBeLessThan(60);
    expect(distance(places.get("e")!, places.get("lan")!)).toBeLessThan(80);
  });

  it("is deterministic", () => {
    fc.assert(
      fc.property(aTopology, (topology) => {
        expect(layoutOf(modelOf(structuredClone(topology)))).toEqual(layoutOf(modelOf(topology)));
      }),
      { numRuns: 5 },
    );
  });

  it("frames networks only when there are several", () => {
    const framed = (...nodes: TopologyNode[]): number =>
      layoutOf(modelOf({ nodes, edges: [] })).discs.filter(({ kind }) => kind === "network").length;
    expect(framed(subnet("a"), subnet("b"))).toBe(0);
    expect(framed(subnet("a"), subnet("b", { network_id: "other" }))).toBe(2);
  });
});

describe("the visible nodes", () => {
  const model = modelOf({
    nodes: [
      subnet("lan"),
      subnet("dmz", { tags: ["outside"] }),
      host("nas", { tags: ["home"], hostname: "NAS.example" }),
      host("web"),
      host("ghost", { hidden: true }),
      service("files", "nas", { category: "Storage" }),
      service("shop", "web", { tags: ["home"] }),
      service("proxy", "web"),
    ],
    edges: [
      inSubnet("nas", "lan", "10.0.0.7"),
      inSubnet("web", "dmz"),
      inSubnet("web", "lan"),
      inSubnet("ghost", "lan"),
    ],
  });
  const shown = (filters: object): string[] => [...shownIn(model, { ...NO_FILTERS, ...filters })].sort();

  it.each<[string, object, string[]]>([
    ["no filter: all but hidden hosts", {}, ["dmz", "files", "lan", "nas", "proxy", "shop", "web"]],
    ["hidden hosts too", { withHidden: true }, ["dmz", "files", "ghost", "lan", "nas", "proxy", "shop", "web"]],
    [
      "a tag: whole hosts, and services with their hosts",
      { tags: ["home"] },
      ["dmz", "files", "lan", "nas", "shop", "web"],
    ],
    ["a tag of a subnet", { tags: ["outside"] }, ["dmz"]],
    ["a category", { categories: ["Storage"] }, ["files", "lan", "nas"]],
    ["a subnet: the hosts in it", { subnets: ["dmz"] }, ["dmz", "proxy", "shop", "web"]],
    ["several filters", { subnets: ["lan"], tags: ["home"], categories: ["ReverseProxy"] }, ["lan", "shop", "web"]],
    ["nothing that matches", { categories: ["DNS"] }, []],
  ])("with %s", (_what, filters, expected) => {
    expect(shown(filters)).toEqual(expected);
  });

  it.each([
    ["NA", ["nas"]],
    ["nas.EX", ["nas"]],
    ["0.7", ["nas"]],
    ["nginx", ["files", "proxy", "shop"]],
    ["10.0.0.0/", ["dmz", "lan"]],
    [" shop ", ["shop"]],
    ["nowhere", []],
  ])("for the search %j are those that the lists of the API return", (part, expected) => {
    expect(findIn(model, part).map(({ id }) => id)).toEqual(expected);
  });
});

describe("a search for an address and port", () => {
  const at = (source: string, interface_id: string, ip_address: string): TopologyEdge =>
    ({ ...inSubnet(source, "lan", ip_address), interface_id }) as TopologyEdge;
  const on = (source: string, target: string, port: number, more: object = {}): TopologyEdge =>
    ({
      ...onHost(source, target),
      bindings: [{ type: "Port", id: source, port_id: source, port, protocol: "Tcp", interface_id: null, ...more }],
    }) as TopologyEdge;
  const model = modelOf({
    nodes: [
      subnet("lan"),
      host("nas"),
      host("web"),
      service("dns", "nas"),
      service("files", "nas"),
      service("shop", "web"),
    ],
    edges: [
      at("nas", "four", "10.0.0.7"),
      at("nas", "six", "fd00::7"),
      at("web", "other", "10.0.0.8"),
      on("dns", "nas", 53, { protocol: "Udp", interface_id: "six" }),
      on("files", "nas", 443),
      on("shop", "web", 443, { interface_id: "other" }),
    ],
  });

  it.each([
    [":443", ["nas", "web", "files", "shop"]],
    ["10.0.0.7:443", ["nas", "files"]],
    ["[FD00:0::7]:443", ["nas", "files"]],
    ["10.0.0.8:443", ["web", "shop"]],
    ["53/udp", ["nas", "dns"]],
    ["10.0.0.7:53", []],
    ["443/udp", []],
  ])("finds with %s the services bound there and their host", (part, expected) => {
    expect(findIn(model, part).map(({ id }) => id)).toEqual(expected);
  });
});

describe("the cards", () => {
  const at = (source: string, target: string, ip_address: string): TopologyEdge =>
    ({ ...inSubnet(source, target, ip_address), interface_id: ip_address }) as TopologyEdge;
  const on = (source: string, target: string, port: number, interface_id: string | null): TopologyEdge =>
    ({
      ...onHost(source, target),
      bindings: [{ type: "Port", id: source, port_id: source, port, protocol: "Tcp", interface_id }],
    }) as TopologyEdge;
  const model = modelOf({
    nodes: [
      subnet("lan", { cidr: "10.0.10.0/24" }),
      subnet("dmz", { cidr: "10.0.2.0/24" }),
      subnet("empty", { cidr: "10.0.3.0/24" }),
      ...["gate", "nas", "lost"].map((id) => host(id)),
      ...["ssh", "web", "admin", "unbound"].map((id) => service(id, "gate")),
      service("files", "nas"),
      service("lone", "lost"),
    ],
    edges: [
      at("gate", "lan", "10.0.10.20"),
      at("gate", "dmz", "10.0.2.1"),
      at("nas", "lan", "10.0.10.3"),
      on("ssh", "gate", 22, null),
      on("web", "gate", 443, "10.0.2.1"),
      on("admin", "gate", 8443, "10.0.10.20"),
      on("files", "nas", 445, "10.0.10.3"),
      onHost("unbound", "gate"),
      onHost("lone", "lost"),
    ],
  });
  const sorted = (found: string[] | null): unknown =>
    cardsOf(model, shownIn(model, NO_FILTERS), found && new Set(found)).map(({ id, hosts }) => [
      id,
      ...hosts.map(({ node, addresses, services }) => [
        node.id,
        ...addresses,
        ...services.map((one) => `${one.node.id}${one.sockets.map(({ text }) => text).join()}`),
      ]),
    ]);

  it("are subnets by block, hosts by address, and services by socket; those without an address come last", () => {
    expect(sorted(null)).toEqual([
      ["dmz", ["gate", "10.0.2.1", "ssh:22", "web:443"]],
      ["empty"],
      ["lan", ["nas", "10.0.10.3", "files:445"], ["gate", "10.0.10.20", "ssh:22", "admin:8443", "unbound"]],
      ["none:network", ["lost", "lone"]],
    ]);
  });

  it("link to where the service is reachable in the subnet", () => {
    const [dmz] = cardsOf(model, shownIn(model, NO_FILTERS), null);
    expect(dmz?.hosts[0]?.services[1]?.sockets[0]?.href).toBe("https://10.0.2.1/");
  });

  it("contain only search results: whole subnets and hosts, or matching services under their host", () => {
    expect(sorted(["web"])).toEqual([["dmz", ["gate", "10.0.2.1", "web:443"]]]);
    expect(sorted(["nas", "ssh"])).toEqual([
      ["dmz", ["gate", "10.0.2.1", "ssh:22"]],
      ["lan", ["nas", "10.0.10.3", "files:445"], ["gate", "10.0.10.20", "ssh:22"]],
    ]);
    expect(sorted(["empty"])).toEqual([["empty"]]);
  });
});

describe("the SVG of the picture", () => {
  it("is well-formed and contains every visible name, whatever characters it has", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("<&\">'", "]]>", "-->", "&amp;")), (name) => {
        const model = modelOf({
          nodes: [subnet("a", { label: name }), host("b", { label: name })],
          edges: [inSubnet("b", "a")],
        });
        const scene = sceneOf({
          model,
          layout: layoutOf(model),
          shown: new Set(["a", "b"]),
          colouring: { scheme: "light", marks: null },
          title: name,
        });
        const texts: string[] = [];
        const parser = new SaxesParser();
        parser.on("error", (error) => {
          throw error;
        });
        parser.on("text", (text) => texts.push(text));
        parser.write(svgOf(scene)).close();
        const isSpeakable = (one: string): boolean =>
          (one >= " " || "\t\n\r".includes(one)) && !"\u{fffe}\u{ffff}".includes(one);
        const kept = Array.from(name, (one) => (isSpeakable(one) ? one : "\u{fffd}")).join("");
        if (!name.includes("\r")) expect(name === "" || texts.includes(kept)).toBe(true);
      }),
    );
  });
});
