import type { Topology, TopologyEdge, TopologyNode, View } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import type { HiddenPart } from "@nts/shared/contract/shares";
import { redacted } from "./redacted.rules.js";

// What a share may show of a map. Everything else is left out here, so that no client has it.

/** What determines it. */
export interface Shown {
  readonly view: Pick<View, "layer" | "filters" | "collapsed" | "positions">;
  readonly networkId: string;
  readonly hide: readonly HiddenPart[];
}

type Node<Kind extends TopologyNode["kind"]> = Extract<TopologyNode, { readonly kind: Kind }>;

export function sharedMap({ nodes, edges }: Topology, shown: Shown): Topology {
  const ids = shownIn({ nodes, edges }, shown);
  return {
    nodes: nodes.filter(({ id }) => ids.has(id)).map((node) => sharedNode(node, shown)),
    edges: edges
      .filter(({ source, target }) => ids.has(source) && ids.has(target))
      .map((edge) => sharedEdge(edge, shown)),
  };
}

/** Ids of the nodes that pass the filters of the view, as on the map: hosts that match all of them, what runs there, and their subnets. */
function shownIn({ nodes, edges }: Topology, { view: { filters } }: Shown): Set<string> {
  const { categories, with_hidden: withHidden } = filters;
  const tags = new Set(filters.tags.map(composed));
  const subnets = new Set(filters.subnets);
  const vlans = new Set(filters.vlans);
  const isTagged = (node: TopologyNode): boolean => node.tags.some((tag) => tags.has(composed(tag)));
  const services = new Map<string, Node<"service">[]>();
  const places = new Map<string, string[]>();
  for (const node of nodes)
    if (node.kind === "service") services.set(node.host_id, [...(services.get(node.host_id) ?? []), node]);
  for (const edge of edges)
    if (edge.kind === "in_subnet") places.set(edge.source, [...(places.get(edge.source) ?? []), edge.target]);

  /** Subnets in the VLANs of the filter, and hosts with links that carry one. */
  const inVlans = new Set<string>();
  for (const node of nodes) if (node.kind === "subnet" && vlans.has(node.vlan?.id ?? "")) inVlans.add(node.id);
  for (const edge of edges)
    if (edge.kind === "link" && edge.vlan_ids.some((id) => vlans.has(id))) inVlans.add(edge.source).add(edge.target);
  const shown = new Set<string>();
  for (const host of nodes) {
    if (host.kind !== "host" || (host.hidden && !withHidden)) continue;
    const homes = places.get(host.id) ?? [];
    if (subnets.size > 0 && !homes.some((id) => subnets.has(id))) continue;
    if (vlans.size > 0 && !inVlans.has(host.id) && !homes.some((id) => inVlans.has(id))) continue;
    const isWhole = tags.size === 0 || isTagged(host);
    const kept = (services.get(host.id) ?? []).filter(
      (service) => (isWhole || isTagged(service)) && (categories.length === 0 || categories.includes(service.category)),
    );
    if (kept.length === 0 && (!isWhole || categories.length > 0)) continue;
    for (const { id } of [host, ...kept]) shown.add(id);
    for (const id of homes)
      if ((subnets.size === 0 || subnets.has(id)) && (vlans.size === 0 || inVlans.has(id))) shown.add(id);
  }
  const isFiltering = tags.size + subnets.size + vlans.size + categories.length > 0;
  for (const node of nodes)
    if (
      node.kind === "subnet" &&
      (subnets.has(node.id) || !isFiltering || inVlans.has(node.id) || (tags.size > 0 && isTagged(node)))
    )
      shown.add(node.id);
  return shown;
}

function sharedNode(node: TopologyNode, shown: Shown): TopologyNode {
  const clean = (text: string): string => redacted(text, shown.hide);
  const cleanOrNull = (text: string | null): string | null => (text === null ? null : clean(text));
  const common = { label: clean(node.label), tags: sharedTags(node, shown) };
  switch (node.kind) {
    case "subnet":
      return {
        ...node,
        ...common,
        cidr: shown.hide.includes("addresses") ? "" : node.cidr,
        subnet_type: cleanOrNull(node.subnet_type),
        vlan: node.vlan === null ? null : { ...node.vlan, name: clean(node.vlan.name) },
      };
    case "host":
      return {
        ...node,
        ...common,
        hostname: cleanOrNull(node.hostname),
        hidden: false,
        virtualization_type: cleanOrNull(node.virtualization_type),
      };
    case "service":
      return {
        ...node,
        ...common,
        service_definition: clean(node.service_definition),
        virtualization_type: cleanOrNull(node.virtualization_type),
      };
  }
}

/** Only what the picture is arranged by. */
function sharedTags({ kind, tags }: TopologyNode, { view: { layer, filters }, hide }: Shown): string[] {
  if (layer !== "tags" || kind !== "host") return [];
  const asked = new Set(filters.tags.map(composed));
  const shown = asked.size === 0 ? tags : tags.filter((tag) => asked.has(composed(tag)));
  return [...new Set(shown.map((tag) => redacted(tag, hide)))];
}

function sharedEdge(edge: TopologyEdge, { hide }: Shown): TopologyEdge {
  switch (edge.kind) {
    case "in_subnet":
      return {
        ...edge,
        name: edge.name === null ? null : redacted(edge.name, hide),
        ip_address: hide.includes("addresses") ? "" : edge.ip_address,
        mac_address: hide.includes("macs") ? null : edge.mac_address,
      };
    case "virtualized_by":
      return { ...edge, type: redacted(edge.type, hide) };
    case "on_host":
      return edge;
    case "link":
      return {
        ...edge,
        source_port: edge.source_port === null ? null : redacted(edge.source_port, hide),
        target_port: edge.target_port === null ? null : redacted(edge.target_port, hide),
      };
  }
}

const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What the view says of boxes and tiles that are shown: it may also name others, and those of other networks. */
export function sharedPlaces(
  { view: { collapsed, positions }, networkId, hide }: Shown,
  { nodes }: Topology,
): Pick<View, "collapsed" | "positions"> {
  const known = new Set([networkId, ...nodes.flatMap(({ id, tags }) => [id, ...tags])]);
  const isShown = (place: string): boolean => {
    const ids = place.match(IDS) ?? [];
    const rest = place.replaceAll(IDS, "");
    return ids.length > 0 && ids.every((id) => known.has(id)) && redacted(rest, hide) === rest;
  };
  return {
    collapsed: collapsed.filter(isShown),
    positions: Object.fromEntries(Object.entries(positions).filter(([place]) => isShown(place))),
  };
}
