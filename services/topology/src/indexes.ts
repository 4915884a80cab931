import type { Db, IndexDescription } from "mongodb";

/** Orders of a collection within a network and over the whole organization. */
function ordered(...fields: string[]): IndexDescription[] {
  return fields.flatMap((field) => [
    { key: { organization_id: 1, [field]: 1, _id: 1 } },
    { key: { organization_id: 1, network_id: 1, [field]: 1, _id: 1 } },
  ]);
}

const tagged: IndexDescription = { key: { organization_id: 1, tags: 1 } };

/** What it means to a caller when a unique index refuses a write, by the name of the index. */
export const UNIQUE_INDEXES = {
  one_address: { entity: "Interface", field: "ip_address" },
  one_tag_name: { entity: "Tag", field: "name" },
  one_port_number: { entity: "Port", field: "number" },
} as const;

/** Every index of the database, by collection; leading fields are the tenant's, or the host's. */
export const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
  networks: [...ordered("created_at", "name", "updated_at"), tagged],
  subnets: [...ordered("created_at", "name", "cidr_key", "subnet_type", "updated_at"), tagged],
  hosts: [...ordered("created_at", "name", "hostname", "updated_at"), tagged],
  interfaces: [
    ...ordered("created_at", "position", "ip_key"),
    { key: { host_id: 1, position: 1 } },
    { key: { subnet_id: 1 } },
    { name: "one_address", key: { host_id: 1, subnet_id: 1, ip_key: 1 }, unique: true },
  ],
  ports: [
    ...ordered("created_at", "number"),
    { name: "one_port_number", key: { host_id: 1, number: 1, protocol: 1 }, unique: true },
  ],
  services: [
    ...ordered("created_at", "name", "updated_at", "host_name", "position", "service_definition"),
    { key: { host_id: 1, position: 1 } },
    { key: { organization_id: 1, category: 1 } },
    tagged,
  ],
  bindings: [
    ...ordered("created_at"),
    { key: { service_id: 1, created_at: 1, _id: 1 } },
    { key: { port_id: 1, created_at: 1, _id: 1 } },
    { key: { interface_id: 1, created_at: 1, _id: 1 } },
    { key: { host_id: 1 } },
  ],
  tags: [
    { key: { organization_id: 1, created_at: 1, _id: 1 } },
    { key: { organization_id: 1, color: 1, _id: 1 } },
    { name: "one_tag_name", key: { organization_id: 1, name_key: 1 }, unique: true },
    { key: { organization_id: 1, name: 1, _id: 1 } },
  ],
  guards: [{ key: { target: 1 } }, { key: { organization_id: 1, kind: 1, network_id: 1 } }],
};

/** Makes the indexes that are missing; safe while other replicas do the same. */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, indexes] of Object.entries(INDEXES))
    await db.collection(collection).createIndexes([...indexes]);
}
