import { wayUp } from "./tree.js";
import { hostIdOf, type Model, subnetsOf } from "./model.js";

/** Ids of a node and of what it has to do with: these stay full when it is selected. */
export function neighboursOf(model: Model, id: string): Set<string> {
  const { nodes, hosts, virtualized, links } = model;
  const near = new Set([id]);
  const node = nodes.get(id);
  if (node === undefined) return near;
  if (node.kind === "subnet") {
    for (const host of hosts.values())
      if (host.interfaces.some(({ target }) => target === id)) addHost(near, host.node.id, host.services);
    return near;
  }
  const hostId = hostIdOf(node) ?? id;
  const host = hosts.get(hostId);
  if (host === undefined) return near;
  addHost(near, hostId, host.services);
  const own = new Set(near);
  // the subnets of a router, not every host in them
  for (const subnetId of subnetsOf(host)) near.add(subnetId);
  for (const { source, target } of virtualized) {
    if (own.has(source)) addWithHost(near, target, nodes);
    if (own.has(target)) addWithHost(near, source, nodes);
  }
  if (links.length > 0) {
    for (const { source, target } of links) {
      if (source === hostId) near.add(target);
      if (target === hostId) near.add(source);
    }
    for (const hostAbove of wayUp(model, hostId)) near.add(hostAbove);
  }
  return near;
}

function addHost(near: Set<string>, id: string, services: readonly { readonly id: string }[]): void {
  near.add(id);
  for (const service of services) near.add(service.id);
}

function addWithHost(near: Set<string>, id: string, nodes: Model["nodes"]): void {
  near.add(id);
  const node = nodes.get(id);
  const hostId = node === undefined ? null : hostIdOf(node);
  if (hostId !== null) near.add(hostId);
}
