import type { ClientSession } from "mongodb";
import type { Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { insertServices } from "./write-services.js";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import type { Storage } from "../storage/storage.js";
import { checkAddresses, subnetClaims } from "../references/addresses-on.js";
import type { NewHost } from "./new-host.js";

/**
 * Inserts a host with its children.
 *
 * @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet`
 */
export async function insertHost(storage: Storage, tx: ClientSession, scope: Scope, made: NewHost): Promise<void> {
  const { host, interfaces, ports, services } = made;
  const counts = {
    hosts: 1,
    interfaces: interfaces.length,
    ports: ports.length,
    services: services.length,
    bindings: services.reduce((sum, { bindings }) => sum + bindings.length, 0),
  };
  const addresses = addressesOf(interfaces);
  const documents = Object.values(counts).reduce((sum, count) => sum + count);
  await storage.database.turn(tx, scope, documents);
  await requireReferences(storage.guards, tx, scope, [
    networkClaim(host.network_id, counts),
    ...tagClaims(host.tags),
    ...services.flatMap(({ tags }, index) => tagClaims(tags, [], `services.${index}.tags`)),
    ...subnetClaims(addresses),
  ]);
  await checkAddresses(storage, tx, scope, { networkId: host.network_id, addresses });
  const inventory = {
    ports: ports.map(({ id }) => id),
    interfaces: interfaces.map(({ id }) => id),
    services: services.length,
  };
  await storage.hosts.insert(tx, scope, [host], { lock: 0, inventory, interfaces });
  await storage.interfaces.insertWithHosts(tx, scope, interfaces);
  await storage.ports.insert(tx, scope, ports);
  await insertServices(storage, tx, scope, { hostName: host.name, inserted: services });
}

/** The subnets of a new host's interfaces, and their paths in the request. */
export function addressesOf<T extends Pick<Interface, "ip_address" | "subnet_id">>(
  interfaces: readonly T[],
): (T & { readonly prefix: string })[] {
  return interfaces.map((one, index) => ({ ...one, prefix: `interfaces.${index}.` }));
}
