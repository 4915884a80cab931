import type { TopologyNode } from "@nts/shared/contract";
import { type Bound, type ServiceSocket, socketsOf } from "../sockets/sockets.js";
import {
  addressesOf,
  boundTo,
  compareNames,
  homeOf,
  type HostNode,
  type HostParts,
  type Model,
  type ServiceNode,
  type SubnetNode,
} from "./model.js";

// The cards of the topology: subnets, their hosts, and the services that listen there.

export interface Card {
  /** Of the subnet; for hosts without an address, that of the network with a prefix. */
  readonly id: string;
  readonly networkId: string;
  readonly subnet: SubnetNode | null;
  /** By address. */
  readonly hosts: readonly CardHost[];
}

export interface CardHost {
  readonly node: HostNode;
  /** Addresses in this subnet. */
  readonly addresses: readonly string[];
  readonly services: readonly CardService[];
}

export interface CardService {
  readonly node: ServiceNode;
  /** Sockets in this subnet; only ports if the address is that of the host. */
  readonly sockets: readonly Pick<ServiceSocket, "id" | "text" | "href">[];
}

/**
 * The cards to show; without a search, including empty subnets.
 *
 * @param found search results: hosts are shown with all services if they or their subnet match, otherwise with matching
 * ones; null without a search
 */
export function cardsOf(model: Model, shown: ReadonlySet<string>, found: ReadonlySet<string> | null): Card[] {
  const inSubnet = byPlace([...model.hosts.values()].filter(({ node }) => shown.has(node.id)));
  const subnets = model.subnets.filter(({ id }) => shown.has(id)).sort((a, b) => compareNames(a.cidr, b.cidr));
  const card = (id: string, networkId: string, subnet: SubnetNode | null): Card => {
    const hosts = (inSubnet.get(id) ?? []).map((host) => cardHost(model, host, { subnet, shown }));
    return { id, networkId, subnet, hosts: hosts.sort(byAddress) };
  };
  const cards = subnets.map((subnet) => card(subnet.id, subnet.network_id, subnet));
  for (const [id, [host]] of inSubnet)
    if (host !== undefined && homeOf(host) === null) cards.push(card(id, host.node.network_id, null));
  return found === null ? cards : cards.flatMap((one) => foundOn(one, found));
}

/** Hosts by card id. */
function byPlace(hosts: readonly HostParts[]): Map<string, HostParts[]> {
  const places = new Map<string, HostParts[]>();
  for (const host of hosts) {
    const targets = host.interfaces.map(({ target }) => target);
    for (const id of new Set(targets.length === 0 ? [`none:${host.node.network_id}`] : targets)) {
      const there = places.get(id);
      if (there === undefined) places.set(id, [host]);
      else there.push(host);
    }
  }
  return places;
}

function byAddress(a: CardHost, b: CardHost): number {
  return compareNames(a.addresses[0] ?? "", b.addresses[0] ?? "") || compareNames(a.node.label, b.node.label);
}

/** @param subnet null for hosts without an address */
function cardHost(
  model: Model,
  host: HostParts,
  { subnet, shown }: { subnet: SubnetNode | null; shown: ReadonlySet<string> },
): CardHost {
  const addresses = host.interfaces.filter(({ target }) => target === subnet?.id).map(({ ip_address }) => ip_address);
  const isHome = homeOf(host) === (subnet?.id ?? null);
  const services = host.services
    .filter(({ id }) => shown.has(id))
    .flatMap((node): CardService[] => {
      const all = boundTo(model, node.id);
      const here = all.filter(({ address }) => address === null || addresses.includes(address));
      if (here.length === 0 && !(isHome && all.length === 0)) return [];
      return [{ node, sockets: socketsHere(node, here, addresses.length > 0 ? addresses : addressesOf(host)) }];
    });
  return { node: host.node, addresses, services };
}

function socketsHere(node: ServiceNode, here: readonly Bound[], addresses: readonly string[]): CardService["sockets"] {
  return socketsOf(node.service_definition, here, addresses).map(({ id, text, href }, index) => {
    const { port = null, protocol, address } = here[index] ?? {};
    const isPlain = port !== null && (address === null || addresses.length === 1);
    return { id, href, text: isPlain ? `:${port}${protocol === "Udp" ? "/udp" : ""}` : text };
  });
}

function foundOn(card: Card, found: ReadonlySet<string>): Card[] {
  const isFound = ({ id }: TopologyNode): boolean => found.has(id);
  if (card.subnet !== null && isFound(card.subnet)) return [card];
  const hosts = card.hosts.flatMap((host) => {
    if (isFound(host.node)) return [host];
    const services = host.services.filter(({ node }) => isFound(node));
    return services.length === 0 ? [] : [{ ...host, services }];
  });
  return hosts.length === 0 ? [] : [{ ...card, hosts }];
}
