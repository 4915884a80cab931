import type { Interface, Link, Service, Subnet } from "@nts/shared/contract";
import { isId } from "@nts/shared/contract";
import { KINDS_IN_NETWORKS, pluralOf } from "@nts/shared/contract/kinds";
import { TAGGED } from "../kinds/index.js";
import type { Counted, Counts, Reference } from "../storage/guards.js";
import { type AllChanges, byHost, type Change, type ChangesOf, idsOf } from "./changes.rules.js";

// What changes refer to, and how they change the counters of networks. All follows from the states before and after.

/** A reference of a request, with its path for errors. */
export interface Claim extends Reference {
  readonly path: string;
}

/** An address with its subnet; `prefix` starts its paths in errors. */
export interface PlacedAddress {
  readonly subnet_id: string;
  readonly ip_address: string;
  readonly prefix?: string;
}

/** A reference to a VLAN, by what is in a network. */
export interface VlanClaim extends Claim {
  readonly networkId: string;
}

type Placed = Pick<Interface, "id" | "network_id" | "subnet_id" | "ip_address">;

/** All that changes refer to and did not before, except what they delete. The counters of a network come first. */
export function claimsOf(changes: AllChanges): Claim[] {
  const gone = new Set(idsOf(changes.networks.removed));
  const claims = [...countersOf(changes), ...tagsOf(changes), ...addressClaimsOf(changes), ...vlanClaimsOf(changes)];
  return claims.filter(({ target }) => !gone.has(target));
}

/** The claim for entities added to, or removed from, a network. */
export function networkClaim(networkId: string, counts: Counts): Claim {
  return { target: networkId, kind: "network", counts, path: "network_id" };
}

/**
 * Claims on managed tags. Free labels may be anything; a label that looks like an id must be one of the organization's
 * tags.
 *
 * @param kept tags that the entity has already
 */
export function tagClaims(tags: readonly string[], kept: readonly string[] = [], path = "tags"): Claim[] {
  return tags.flatMap((tag, index) =>
    isId(tag) && !kept.includes(tag) ? [{ target: tag, kind: "tag", path: `${path}.${index}` }] : [],
  );
}

/** New addresses, and those of interfaces that get another one. */
export function newAddressesIn(changes: AllChanges): (Placed & PlacedAddress)[] {
  const { created, changed } = changes.interfaces;
  const prefixOf = prefixesIn(changes, "interfaces");
  return [
    ...created.map((one) => ({ ...one, prefix: prefixOf(one.id) })),
    ...changed.filter(isReaddressed).map(({ after }) => after.entity),
  ];
}

export function isReaddressed({ before, after }: Change<Interface>): boolean {
  return before.entity.subnet_id !== after.entity.subnet_id || before.entity.ip_address !== after.entity.ip_address;
}

/** Whether a child is on another host now. */
export function isMoved({ before, after }: Change<{ readonly host_id: string }>): boolean {
  return before.entity.host_id !== after.entity.host_id;
}

/** The change in the number of bindings. */
export function moreBindings({ before, after }: Change<Service>): number {
  return after.entity.bindings.length - before.entity.bindings.length;
}

/** The change of the counters of each network. */
function countersOf(changes: AllChanges): Claim[] {
  const byNetwork = new Map<string, Partial<Record<Counted, number>>>();
  const add = (networkId: string, counted: Counted, by: number): void => {
    const counts = byNetwork.get(networkId) ?? {};
    byNetwork.set(networkId, { ...counts, [counted]: (counts[counted] ?? 0) + by });
  };
  for (const kind of KINDS_IN_NETWORKS.map(pluralOf)) {
    const { created, removed } = changes[kind] as ChangesOf<{ readonly network_id: string | null }>;
    // What belongs to the whole organization is counted by no network.
    for (const { network_id } of created) if (network_id !== null) add(network_id, kind, 1);
    for (const { network_id } of removed) if (network_id !== null) add(network_id, kind, -1);
  }
  const { created, changed, removed } = changes.services;
  for (const { network_id, bindings } of created) if (bindings.length > 0) add(network_id, "bindings", bindings.length);
  for (const { network_id, bindings } of removed)
    if (bindings.length > 0) add(network_id, "bindings", -bindings.length);
  for (const change of changed)
    if (moreBindings(change) !== 0) add(change.after.entity.network_id, "bindings", moreBindings(change));
  return [...byNetwork].map(([networkId, counts]) => networkClaim(networkId, counts));
}

/** Tags that an entity did not have. */
function tagsOf(changes: AllChanges): Claim[] {
  const prefixOf = prefixesIn(changes, "services");
  return TAGGED.flatMap((kind) => {
    const { created, changed } = changes[kind] as ChangesOf<{ readonly id: string; readonly tags: readonly string[] }>;
    return [
      ...created.flatMap(({ id, tags }) => tagClaims(tags, [], `${prefixOf(id)}tags`)),
      ...changed.flatMap(({ before, after }) => tagClaims(after.entity.tags, before.entity.tags)),
    ];
  });
}

/** Subnets of new addresses; and the networks of changed ones, because an address is freed there, see `next-addresses.ts`. */
function addressClaimsOf(changes: AllChanges): Claim[] {
  const changed = changes.interfaces.changed.filter(isReaddressed);
  return [
    ...changed.map(({ after }) => networkClaim(after.entity.network_id, {})),
    ...newAddressesIn(changes).map(({ subnet_id, prefix = "" }): Claim => ({
      target: subnet_id,
      kind: "subnet",
      path: `${prefix}subnet_id`,
    })),
  ];
}

/** VLANs that subnets and links were not in. */
export function vlanClaimsOf({ subnets, links }: AllChanges): VlanClaim[] {
  const ofSubnet = (subnet: Subnet, before?: Subnet): VlanClaim[] => {
    const { vlan_id: target, network_id: networkId } = subnet;
    return target === null || target === before?.vlan_id ? [] : [{ target, networkId, kind: "vlan", path: "vlan_id" }];
  };
  const ofLink = ({ vlan_ids, network_id: networkId }: Link, before?: Link): VlanClaim[] =>
    vlan_ids.flatMap((target, n) =>
      before?.vlan_ids.includes(target) === true ? [] : [{ target, networkId, kind: "vlan", path: `vlan_ids.${n}` }],
    );
  return [
    ...subnets.created.flatMap((one) => ofSubnet(one)),
    ...subnets.changed.flatMap(({ before, after }) => ofSubnet(after.entity, before.entity)),
    ...links.created.flatMap((one) => ofLink(one)),
    ...links.changed.flatMap(({ before, after }) => ofLink(after.entity, before.entity)),
  ];
}

/** The paths of children of new hosts, such as `services.0.`, by id; empty for other entities. */
function prefixesIn(changes: AllChanges, kind: "interfaces" | "services"): (id: string) => string {
  const hosts = new Set(idsOf(changes.hosts.created));
  const prefixes = new Map<string, string>();
  for (const [hostId, children] of byHost<Interface | Service>(changes[kind].created))
    if (hosts.has(hostId)) children.forEach(({ id }, index) => prefixes.set(id, `${kind}.${index}.`));
  return (id) => prefixes.get(id) ?? "";
}
