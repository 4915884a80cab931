// The kinds of entities of an inventory, in order of reference: each comes after those that it refers to. What clients and
// services know of every kind is declared here once, and lists of kinds iterate over it. Schemas and operations of a kind
// have a file of their own; what only the topology service knows is in `services/topology/src/kinds`.

interface KindFacts {
  readonly singular: string;
  /** In paths, and the name of the collection. */
  readonly plural: string;
  /** With its article. */
  readonly one: string;
  /** What its operations are about. */
  readonly about: string;
  /** The kind that contains it, and with which it is deleted. */
  readonly parent: "Network" | "Host" | null;
  /** Its `network_id` may be null: then it belongs to the whole organization, and is visible from all networks. */
  readonly mayBeOfAll: boolean;
  /** It connects hosts, or what is on them, and is deleted with any of these. */
  readonly between: boolean;
  /** Other kinds that its members refer to, as in `subnet_id`. */
  readonly refersTo: readonly string[];
  /** The same for references that may be null. */
  readonly mayReferTo: readonly string[];
  /** Other kinds of which its members name several, or within ends. */
  readonly names: readonly string[];
  /** Has tags. */
  readonly tagged: boolean;
  /** Imports record when they found or missed it. */
  readonly sighted: boolean;
  /** Members that are listed as entities of their own, and change with it. */
  readonly parts: readonly string[];
  /** Members by which people tell apart those of one parent. */
  readonly key: readonly string[];
}

export const KINDS = {
  Tag: {
    singular: "tag",
    plural: "tags",
    one: "a tag",
    about: "Tags with a name and a colour, which entities refer to.",
    parent: null,
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: false,
    sighted: false,
    parts: [],
    key: ["name"],
  },
  Network: {
    singular: "network",
    plural: "networks",
    one: "a network",
    about: "Networks, which separate inventories from each other.",
    parent: null,
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: true,
    sighted: false,
    parts: [],
    key: ["name"],
  },
  Vlan: {
    singular: "vlan",
    plural: "vlans",
    one: "a VLAN",
    about: "VLANs of a network, which subnets and links refer to.",
    parent: "Network",
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: true,
    sighted: false,
    parts: [],
    key: ["vid"],
  },
  Subnet: {
    singular: "subnet",
    plural: "subnets",
    one: "a subnet",
    about: "Address ranges of a network, how much of them is used, and the next free address.",
    parent: "Network",
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: ["Vlan"],
    names: [],
    tagged: true,
    sighted: false,
    parts: [],
    key: ["cidr"],
  },
  View: {
    singular: "view",
    plural: "views",
    one: "a view",
    about: "Saved pictures of the map.",
    parent: "Network",
    mayBeOfAll: true,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: true,
    sighted: false,
    parts: [],
    key: ["name"],
  },
  Host: {
    singular: "host",
    plural: "hosts",
    one: "a host",
    about: "Machines of a network with their interfaces, ports and services: also to merge, split and compare them.",
    parent: "Network",
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: true,
    sighted: true,
    parts: [],
    key: ["name"],
  },
  Interface: {
    singular: "interface",
    plural: "interfaces",
    one: "an interface",
    about: "Addresses of hosts.",
    parent: "Host",
    mayBeOfAll: false,
    between: false,
    refersTo: ["Subnet"],
    mayReferTo: [],
    names: [],
    tagged: false,
    sighted: true,
    parts: [],
    key: ["ip_address"],
  },
  Port: {
    singular: "port",
    plural: "ports",
    one: "a port",
    about: "Ports on which hosts listen.",
    parent: "Host",
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: false,
    sighted: true,
    parts: [],
    key: ["number", "protocol"],
  },
  Service: {
    singular: "service",
    plural: "services",
    one: "a service",
    about: "What runs on hosts, and the ports and interfaces that it is bound to.",
    parent: "Host",
    mayBeOfAll: false,
    between: false,
    refersTo: [],
    mayReferTo: [],
    names: [],
    tagged: true,
    sighted: true,
    parts: ["bindings"],
    key: ["name"],
  },
  Dependency: {
    singular: "dependency",
    plural: "dependencies",
    one: "a dependency",
    about: "What uses what, and what stops with it.",
    parent: "Network",
    mayBeOfAll: false,
    between: true,
    refersTo: [],
    mayReferTo: [],
    names: ["Host", "Service", "Port"],
    tagged: false,
    sighted: true,
    parts: [],
    key: ["client", "server"],
  },
  Link: {
    singular: "link",
    plural: "links",
    one: "a link",
    about: "Cables, wireless connections and tunnels between hosts.",
    parent: "Network",
    mayBeOfAll: false,
    between: true,
    refersTo: [],
    mayReferTo: [],
    names: ["Host", "Interface", "Vlan"],
    tagged: true,
    sighted: false,
    parts: [],
    key: ["ends"],
  },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type KindName = keyof typeof KINDS;
/** In order of reference. */
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

type NamesWith<Facts extends Partial<KindFacts>> = {
  [Name in KindName]: (typeof KINDS)[Name] extends Facts ? Name : never;
}[KindName];

export type KindInNetwork = NamesWith<{ readonly parent: "Network" | "Host" }>;
export const KINDS_IN_NETWORKS = KIND_NAMES.filter((name): name is KindInNetwork => KINDS[name].parent !== null);

export type KindOnHost = NamesWith<{ readonly parent: "Host" }>;
export const KINDS_ON_HOSTS = KIND_NAMES.filter((name): name is KindOnHost => KINDS[name].parent === "Host");

export type KindBetween = NamesWith<{ readonly between: true }>;
export const KINDS_BETWEEN = KIND_NAMES.filter((name): name is KindBetween => KINDS[name].between);

export type TaggedKind = NamesWith<{ readonly tagged: true }>;
export const TAGGED_KINDS = KIND_NAMES.filter((name): name is TaggedKind => KINDS[name].tagged);

export type SightedKind = NamesWith<{ readonly sighted: true }>;
export const SIGHTED_KINDS = KIND_NAMES.filter((name): name is SightedKind => KINDS[name].sighted);

export type PluralOf<Name extends KindName> = (typeof KINDS)[Name]["plural"];

export function pluralOf<Name extends KindName>(name: Name): PluralOf<Name> {
  return KINDS[name].plural;
}

/** The kinds that contain a kind, from the outside in. */
export function containersOf(name: KindName): readonly KindName[] {
  const { parent } = KINDS[name];
  return parent === null ? [] : [...containersOf(parent), parent];
}

/** A value for each kind, by name. */
export function forKinds<Name extends KindName, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

/** A value for each kind, by plural. */
export function forPlurals<Name extends KindName, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<PluralOf<Name>, Value> {
  return Object.fromEntries(names.map((name) => [KINDS[name].plural, valueOf(name)])) as Record<PluralOf<Name>, Value>;
}
