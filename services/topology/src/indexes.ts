import type { IndexDescription } from "mongodb";
import type { Indexes } from "@nts/shared/mongo/migrations";

// An order has an index in both directions, because ids break ties upwards whatever the direction. It begins with the
// organization and ends with what else can be asked (the network, and the category of services), so that what a filter
// leaves out is passed over without reading its document. The default order has a second pair that begins with the
// network: for a small network in a large organization the database takes that one and sorts the little it finds.
// Networks and tags are few in any organization: they are sorted in memory.

type Fields = Readonly<Record<string, 1 | -1>>;

/** Indexes for lists in the order of each field; `created_at` is always among them. */
function ordered(fields: readonly string[], trailing: Fields = {}): IndexDescription[] {
  const inBothDirections = (before: Fields, field: string, after: Fields = {}) =>
    ([1, -1] as const).map((direction) => ({
      key: { organization_id: 1, ...before, [field]: direction, _id: 1, ...after, ...trailing },
    }));
  return [
    ...inBothDirections({ network_id: 1 }, "created_at"),
    ...["created_at", ...fields].flatMap((field) => inBothDirections({}, field, { network_id: 1 })),
  ];
}

/** Indexes for lists of the organization in the order of their networks. */
const byNetwork: IndexDescription[] = ([1, -1] as const).map((direction) => ({
  key: { organization_id: 1, network_id: direction, _id: 1 },
}));

const tagged: IndexDescription = { key: { organization_id: 1, tags: 1, created_at: 1, _id: 1 } };

/** What it means to a caller when a unique index refuses a write, by the name of the index. */
export const UNIQUE_INDEXES = {
  one_address: { entity: "Interface", field: "ip_address" },
  one_tag_name: { entity: "Tag", field: "name" },
  one_port_number: { entity: "Port", field: "number" },
} as const;

/** Every index of the database, by collection; leading fields are the tenant's, or the host's. */
export const INDEXES: Indexes = {
  networks: [{ key: { organization_id: 1, created_at: 1, _id: 1 } }, tagged],
  subnets: [...ordered(["name", "cidr_key", "subnet_type", "updated_at"]), ...byNetwork, tagged],
  hosts: [...ordered(["name", "hostname", "updated_at"]), ...byNetwork, tagged],
  interfaces: [
    ...ordered(["position", "ip_key"]),
    { key: { host_id: 1, position: 1 } },
    { key: { subnet_id: 1 } },
    { name: "one_address", key: { host_id: 1, subnet_id: 1, ip_key: 1 }, unique: true },
  ],
  ports: [
    ...ordered(["number"]),
    { name: "one_port_number", key: { host_id: 1, number: 1, protocol: 1 }, unique: true },
  ],
  services: [
    ...ordered(["name", "updated_at", "host_name", "position", "service_definition"], { category: 1 }),
    ...byNetwork,
    { key: { host_id: 1, position: 1 } },
    tagged,
  ],
  bindings: [
    ...ordered([]),
    { key: { service_id: 1, created_at: 1, _id: 1 } },
    { key: { port_id: 1, created_at: 1, _id: 1 } },
    { key: { interface_id: 1, created_at: 1, _id: 1 } },
    { key: { host_id: 1 } },
  ],
  tags: [
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { name: "one_tag_name", key: { organization_id: 1, name_key: 1 }, unique: true },
  ],
  guards: [{ key: { target: 1 } }, { key: { organization_id: 1, kind: 1, network_id: 1 } }],
};
