import type { Category, TopologyNode } from "@nts/shared/contract";
import { composed, folded } from "@nts/shared/contract/folding.rules";
import { canonicalAddress, type Socket, socketIn } from "@nts/shared/contract/sockets.rules";
import { addressesOf, boundTo, hostIdOf, type HostParts, type Model, vlanOf } from "./model.js";

// Filters and search in the graph.

export interface Filters {
  /** Ids of managed tags, or free labels. Hosts are shown with all services, services with their host. */
  readonly tags: readonly string[];
  readonly categories: readonly Category[];
  readonly subnets: readonly string[];
  /** Ids: of hosts in their subnets, or with links that carry them. */
  readonly vlans: readonly string[];
  /** Hosts marked as hidden. */
  readonly withHidden: boolean;
}

export const NO_FILTERS: Filters = { tags: [], categories: [], subnets: [], vlans: [], withHidden: false };

export function isFiltering(filters: Filters): boolean {
  return countOf(filters) > 0;
}

/** The number of chosen values. */
export function countOf({ tags, categories, subnets, vlans }: Filters): number {
  return tags.length + categories.length + subnets.length + vlans.length;
}

/** Subnets in some VLANs, and hosts with links that carry one of them. */
function inVlansOf({ subnets, links }: Model, vlans: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  if (vlans.length === 0) return found;
  for (const { id, vlan } of subnets) if (vlan !== null && vlans.includes(vlan.id)) found.add(id);
  for (const { vlan_ids, source, target } of links)
    if (vlan_ids.some((id) => vlans.includes(id))) found.add(source).add(target);
  return found;
}

/** Ids of visible nodes: hosts matching all filters, their matching services, and their subnets. */
export function shownIn(model: Model, filters: Filters): ReadonlySet<string> {
  const { tags, categories, subnets, vlans, withHidden } = filters;
  const inVlans = inVlansOf(model, vlans);
  const selected = new Set(tags.map(composed));
  const isTagged = (node: TopologyNode): boolean => node.tags.some((tag) => selected.has(composed(tag)));
  const shown = new Set<string>();
  for (const { node, services, interfaces } of model.hosts.values()) {
    if (node.hidden && !withHidden) continue;
    if (subnets.length > 0 && !interfaces.some(({ target }) => subnets.includes(target))) continue;
    if (vlans.length > 0 && !inVlans.has(node.id) && !interfaces.some(({ target }) => inVlans.has(target))) continue;
    const all = tags.length === 0 || isTagged(node);
    const kept = services.filter(
      (service) => (all || isTagged(service)) && (categories.length === 0 || categories.includes(service.category)),
    );
    if (kept.length === 0 && (!all || categories.length > 0)) continue;
    shown.add(node.id);
    for (const { id } of kept) shown.add(id);
    for (const { target } of interfaces)
      if ((subnets.length === 0 || subnets.includes(target)) && (vlans.length === 0 || inVlans.has(target)))
        shown.add(target);
  }
  for (const subnet of model.subnets)
    if (
      subnets.includes(subnet.id) ||
      !isFiltering(filters) ||
      inVlans.has(subnet.id) ||
      (tags.length > 0 && isTagged(subnet))
    )
      shown.add(subnet.id);
  return shown;
}

/** Nodes that contain a text, matched like `q` of lists, in order; subnets by name and CIDR. */
export function findIn(model: Model, part: string): readonly TopologyNode[] {
  const requested = folded(part.trim());
  if (requested === "") return model.ordered;
  const socket = socketIn(requested);
  if (socket !== null) return atSocket(model, socket);
  return model.ordered.filter((node) =>
    textsOf(node, model.hosts.get(hostIdOf(node) ?? "")).some((text) => folded(text).includes(requested)),
  );
}

/** Services bound to a port, and their hosts. */
function atSocket(model: Model, { address, port, protocol }: Socket): readonly TopologyNode[] {
  const canonical = address === null ? null : canonicalAddress(address);
  const found = new Set<string>();
  for (const host of model.hosts.values()) {
    const isThere = canonical === null || addressesOf(host).includes(canonical);
    const services = isThere
      ? host.services.filter(({ id }) =>
          boundTo(model, id).some(
            (bound) =>
              bound.port === port &&
              (protocol === null || bound.protocol === protocol) &&
              (canonical === null || bound.address === null || bound.address === canonical),
          ),
        )
      : [];
    if (services.length > 0) found.add(host.node.id);
    for (const { id } of services) found.add(id);
  }
  return model.ordered.filter(({ id }) => found.has(id));
}

function textsOf(node: TopologyNode, host: HostParts | undefined): string[] {
  switch (node.kind) {
    case "subnet":
      return [node.label, node.cidr, vlanOf(node)];
    case "host":
      return [node.label, node.hostname ?? "", ...addressesOf(host)];
    case "service":
      return [node.label, node.service_definition];
  }
}
