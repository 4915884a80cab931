import { describe, expect, it } from "@jest/globals";
import { TopologyEdge, TopologyNode, type Binding, type HostRecord, type Service } from "@nts/shared/contract";
import fc from "fast-check";
import { aHost, anInterface, aPort, aService, aSubnet } from "../kinds/testing/entities.js";
import { hostNode, inSubnetEdge, onHostEdge, serviceNode, subnetNode, virtualizedByEdges } from "./map.rules.js";
import { runnersOf } from "../values/runners.rules.js";

const at = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
const idOf = (kind: number, n: number): string => `01938c4a-7d5e-7b21-${kind}000-${String(n).padStart(12, "0")}`;
const NETWORK = idOf(0, 0);
const SUBNET = 1;
const HOST = 2;
const INTERFACE = 3;
const PORT = 4;
const SERVICE = 5;
const common = { ...at, network_id: NETWORK, source: { type: "Manual" }, tags: ["a"] };

const subnet = (n: number) => aSubnet({ ...common, id: idOf(SUBNET, n), cidr: `10.${n}.0.0/16` });
const host = (n: number, virtualization: HostRecord["virtualization"] = null) =>
  aHost({ ...common, id: idOf(HOST, n), name: `host ${n}`, virtualization });
const port = (n: number) =>
  aPort({ ...at, id: idOf(PORT, n), network_id: NETWORK, host_id: idOf(HOST, 0), number: 80 + n });
const service = (n: number, more: Partial<Service> = {}) =>
  aService({ ...common, id: idOf(SERVICE, n), host_id: idOf(HOST, 0), name: `service ${n}`, position: n, ...more });
const portBinding = (n: number, portNumber: number, interface_id: string | null = null): Binding => ({
  ...at,
  id: idOf(6, n),
  network_id: NETWORK,
  service_id: idOf(SERVICE, 0),
  type: "Port",
  port_id: idOf(PORT, portNumber),
  interface_id,
});

describe("the map", () => {
  it("shows a service on its host with the targets of its bindings", () => {
    const { id, network_id, ...rest } = portBinding(1, 1);
    const onInterface: Binding = {
      ...at,
      id: idOf(6, 2),
      network_id,
      service_id: rest.service_id,
      type: "Interface",
      interface_id: idOf(INTERFACE, 7),
    };
    const edge = onHostEdge(
      service(0, { bindings: [{ ...rest, id, network_id }, onInterface] }),
      new Map([[idOf(PORT, 1), port(1)]]),
    );
    expect(edge).toEqual({
      id: `on_host:${idOf(SERVICE, 0)}`,
      kind: "on_host",
      source: idOf(SERVICE, 0),
      target: idOf(HOST, 0),
      bindings: [
        { type: "Port", id, port_id: idOf(PORT, 1), port: 81, protocol: "Tcp", interface_id: null },
        { type: "Interface", id: idOf(6, 2), interface_id: idOf(INTERFACE, 7) },
      ],
    });
  });

  it("places virtualized nodes under the service that their details name, otherwise under the host", () => {
    const details = { service_id: idOf(SERVICE, 1).toUpperCase(), host_id: idOf(HOST, 1) };
    const guest = host(0, { type: "Proxmox", details });
    const by = (target: string) => [
      { id: `virtualized_by:${guest.id}`, kind: "virtualized_by", source: guest.id, target, type: "Proxmox" },
    ];
    expect(virtualizedByEdges(guest, () => true)).toEqual(by(idOf(SERVICE, 1)));
    expect(virtualizedByEdges(guest, ({ kind }) => kind === "host")).toEqual(by(idOf(HOST, 1)));
    expect(virtualizedByEdges(guest, () => false)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["nothing", {}],
    ["something other than text", { host_id: 7, service_id: ["x"] }],
    ["something other than an id", { host_id: "pve1", service_id: "" }],
    ["the host itself", { host_id: idOf(HOST, 0) }],
  ])("finds no parent for a host whose details name %s", (_what, details) => {
    expect(runnersOf(host(0, { type: "VM", details }))).toEqual([]);
  });
});

describe("the map of any inventory", () => {
  it("satisfies the contract, with unique ids and edges between existing nodes, whatever it is built from", () => {
    const few = fc.integer({ min: 1, max: 4 });
    const named = fc.record(
      { service_id: fc.oneof(fc.nat(5), fc.string()), host_id: fc.oneof(fc.nat(5), fc.string()) },
      { requiredKeys: [] },
    );
    const virtualization = fc.option(
      named.map((by) => ({
        type: "VM",
        details: {
          ...(by.service_id !== undefined && {
            service_id: typeof by.service_id === "number" ? idOf(SERVICE, by.service_id) : by.service_id,
          }),
          ...(by.host_id !== undefined && {
            host_id: typeof by.host_id === "number" ? idOf(HOST, by.host_id) : by.host_id,
          }),
        },
      })),
    );
    const world = fc.record({
      subnets: few,
      hosts: fc.array(virtualization, { minLength: 1, maxLength: 4 }),
      interfaces: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 6 }),
      services: fc.array(fc.record({ on: fc.nat(), ports: fc.array(fc.nat(8), { maxLength: 3 }), virtualization }), {
        maxLength: 5,
      }),
    });
    fc.assert(
      fc.property(world, (made) => {
        const subnets = Array.from({ length: made.subnets }, (_, n) => subnet(n));
        const hosts = made.hosts.map((by, n) => host(n, by));
        const interfaces = made.interfaces.map(([on, within], n) =>
          anInterface({
            ...{ ...at, id: idOf(INTERFACE, n), network_id: NETWORK, position: n },
            host_id: idOf(HOST, on % hosts.length),
            subnet_id: idOf(SUBNET, within % subnets.length),
          }),
        );
        const services = made.services.map(({ on, ports, virtualization: by }, n) =>
          service(n, {
            host_id: idOf(HOST, on % hosts.length),
            bindings: ports.map((one, m) => portBinding(m, one)),
            virtualization: by,
          }),
        );
        const ports = new Map([0, 1, 2, 3, 4].map((n) => [idOf(PORT, n), port(n)]));

        const nodes = [
          ...subnets.map((one) => subnetNode(one, new Map())),
          ...hosts.map((one) => hostNode(one, null)),
          ...services.map((one) => serviceNode(one, "DNS", null)),
        ];
        const ids = new Set(nodes.map(({ id }) => id));
        const edges = [
          ...interfaces.map(inSubnetEdge),
          ...services.map((one) => onHostEdge(one, ports)),
          ...[...hosts, ...services].flatMap((one) => virtualizedByEdges(one, ({ id }) => ids.has(id))),
        ];

        for (const node of nodes) expect(TopologyNode.parse(node)).toEqual(node);
        for (const edge of edges) expect(TopologyEdge.parse(edge)).toEqual(edge);
        expect(new Set([...ids, ...edges.map(({ id }) => id)]).size).toBe(nodes.length + edges.length);
        for (const { source, target } of edges) {
          expect([ids.has(source), ids.has(target)]).toEqual([true, true]);
          expect(source).not.toBe(target);
        }
      }),
    );
  });
});
