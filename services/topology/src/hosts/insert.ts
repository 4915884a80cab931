import type { ClientSession } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { insertServices } from "../services/write.js";
import type { Storage } from "../storage/storage.js";
import { holdAddress } from "../subnets/hold-address.js";
import { holdTags } from "../tags/hold-tags.js";
import type { NewHost } from "./new-host.js";

/** Inserts a host with everything on it. @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet` */
export async function insertHost(storage: Storage, session: ClientSession, scope: Scope, made: NewHost): Promise<void> {
  const { host, interfaces, ports, services } = made;
  const counts = {
    hosts: 1,
    interfaces: interfaces.length,
    ports: ports.length,
    services: services.length,
    bindings: services.reduce((sum, { bindings }) => sum + bindings.length, 0),
  };
  if (!(await storage.guards.count(session, scope, host.network_id, counts)))
    throw new AppError("invalid_reference", { path: "network_id" });
  await holdTags(storage.guards, session, scope, { tags: host.tags });
  for (const [index, { tags }] of services.entries())
    await holdTags(storage.guards, session, scope, { tags, path: `services.${index}.tags` });
  for (const [index, { subnet_id, ip_address }] of interfaces.entries())
    await holdAddress(storage, session, scope, {
      subnetId: subnet_id,
      networkId: host.network_id,
      address: ip_address,
      prefix: `interfaces.${index}.`,
    });
  const inventory = {
    ports: ports.map(({ id }) => id),
    interfaces: interfaces.map(({ id }) => id),
    services: services.length,
  };
  await storage.hosts.insert(session, scope, [host], { lock: 0, inventory, interfaces });
  await storage.interfaces.insertWithHosts(session, scope, interfaces);
  await storage.ports.insert(session, scope, ports);
  await insertServices(storage, session, scope, { host, inserted: services });
}
