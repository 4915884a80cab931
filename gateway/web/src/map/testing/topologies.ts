import type { Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import fc from "fast-check";
import { host, inSubnet, link, NETWORK, service, subnet } from "./nodes.js";

// Random topologies, for tests.

interface Shape {
  readonly subnets: number;
  readonly hosts: readonly {
    readonly home: number | null;
    readonly others: readonly number[];
    readonly services: number;
    readonly runner: number | null;
    /** What it is linked to: the first is what it hangs on, unless that would be itself. */
    readonly linked: readonly number[];
  }[];
}

/** Hosts with services in subnets of one or two networks: some in none, some in several, some on others. */
export const aTopology: fc.Arbitrary<Topology> = fc
  .record({
    subnets: fc.integer({ min: 0, max: 9 }),
    hosts: fc.array(
      fc.record({
        home: fc.option(fc.nat(8)),
        others: fc.oneof(
          { weight: 2, arbitrary: fc.constant([]) },
          fc.array(fc.nat(8), { minLength: 1, maxLength: 8 }),
        ),
        services: fc.oneof(fc.nat(6), fc.constant(25)),
        runner: fc.option(fc.nat(40), { freq: 3 }),
        linked: fc.oneof({ weight: 3, arbitrary: fc.array(fc.nat(4), { maxLength: 2 }) }, fc.array(fc.nat(40))),
      }),
      { maxLength: 40, size: "max" },
    ),
  })
  .map(topologyOf);

function topologyOf({ subnets, hosts }: Shape): Topology {
  const networkOf = (n: number): string => (n % 3 === 2 ? "other" : NETWORK);
  const nodes: TopologyNode[] = Array.from({ length: subnets }, (_, n) =>
    subnet(`subnet ${n}`, { network_id: networkOf(n), cidr: `10.${n}.0.0/24` }),
  );
  const edges: TopologyEdge[] = [];
  for (const [n, one] of hosts.entries()) {
    const id = `host ${n}`;
    const asked = subnets === 0 || one.home === null ? [] : [one.home, ...one.others].map((home) => home % subnets);
    const network = networkOf(asked[0] ?? n);
    const homes = [...new Set(asked)].filter((home) => networkOf(home) === network);
    nodes.push(host(id, { network_id: network, tags: n % 4 === 0 ? ["prod"] : [] }));
    for (const home of homes) edges.push(addressIn(id, home, n));
    for (let m = 0; m < one.services; m++) nodes.push(service(`service ${n}.${m}`, id, { network_id: network }));
    if (one.runner !== null && one.runner < hosts.length && one.runner !== n)
      edges.push({
        id: `runs ${n}`,
        kind: "virtualized_by",
        source: id,
        target: `host ${one.runner}`,
        type: "ProxmoxVM",
      });
  }
  edges.push(...linksOf(hosts, nodes));
  return { nodes, edges };
}

const KINDS = ["Ethernet", "Ethernet", "Wireless", "Tunnel"] as const;

/** Trees of a few switches with much on them and further links, and, as states of several times do, also circles. */
function linksOf(hosts: Shape["hosts"], nodes: readonly TopologyNode[]): TopologyEdge[] {
  const networks = new Map(nodes.map(({ id, network_id }) => [id, network_id]));
  return hosts.flatMap(({ linked }, n) =>
    linked.flatMap((asked, m): TopologyEdge[] => {
      const source = `host ${n}`;
      const target = `host ${asked % hosts.length}`;
      if (source === target || networks.get(source) !== networks.get(target)) return [];
      const vids = n % 3 === 0 ? [10, 20, 30, 40] : [n];
      const ports = { source_port: n % 5 === 0 ? null : `eth${m}`, target_port: `GigabitEthernet1/0/${n}.${m}` };
      const more = { link_kind: KINDS[(n + m) % KINDS.length], vids, is_tree: m === 0, speed_mbps: 10 ** (n % 6) };
      return [link(source, target, { id: `link:${n}.${m}`, ...ports, ...more })];
    }),
  );
}

/** A host in a subnet of these topologies, at an address of its own. */
export function addressIn(hostId: string, subnetNumber: number, n: number): TopologyEdge {
  const ip_address = `10.${subnetNumber}.0.${n + 1}`;
  const id = `${hostId}-${ip_address}`;
  return inSubnet(hostId, `subnet ${subnetNumber}`, { id, interface_id: id, ip_address });
}
