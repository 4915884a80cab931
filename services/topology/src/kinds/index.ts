import {
  KIND_NAMES,
  type KindBetween,
  type KindInNetwork,
  type KindName,
  type KindOnHost,
  KINDS,
  KINDS_BETWEEN,
  KINDS_IN_NETWORKS,
  KINDS_ON_HOSTS,
  type PluralOf,
  TAGGED_KINDS,
} from "@nts/shared/contract/kinds";
import type { EntityKind } from "./entity-kind.js";
import { bindingKind } from "./binding.js";
import { dependencyKind } from "./dependency.js";
import { hostKind } from "./host.js";
import { interfaceKind } from "./interface.js";
import { linkKind } from "./link.js";
import { networkKind } from "./network.js";
import { portKind } from "./port.js";
import { serviceKind } from "./service.js";
import { subnetKind } from "./subnet.js";
import { tagKind } from "./tag.js";
import { viewKind } from "./view.js";
import { vlanKind } from "./vlan.js";

// The declared kinds by collection. What treats kinds alike iterates over the lists of the contract, in order of reference,
// and finds the kind here.

export type Part = (typeof KINDS)[KindName]["parts"][number];
/** A collection of entities, or of parts of them. */
export type Collection = PluralOf<KindName> | Part;

export const ENTITY_KINDS = {
  tags: tagKind,
  networks: networkKind,
  vlans: vlanKind,
  subnets: subnetKind,
  views: viewKind,
  hosts: hostKind,
  interfaces: interfaceKind,
  ports: portKind,
  services: serviceKind,
  bindings: bindingKind,
  dependencies: dependencyKind,
  links: linkKind,
} satisfies { readonly [Name in Collection]: { readonly collection: Name } };

export type EntityKinds = typeof ENTITY_KINDS;
type StoredEntities = {
  readonly [Name in Collection]: EntityKinds[Name] extends EntityKind<infer T> ? T : never;
};
/** An entity of a collection. */
export type EntityIn<Name extends Collection> = StoredEntities[Name];
/** How the entities of all collections are stored. */
export type StoredKinds = { readonly [Name in Collection]: EntityKind<EntityIn<Name>> };

/** Kinds other than hosts and their children, which are written together. */
export type TopLevelKind = Exclude<KindName, "Host" | KindOnHost>;
/** Those of them that are there before hosts, which may refer to them. */
export const TOP_LEVEL = KIND_NAMES.filter(
  (name): name is Exclude<TopLevelKind, KindBetween> =>
    name !== "Host" && KINDS[name].parent !== "Host" && !KINDS[name].between,
);
/** Those of them that are in a network. */
export type KindInNetworkAlone = TopLevelKind & KindInNetwork;
export const IN_NETWORK_ALONE = [...TOP_LEVEL, ...KINDS_BETWEEN].filter(
  (name): name is KindInNetworkAlone => KINDS[name].parent !== null,
);

type Referred = (typeof KINDS)[KindName]["refersTo" | "mayReferTo" | "names"][number];
/** Those of these that others refer to, which guards protect. */
export type GuardedKind = Extract<KindInNetworkAlone, Referred>;
const REFERRED: ReadonlySet<string> = new Set(
  KIND_NAMES.flatMap((name) => [...KINDS[name].refersTo, ...KINDS[name].mayReferTo, ...KINDS[name].names]),
);
export const GUARDED = IN_NETWORK_ALONE.filter((name): name is GuardedKind => REFERRED.has(name));

/** Whether all of a collection is visible from all networks, as tags are. */
export function isOfOrganization(name: Collection): boolean {
  return ENTITY_KINDS[name].networkOf === null;
}

/** Whether a collection has parts of entities, which change with these. */
export function isPart(name: Collection): name is Part {
  return "isPart" in ENTITY_KINDS[name];
}

/** The collections of kinds with tags. */
export const TAGGED = TAGGED_KINDS.map((name) => KINDS[name].plural);

/** The collections of some kinds and their parts: referencing before referenced ones, in the order of a deletion. */
function deletionOrder<Name extends KindName>(names: readonly Name[]): (PluralOf<Name> | Part)[] {
  return [...names].reverse().flatMap((name) => [...KINDS[name].parts, KINDS[name].plural]);
}

/** The collections of what is in networks, in the order of a deletion. */
export const IN_NETWORKS = deletionOrder<KindInNetwork>(KINDS_IN_NETWORKS);
/** The collections of what is deleted with hosts, in the order of a deletion. */
export const ON_HOSTS = deletionOrder<KindOnHost | KindBetween>([...KINDS_ON_HOSTS, ...KINDS_BETWEEN]);
/** The collections of what is between hosts. */
export const BETWEEN_HOSTS = KINDS_BETWEEN.map((name) => KINDS[name].plural);
/** All collections, in the order of a deletion. */
export const ALL_COLLECTIONS = deletionOrder(KIND_NAMES);
