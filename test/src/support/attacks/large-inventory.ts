import { MongoClient } from "mongodb";
import { seedTopology } from "../seed.js";
import type { Target, Tenant } from "./attack.js";

/** As many hosts as one search by port looks up. */
const HOSTS = 1_000;
const SERVICES_PER_HOST = 36;

/**
 * A tenant with 36,000 services, one on each port from 1 to 36 of each host, all of which scans have missed for months.
 */
export async function largeInventory({ stack, newTenant }: Target): Promise<Tenant> {
  const tenant = await newTenant();
  const { organizationId } = tenant;
  const client = new MongoClient(stack.servers.urls.mongodb);
  try {
    const db = client.db(stack.databases.topology);
    const size = { networks: 1, hostsPerNetwork: HOSTS, servicesPerHost: SERVICES_PER_HOST, bound: true };
    await seedTopology(db, { organizationId, ...size });
    const missed = { $set: { sighted: true, missed: Date.UTC(2026, 0, 1) } };
    for (const kind of ["hosts", "ports", "services"])
      await db.collection(kind).updateMany({ organization_id: organizationId }, missed);
  } finally {
    await client.close();
  }
  return tenant;
}
