import type { IndexDescription } from "mongodb";
import type { Indexes } from "@nts/shared/mongo/migrations";
import { REMEMBERED_COLLECTION, REMEMBERED_EXPIRE } from "@nts/shared/writes/remembered";
import type { Collection, ON_HOSTS } from "../kinds/index.js";
import { NOTES, NOTES_EXPIRE } from "./authorship.js";
import { ID_KEY } from "./id-key.js";

// Each order has an index, and another one starting with the network: without it, a young network would skip thousands
// of entries. Every index has its price in memory and in each write, so each is declared with the query that needs it.
// Entities have a dozen of them, which is why these end with the sixteen bytes of the id instead of its text.

/** The fields of an index, in order. */
export type IndexKey = Readonly<Record<string, 1 | -1>>;

/**
 * The index for lists ordered by a field: of the organization, or of networks. Entities of a network are in order of creation, which
 * takes no index of its own.
 */
export function orderIndex(field: string, ofNetworks: boolean): IndexKey {
  if (field === "network_id") return { organization_id: 1, network_id: 1, created_at: 1, [ID_KEY]: 1 };
  return { organization_id: 1, ...(ofNetworks && { network_id: 1 }), [field]: 1, [ID_KEY]: 1 };
}

/** The index in order of creation. */
export function creationIndex(ofNetworks: boolean): IndexKey {
  return orderIndex("created_at", ofNetworks);
}

/** Lists in order of creation, by network, and by these fields. */
function ordered(fields: readonly string[]): IndexDescription[] {
  return ["created_at", ...fields].flatMap((field) =>
    [true, false].map((ofNetworks) => ({ key: orderIndex(field, ofNetworks) })),
  );
}

/** Lists by tags, sweeps of a deleted tag, and counts before its deletion; of entities with tags only. */
export const TAG_INDEX: IndexKey = { organization_id: 1, tags: 1, created_at: 1, [ID_KEY]: 1 };
const tagged: IndexDescription = { key: TAG_INDEX, partialFilterExpression: { tags: { $gt: "" } } };
/** Lists by attributes, roles and the like; few entities have any. */
export const FACET_INDEX: IndexKey = { organization_id: 1, facets: 1, created_at: 1, [ID_KEY]: 1 };
const faceted: IndexDescription = { key: FACET_INDEX, partialFilterExpression: { facets: { $gt: "" } } };

/** The index by which services are counted by category, or without some: of equal keys, it has only the first one. */
export const CATEGORY_INDEX: IndexKey = { organization_id: 1, network_id: 1, category: 1 };

/** The index scanned by searches. */
export const SEARCH_INDEX: IndexKey = { organization_id: 1, network_id: 1, search: 1 };
const searched: IndexDescription = { key: SEARCH_INDEX };
/** The index of hosts by their addresses. */
export const HOST_ADDRESSES_INDEX: IndexKey = { organization_id: 1, network_id: 1, address_keys: 1 };
/** The index by which imports find hosts by name. */
export const LABEL_INDEX: IndexKey = { organization_id: 1, network_id: 1, host_label: 1 };
const labelled: IndexDescription = { key: LABEL_INDEX, partialFilterExpression: { host_label: { $gt: "" } } };
/** The index by which imports find hosts by a lost MAC address. */
export const LOST_MACS_INDEX: IndexKey = { organization_id: 1, network_id: 1, lost_macs: 1 };
const lostMacs: IndexDescription = { key: LOST_MACS_INDEX, partialFilterExpression: { lost_macs: { $gt: "" } } };
/** The index by which imports find hosts by serial numbers and the like; few hosts have any. */
export const MARKS_INDEX: IndexKey = { organization_id: 1, network_id: 1, marks: 1 };
const marked: IndexDescription = { key: MARKS_INDEX, partialFilterExpression: { marks: { $gt: "" } } };
/** The index of sightings: missed entities, and when they were last found. */
export const SIGHTED_INDEX: IndexKey = { organization_id: 1, network_id: 1, missed: 1, seen_last: 1 };
/** A partial index for both, of entities with sightings only. */
const sighted: IndexDescription = { key: SIGHTED_INDEX, partialFilterExpression: { sighted: true } };
/** The index of ports with a certificate, by its end. */
export const CERTIFICATES_INDEX: IndexKey = { organization_id: 1, certificate_ends: 1 };
const certified: IndexDescription = {
  key: CERTIFICATES_INDEX,
  partialFilterExpression: { certificate_ends: { $gt: 0 } },
};
/** The index of a subnet's addresses in order. */
export const INTERFACE_ADDRESSES_INDEX = { subnet_id: 1, ip_key: 1, host_id: 1 } as const;
/** The indexes for the recognition of interfaces. */
export const IP_INDEX: IndexKey = orderIndex("ip_key", true);
export const MAC_INDEX: IndexKey = { organization_id: 1, network_id: 1, mac_address: 1 };
const withMac: IndexDescription = { key: MAC_INDEX, partialFilterExpression: { mac_address: { $gt: "" } } };

/** The index of networks' guards. */
export const GUARD_INDEX: IndexKey = { organization_id: 1, kind: 1, network_id: 1 };

/** Hinted for id lookups: otherwise the database would try all indexes starting with the organization on every use. */
export const BY_ID = { _id: 1 } as const;

/** The index of a host's interfaces or services in order. */
export const HOST_ORDER_INDEX = { host_id: 1, position: 1 } as const;

/** The unique index of a host's ports in order. */
export const HOST_PORTS_INDEX = { organization_id: 1, host_id: 1, number: 1, protocol: 1 } as const;

/** The unique index of a host's addresses. */
export const ONE_ADDRESS_INDEX = { organization_id: 1, host_id: 1, subnet_id: 1, ip_key: 1 } as const;

/** The indexes of bindings by service, port and interface. */
export const BINDING_INDEXES = {
  service_id: { service_id: 1, created_at: 1, [ID_KEY]: 1 },
  port_id: { port_id: 1, created_at: 1, [ID_KEY]: 1 },
  interface_id: { interface_id: 1, created_at: 1, [ID_KEY]: 1 },
} as const satisfies Readonly<Record<string, IndexKey>>;

/** The index of an organization's networks, tags or webhooks, which are few; other orders are sorted in memory. */
export const SMALL_COLLECTION_INDEX: IndexKey = orderIndex("created_at", false);

/** The index of a collector's jobs, newest first, and those of an organization or its networks. */
export const COLLECTOR_JOBS_INDEX: IndexKey = { organization_id: 1, collector_id: 1, created_at: 1, _id: 1 };
const JOBS_OF_ORGANIZATION: IndexKey = { organization_id: 1, created_at: 1, _id: 1 };
const JOBS_OF_NETWORKS: IndexKey = { organization_id: 1, network_id: 1, created_at: 1, _id: 1 };
/** The index of an organization's import jobs, newest first. */
export const JOBS_INDEX: IndexKey = { organization_id: 1, created_at: -1 };
/** Of a collector, or of people. */
export const IMPORT_JOBS_OF_INDEX: IndexKey = { organization_id: 1, collector_id: 1, created_at: -1 };

/** The index for counting bindings of hosts. */
export const HOST_BINDINGS_INDEX: IndexKey = { organization_id: 1, host_id: 1 };

/** The index of dependencies by the hosts at their ends. */
export const HOST_DEPENDENCIES_INDEX: IndexKey = { organization_id: 1, host_id: 1 };
/** Those by services and by ports. */
export const SERVICE_DEPENDENCIES_INDEX: IndexKey = { organization_id: 1, service_id: 1 };
/** Those by what they start from, or lead to, with all that it takes to follow them. */
export const CLIENTS_INDEX: IndexKey = { organization_id: 1, server_key: 1, network_id: 1, client_key: 1, _id: 1 };
export const SERVERS_INDEX: IndexKey = { organization_id: 1, client_key: 1, network_id: 1, server_key: 1, _id: 1 };
/** Those by a port, before it is deleted. */
const PORT_DEPENDENCIES_INDEX: IndexKey = { organization_id: 1, port_id: 1 };

/** The index of links by the hosts at their ends. */
export const HOST_LINKS_INDEX: IndexKey = { organization_id: 1, host_id: 1, created_at: 1, [ID_KEY]: 1 };
/** The index of links by interface. */
export const LINK_INTERFACES_INDEX: IndexKey = { organization_id: 1, interface_id: 1 };
/** The indexes by VLAN, of subnets and links. */
export const SUBNET_VLAN_INDEX: IndexKey = { organization_id: 1, vlan_id: 1 };
export const LINK_VLANS_INDEX: IndexKey = { organization_id: 1, vlan_id: 1 };

/** The index for what is deleted with hosts, by collection. */
export const ON_HOST_INDEXES: Readonly<Record<(typeof ON_HOSTS)[number], IndexKey>> = {
  interfaces: HOST_ORDER_INDEX,
  ports: HOST_PORTS_INDEX,
  services: HOST_ORDER_INDEX,
  bindings: HOST_BINDINGS_INDEX,
  dependencies: HOST_DEPENDENCIES_INDEX,
  links: HOST_LINKS_INDEX,
};

/** The error for a violated unique index, by index name. */
export const UNIQUE_INDEXES = {
  one_address_of_host: { entity: "Interface", field: "ip_address" },
  one_tag_name: { entity: "Tag", field: "name" },
  one_vid: { entity: "Vlan", field: "vid" },
  one_link: { entity: "Link", field: "ends" },
  one_port_of_host: { entity: "Port", field: "number" },
  one_dependency: { entity: "Dependency", field: "server" },
} as const;

/** The index for sweeping a network's free addresses. */
export const FREE_ADDRESSES_INDEX: IndexKey = { organization_id: 1, network_id: 1 };

/**
 * The index of an entity's entries. The globally unique id comes first, so that the last entries of many entities take
 * one seek each.
 */
export const JOURNAL_OF_ENTITY = { entity_id: 1, organization_id: 1, n: 1 } as const;
/** That index in reverse: the last entry of each entity comes first. */
export const LAST_ENTRIES_FIRST = { entity_id: -1, organization_id: -1, n: -1 } as const;
/** The index of the entries of a host and its children. */
export const JOURNAL_OF_HOST = { host_id: 1, n: 1 } as const;
/** The index of a request's entries. */
export const JOURNAL_OF_REQUEST: IndexKey = { organization_id: 1, request_id: 1, n: 1 };
/** The index for journal reads of restricted callers. */
export const JOURNAL_OF_NETWORK = { organization_id: 1, network_id: 1, n: 1 } as const;

/** The index of paused webhooks. */
export const PAUSED_INDEX: IndexKey = { is_paused: 1 };

/** Delivery results expire after a week. */
const DELIVERIES_SECONDS = 7 * 86_400;
/** The blocks of a job's plan or file, in order. */
const BLOCKS_INDEX: IndexKey = { job_id: 1, n: 1 };
const EXPIRE = { key: { expires_at: 1 }, expireAfterSeconds: 0 } as const;
/** Backlog entries of a dead process expire. */
const BACKLOG_SECONDS = 86_400;

const ENTITY_INDEXES: Readonly<Record<Collection, readonly IndexDescription[]>> = {
  networks: [{ key: SMALL_COLLECTION_INDEX }, tagged, faceted],
  vlans: [
    ...ordered(["vid", "name", "updated_at"]),
    tagged,
    faceted,
    searched,
    { name: "one_vid", key: { organization_id: 1, network_id: 1, vid: 1 }, unique: true },
  ],
  subnets: [
    ...ordered(["name", "cidr_key", "subnet_type", "updated_at"]),
    tagged,
    faceted,
    searched,
    // Subnets of a VLAN, before it is deleted.
    { key: SUBNET_VLAN_INDEX, partialFilterExpression: { vlan_id: { $gt: "" } } },
  ],
  hosts: [
    ...ordered(["name", "name_key", "hostname", "updated_at", "first_address"]),
    tagged,
    faceted,
    searched,
    // Searches for an address or a CIDR.
    { key: HOST_ADDRESSES_INDEX },
    sighted,
    labelled,
    lostMacs,
    marked,
  ],
  interfaces: [
    ...ordered(["position", "ip_key"]),
    // Those of hosts: in responses, in lists by host, and when a host is deleted.
    { key: HOST_ORDER_INDEX },
    // Those of a subnet: lists, free addresses, utilization, and whether it may be deleted.
    { key: INTERFACE_ADDRESSES_INDEX },
    withMac,
    faceted,
    sighted,
    { name: "one_address_of_host", key: ONE_ADDRESS_INDEX, unique: true },
  ],
  ports: [
    ...ordered(["number"]),
    sighted,
    certified,
    // Those of hosts, too, as for interfaces.
    { name: "one_port_of_host", key: HOST_PORTS_INDEX, unique: true },
  ],
  services: [
    ...ordered(["name", "name_key", "updated_at", "host_name", "position", "service_definition"]),
    // Those of hosts, as for interfaces.
    { key: HOST_ORDER_INDEX },
    { key: CATEGORY_INDEX },
    tagged,
    faceted,
    searched,
    sighted,
  ],
  bindings: [
    ...ordered([]),
    // Lists by one of them, what is bound to a port, and bindings at a past moment; most name no interface.
    ...Object.entries(BINDING_INDEXES).map(([field, key]) => ({
      key,
      partialFilterExpression: { [field]: { $gt: "" } },
    })),
    // The limit per host, and deleted hosts.
    { key: HOST_BINDINGS_INDEX },
  ],
  links: [
    ...ordered(["updated_at"]),
    tagged,
    // Lists and maps by host, the limit per host, and deleted hosts.
    { key: HOST_LINKS_INDEX },
    // What is at an interface, before it is deleted; links in a VLAN, likewise.
    { key: LINK_INTERFACES_INDEX, partialFilterExpression: { interface_id: { $gt: "" } } },
    { key: LINK_VLANS_INDEX, partialFilterExpression: { vlan_id: { $gt: "" } } },
    { name: "one_link", key: { organization_id: 1, ends: 1 }, unique: true },
  ],
  views: [...ordered(["name", "updated_at"]), tagged],
  dependencies: [
    ...ordered(["updated_at"]),
    // Lists by host or service, the limit per host, and deleted hosts, services and ports.
    { key: HOST_DEPENDENCIES_INDEX },
    { key: SERVICE_DEPENDENCIES_INDEX, partialFilterExpression: { service_id: { $gt: "" } } },
    { key: PORT_DEPENDENCIES_INDEX, partialFilterExpression: { port_id: { $gt: "" } } },
    { key: CLIENTS_INDEX },
    { key: SERVERS_INDEX },
    sighted,
    { name: "one_dependency", key: { organization_id: 1, ends: 1 }, unique: true },
  ],
  tags: [
    { key: SMALL_COLLECTION_INDEX },
    { name: "one_tag_name", key: { organization_id: 1, name_key: 1 }, unique: true },
  ],
};

/**
 * Every index of the database, by collection; they start with the organization or the parent, unique ones with the
 * organization.
 */
export const INDEXES: Indexes = {
  ...ENTITY_INDEXES,
  guards: [{ key: { target: 1 } }, { key: GUARD_INDEX }],
  deletions: [{ key: { organization_id: 1 } }],
  [REMEMBERED_COLLECTION]: [REMEMBERED_EXPIRE],
  journal: [JOURNAL_OF_ENTITY, JOURNAL_OF_HOST, JOURNAL_OF_NETWORK, JOURNAL_OF_REQUEST].map((key) => ({ key })),
  journal_gone: [{ key: { organization_id: 1 } }],
  journal_backlog: [{ key: { at: 1 }, expireAfterSeconds: BACKLOG_SECONDS }],
  journal_set_aside: [{ key: { organization_id: 1 } }],
  [NOTES]: [NOTES_EXPIRE],
  webhooks: [{ key: SMALL_COLLECTION_INDEX }],
  webhook_states: [
    { key: { organization_id: 1 } },
    // Due webhooks are queried across organizations.
    { key: { due_at: 1 }, partialFilterExpression: { is_active: true } },
    // Paused ones are counted across organizations.
    { key: PAUSED_INDEX, partialFilterExpression: { is_paused: true } },
  ],
  webhook_deliveries: [
    { key: { organization_id: 1, webhook_id: 1 } },
    { key: { at: 1 }, expireAfterSeconds: DELIVERIES_SECONDS },
  ],
  import_jobs: [{ key: JOBS_INDEX }, { key: IMPORT_JOBS_OF_INDEX }, EXPIRE],
  revert_jobs: [{ key: JOBS_INDEX }, EXPIRE],
  collector_jobs: [{ key: COLLECTOR_JOBS_INDEX }, { key: JOBS_OF_ORGANIZATION }, { key: JOBS_OF_NETWORKS }, EXPIRE],
  collector_reports: [{ key: BLOCKS_INDEX }, EXPIRE],
  import_plans: [{ key: BLOCKS_INDEX }, EXPIRE],
  import_files: [{ key: BLOCKS_INDEX }, EXPIRE],
  free_addresses: [{ key: { subnet_id: 1, key: 1 } }, { key: FREE_ADDRESSES_INDEX }],
};
