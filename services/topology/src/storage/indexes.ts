import type { IndexDescription } from "mongodb";
import type { Indexes } from "@nts/shared/mongo/migrations";
import { ANSWERS, ANSWERS_EXPIRE } from "@nts/shared/writes/remembered";
import { NOTES, NOTES_EXPIRE } from "./authorship.js";

// An order has one index, which is read backwards for the other direction, since ids break ties in the direction of the
// order; and a second one that begins with the network: where networks differ in age, an index of the whole organization
// would pass over thousands of entries before the first one of a network. `category` stands at the end of those of
// services, so that excluded categories are passed over without reading their documents. Networks and tags are few in any
// organization: they are sorted in memory. Databases of earlier versions also have indexes for each order downwards; they
// may be dropped once no replica of such a version is left.

/** The fields of an index, in their order. */
export type IndexKey = Readonly<Record<string, 1 | -1>>;

/** What stands at the end of the indexes for the orders of services. */
export const SERVICE_TRAILING: IndexKey = { category: 1 };

/** The index for lists in the order of a field: of the whole organization, or of networks of it. */
export function orderIndex(field: string, ofNetworks: boolean, trailing: IndexKey = {}): IndexKey {
  if (field === "network_id") return { organization_id: 1, network_id: 1, _id: 1 };
  return { organization_id: 1, ...(ofNetworks && { network_id: 1 }), [field]: 1, _id: 1, ...trailing };
}

/** The index for the order in which the entities of a collection were made. */
export function creationIndex(collection: string, ofNetworks: boolean): IndexKey {
  return orderIndex("created_at", ofNetworks, collection === "services" ? SERVICE_TRAILING : {});
}

function ordered(fields: readonly string[], trailing: IndexKey = {}): IndexDescription[] {
  return ["created_at", ...fields].flatMap((field) =>
    [true, false].map((ofNetworks) => ({ key: orderIndex(field, ofNetworks, trailing) })),
  );
}

const byNetwork: IndexDescription = { key: orderIndex("network_id", false) };

/** The index for lists by tags. */
export const TAG_INDEX: IndexKey = { organization_id: 1, tags: 1, created_at: 1, _id: 1 };
const tagged: IndexDescription = { key: TAG_INDEX };

/** The index that searches read: all of its entries in the scope, and no entity that does not match. */
export const SEARCH_INDEX: IndexKey = { organization_id: 1, network_id: 1, search: 1 };
const searched: IndexDescription = { key: SEARCH_INDEX };
/** The index by which imports find hosts by their names. */
export const LABEL_INDEX: IndexKey = { organization_id: 1, network_id: 1, host_label: 1 };
const labelled: IndexDescription = { key: LABEL_INDEX, partialFilterExpression: { host_label: { $gt: "" } } };
/** The index by which imports find hosts that have lost all addresses with a MAC address. */
export const LOST_MACS_INDEX: IndexKey = { organization_id: 1, network_id: 1, lost_macs: 1 };
const lostMacs: IndexDescription = { key: LOST_MACS_INDEX, partialFilterExpression: { lost_macs: { $gt: "" } } };
/** The index of what imports have found or missed: what is missed, and when it was found last. */
export const SIGHTED_INDEX: IndexKey = { organization_id: 1, network_id: 1, missed: 1, seen_last: 1 };
/** One index for both, and only of what imports have seen; the rest costs nothing. */
const sighted: IndexDescription = { key: SIGHTED_INDEX, partialFilterExpression: { sighted: true } };
/** The index in which the addresses of a subnet stand in their order. */
export const INTERFACE_ADDRESSES_INDEX = { subnet_id: 1, ip_key: 1, host_id: 1 } as const;
/** The indexes by which interfaces of networks are recognized. */
export const IP_INDEX: IndexKey = orderIndex("ip_key", true);
export const MAC_INDEX: IndexKey = { organization_id: 1, network_id: 1, mac_address: 1 };

/** The index by which the guards of networks are found. */
export const GUARD_INDEX: IndexKey = { organization_id: 1, kind: 1, network_id: 1 };

/** Named wherever ids are: the database would otherwise try out all indexes that begin with the organization, on every use. */
export const BY_ID = { _id: 1 } as const;

/** The index by which the interfaces or services of a host are found, in their order. */
export const HOST_ORDER_INDEX = { host_id: 1, position: 1 } as const;

/** The index by which the ports of a host are found, in their order, and by which a second one of a number is refused. */
export const HOST_PORTS_INDEX = { organization_id: 1, host_id: 1, number: 1, protocol: 1 } as const;

/** The index by which a second interface of a host with an address is refused. */
export const ONE_ADDRESS_INDEX = { organization_id: 1, host_id: 1, subnet_id: 1, ip_key: 1 } as const;

/** The index by which the interfaces in a subnet are found. */
export const SUBNET_INTERFACES_INDEX: IndexKey = { subnet_id: 1 };

/** The indexes by which the bindings of a service, or to a port or an interface, are found. */
export const BINDING_INDEXES = {
  service_id: { service_id: 1, created_at: 1, _id: 1 },
  port_id: { port_id: 1, created_at: 1, _id: 1 },
  interface_id: { interface_id: 1, created_at: 1, _id: 1 },
} as const;

/** The index of all networks, or all tags, of an organization: they are few, and other orders are sorted in memory. */
export const FEW_INDEX: IndexKey = { organization_id: 1, created_at: 1, _id: 1 };

/** The index in which the bindings on hosts are counted. */
export const HOST_BINDINGS_INDEX: IndexKey = { organization_id: 1, host_id: 1 };

/**
 * What it means to a caller when a unique index refuses a write, by the name of the index. The last two are those of databases
 * of earlier versions, where they may still stand beside their successors.
 */
export const UNIQUE_INDEXES = {
  one_address_of_host: { entity: "Interface", field: "ip_address" },
  one_tag_name: { entity: "Tag", field: "name" },
  one_port_of_host: { entity: "Port", field: "number" },
  one_address: { entity: "Interface", field: "ip_address" },
  one_port_number: { entity: "Port", field: "number" },
} as const;

/** The index by which the free addresses of a network are swept. */
export const FREE_ADDRESSES_INDEX: IndexKey = { organization_id: 1, network_id: 1 };

/**
 * The index by which the entries of an entity are found. Its id, unique in all organizations, comes first: the last entries of
 * many are then found by one step each, with the organization or without.
 */
export const JOURNAL_OF_ENTITY = { entity_id: 1, organization_id: 1, n: 1 } as const;
/** That index walked backwards: the last entry of each entity comes first. */
export const LAST_ENTRIES_FIRST = { entity_id: -1, organization_id: -1, n: -1 } as const;
/** The index by which the entries of a host and of what stands on it are found. */
export const JOURNAL_OF_HOST = { host_id: 1, n: 1 } as const;
/** The index by which the entries of a request are found. */
export const JOURNAL_OF_REQUEST: IndexKey = { organization_id: 1, request_id: 1, n: 1 };
/** The index by which callers who may not see all networks read the journal. */
export const JOURNAL_OF_NETWORK = { organization_id: 1, network_id: 1, n: 1 } as const;

/** What came of deliveries is remembered for a week. */
const DELIVERIES_SECONDS = 7 * 86_400;
/** What waits to be told does so for minutes; a process that died has left it. */
const BACKLOG_SECONDS = 86_400;

/** Every index of the database, by collection; leading fields are the tenant's, or the parent's; of unique ones, the tenant's. */
export const INDEXES: Indexes = {
  networks: [{ key: FEW_INDEX }, tagged],
  subnets: [...ordered(["name", "cidr_key", "subnet_type", "updated_at"]), byNetwork, tagged, searched],
  hosts: [...ordered(["name", "hostname", "updated_at"]), byNetwork, tagged, searched, sighted, labelled, lostMacs],
  interfaces: [
    ...ordered(["position", "ip_key"]),
    { key: HOST_ORDER_INDEX },
    { key: SUBNET_INTERFACES_INDEX },
    { key: INTERFACE_ADDRESSES_INDEX },
    { key: MAC_INDEX },
    sighted,
    { name: "one_address_of_host", key: ONE_ADDRESS_INDEX, unique: true },
  ],
  ports: [...ordered(["number"]), sighted, { name: "one_port_of_host", key: HOST_PORTS_INDEX, unique: true }],
  services: [
    ...ordered(["name", "updated_at", "host_name", "position", "service_definition"], SERVICE_TRAILING),
    byNetwork,
    { key: HOST_ORDER_INDEX },
    tagged,
    searched,
    sighted,
  ],
  bindings: [...ordered([]), ...Object.values(BINDING_INDEXES).map((key) => ({ key })), { key: HOST_BINDINGS_INDEX }],
  tags: [{ key: FEW_INDEX }, { name: "one_tag_name", key: { organization_id: 1, name_key: 1 }, unique: true }],
  guards: [{ key: { target: 1 } }, { key: GUARD_INDEX }],
  deletions: [{ key: { organization_id: 1 } }],
  [ANSWERS]: [ANSWERS_EXPIRE],
  journal: [JOURNAL_OF_ENTITY, JOURNAL_OF_HOST, JOURNAL_OF_NETWORK, JOURNAL_OF_REQUEST].map((key) => ({ key })),
  journal_gone: [{ key: { organization_id: 1 } }],
  journal_backlog: [{ key: { at: 1 }, expireAfterSeconds: BACKLOG_SECONDS }],
  [NOTES]: [NOTES_EXPIRE],
  webhooks: [{ key: FEW_INDEX }],
  webhook_states: [
    { key: { organization_id: 1 } },
    // What is due is looked for in all organizations.
    { key: { due_at: 1 }, partialFilterExpression: { is_active: true } },
  ],
  webhook_deliveries: [
    { key: { organization_id: 1, webhook_id: 1 } },
    { key: { at: 1 }, expireAfterSeconds: DELIVERIES_SECONDS },
  ],
  free_addresses: [{ key: { subnet_id: 1, key: 1 } }, { key: FREE_ADDRESSES_INDEX }],
};
