import { describe, expect, it } from "@jest/globals";
import type { Topology, TopologyEdge, TopologyNode } from "@nts/shared/contract";
import { type Box, createRoom, roomForHost, labelsForHost, write } from "./labels.js";
import { layoutOf, type Place } from "./layout.js";
import { modelOf } from "./model.js";
import { ZOOM } from "./names.js";

const SUBNETS = 25;
const HOSTS = 39;
const SERVICES = 4;
/** The width of a telephone, without the margins. */
const WINDOW_PX = 390 - 32;
/** About the width of capitals of that size. */
const measureAt =
  (size: number) =>
  (text: string): number =>
    0.7 * size * text.length;

/** The maximum number of nodes, with names that do not fit on a line. */
function aLargeTopology(): Topology {
  const nodes: TopologyNode[] = [];
  const edges: TopologyEdge[] = [];
  const common = { network_id: "network", tags: [], virtualization_type: null };
  for (let s = 0; s < SUBNETS; s++) {
    const subnet = `s${s}`;
    nodes.push({ ...common, id: subnet, kind: "subnet", label: subnet, cidr: "10.0.0.0/24", subnet_type: null });
    for (let h = 0; h < HOSTS; h++) {
      const host = `${subnet}h${h}`;
      nodes.push({
        ...common,
        id: host,
        kind: "host",
        label: `CUSTOMER-DATABASE-${s} REPLICA ${h}`,
        hostname: null,
        hidden: false,
      });
      edges.push({
        id: `in-${host}`,
        kind: "in_subnet",
        source: host,
        target: subnet,
        interface_id: "i",
        name: null,
        ip_address: "10.0.0.1",
        mac_address: null,
      });
      for (let n = 0; n < SERVICES; n++) {
        nodes.push({
          ...common,
          id: `${host}n${n}`,
          kind: "service",
          label: "nginx",
          host_id: host,
          service_definition: "nginx",
          category: "ReverseProxy",
        });
        edges.push({ id: `on-${host}n${n}`, kind: "on_host", source: `${host}n${n}`, target: host, bindings: [] });
      }
    }
  }
  return { nodes, edges };
}

describe("the labels of 5,000 nodes", () => {
  it("are complete and do not overlap at the closest zoom, also on a telephone: every host has one", () => {
    const topology = aLargeTopology();
    const { places, bounds } = layoutOf(modelOf(topology));
    const unit = WINDOW_PX / ZOOM.nearest / Math.max(bounds.right - bounds.left, bounds.top - bounds.bottom);
    const boxOf = ({ x, y, r }: Place): Box => ({
      left: (x - r) * unit,
      top: (-y - r) * unit,
      right: (x + r) * unit,
      bottom: (-y + r) * unit,
    });
    const rooms = {
      names: createRoom(),
      dots: createRoom(),
      window: { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 },
    };
    const placeOf = (id: string): Place => places.get(id) as Place;
    for (const { id, kind } of topology.nodes) if (kind !== "service") rooms.names.take(boxOf(placeOf(id)));
    const unnamed = topology.nodes.filter(({ id, kind, label }) => {
      if (kind !== "host") return false;
      const { x, y, r, room = r } = placeOf(id);
      const seen = { x: x * unit, y: -y * unit, r: r * unit };
      const { size, width } = roomForHost(seen.r, room / r);
      const way = write(labelsForHost(seen, label, { size, width, measure: measureAt(size) }), rooms);
      return way?.lines.join(" ") !== label;
    });
    expect(unnamed.map(({ label }) => label)).toEqual([]);
  });
});
