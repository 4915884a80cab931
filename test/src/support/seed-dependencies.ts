import type { Db } from "mongodb";
import { newId } from "@nts/shared/ids";
import { dependencyKind } from "@nts/topology/kinds/dependency";

/** Stores so many dependencies between the services of an organization, most of which hang together. */
export async function seedDependencies(db: Db, organizationId: string, many: number): Promise<void> {
  const services = await db
    .collection<{ _id: string; host_id: string; network_id: string }>("services")
    .find({ organization_id: organizationId }, { projection: { host_id: 1, network_id: 1 } })
    .toArray();
  const now = new Date().toISOString();
  const documents = new Map<string, object>();
  for (let n = 0; documents.size < many; n++) {
    const to = services[n % services.length];
    const from = services[(n * 7_919 + Math.floor(n / services.length) * 104_729 + 1) % services.length];
    if (from === undefined || to === undefined || from._id === to._id) continue;
    const between = {
      client: { host_id: from.host_id, service_id: from._id, process: null },
      server: { host_id: to.host_id, service_id: to._id, port_id: null },
    };
    const made = {
      id: newId(),
      created_at: now,
      updated_at: now,
      network_id: to.network_id,
      source: "Discovery",
    } as const;
    const dependency = dependencyKind.make({ ...between, note: null }, made);
    const { id: _id, network_id } = dependency;
    const keys = dependencyKind.keysOf(dependency);
    documents.set(String(keys["ends"]), {
      ...{ _id, organization_id: organizationId, network_id, revision: 1, form: 1, wire: JSON.stringify(dependency) },
      ...{ created_at: new Date(now), updated_at: new Date(now), ...keys },
    });
  }
  await db.collection("dependencies").insertMany([...documents.values()]);
}
