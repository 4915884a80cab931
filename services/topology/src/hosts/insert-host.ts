import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { insertServices } from "./write-services.js";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import type { Storage } from "../storage/storage.js";
import { checkAddresses, subnetClaims } from "../references/addresses-on.js";
import { lockMarks, withAddresses } from "../references/next-addresses.js";
import type { NewHost } from "./new-host.js";

/**
 * Inserts a host with everything on it.
 *
 * @returns the host, with the addresses that it got where it asked for the next ones
 * @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet` · `subnet_full`
 */
export async function insertHost(storage: Storage, tx: ClientSession, scope: Scope, made: NewHost): Promise<NewHost> {
  const { host, interfaces: asked, ports, services } = made;
  await lockMarks(storage, tx, scope, asked);
  const counts = {
    hosts: 1,
    interfaces: asked.length,
    ports: ports.length,
    services: services.length,
    bindings: services.reduce((sum, { bindings }) => sum + bindings.length, 0),
  };
  const wanted = asked.map((one, index) => ({ ...one, prefix: `interfaces.${index}.` }));
  await requireReferences(storage.guards, tx, scope, [
    networkClaim(host.network_id, counts),
    ...tagClaims(host.tags),
    ...services.flatMap(({ tags }, index) => tagClaims(tags, [], `services.${index}.tags`)),
    ...subnetClaims(wanted),
  ]);
  const addresses = await withAddresses(storage, tx, scope, { networkId: host.network_id, asked: wanted });
  const interfaces = asked.map((one, index) => ({
    ...one,
    ip_address: addresses[index]?.ip_address ?? one.ip_address,
  }));
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
  return { ...made, interfaces };
}
