import type { Db, IndexDescription } from "mongodb";

// An order has an index in both directions, because ids break ties upwards whatever the direction, and a second pair for
// lists of chosen networks: whatever the caller may see, a page is read from an index in its order. `category` stands at
// the end of those of services, so that excluded categories are passed over without reading their documents.

/** Indexes for lists in the order of each field: within the organization, and within networks of it. */
function ordered(fields: readonly string[], trailing: IndexDescription["key"] = {}): IndexDescription[] {
  return fields.flatMap((field) =>
    ([1, -1] as const).flatMap((direction) => [
      { key: { organization_id: 1, [field]: direction, _id: 1, ...trailing } },
      { key: { organization_id: 1, network_id: 1, [field]: direction, _id: 1, ...trailing } },
    ]),
  );
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
export const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  networks: [...ordered(["created_at", "name", "updated_at"]), tagged],
  subnets: [...ordered(["created_at", "name", "cidr_key", "subnet_type", "updated_at"]), ...byNetwork, tagged],
  hosts: [...ordered(["created_at", "name", "hostname", "updated_at"]), ...byNetwork, tagged],
  interfaces: [
    ...ordered(["created_at", "position", "ip_key"]),
    { key: { host_id: 1, position: 1 } },
    { key: { subnet_id: 1 } },
    { name: "one_address", key: { host_id: 1, subnet_id: 1, ip_key: 1 }, unique: true },
  ],
  ports: [
    ...ordered(["created_at", "number"]),
    { name: "one_port_number", key: { host_id: 1, number: 1, protocol: 1 }, unique: true },
  ],
  services: [
    ...ordered(["created_at", "name", "updated_at", "host_name", "position", "service_definition"], { category: 1 }),
    ...byNetwork,
    { key: { host_id: 1, position: 1 } },
    tagged,
  ],
  bindings: [
    ...ordered(["created_at"]),
    { key: { service_id: 1, created_at: 1, _id: 1 } },
    { key: { port_id: 1, created_at: 1, _id: 1 } },
    { key: { interface_id: 1, created_at: 1, _id: 1 } },
    { key: { host_id: 1 } },
  ],
  tags: [
    ...(["created_at", "name", "color"] as const).flatMap((field) => [
      { key: { organization_id: 1, [field]: 1, _id: 1 } },
      { key: { organization_id: 1, [field]: -1, _id: 1 } },
    ]),
    { name: "one_tag_name", key: { organization_id: 1, name_key: 1 }, unique: true },
  ],
  guards: [{ key: { target: 1 } }, { key: { organization_id: 1, kind: 1, network_id: 1 } }],
};

/** Makes the indexes that are missing; safe while other replicas do the same. */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, indexes] of Object.entries(INDEXES))
    await db.collection(collection).createIndexes([...indexes]);
}
