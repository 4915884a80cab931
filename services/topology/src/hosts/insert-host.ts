import type { ClientSession } from "mongodb";
import type { HostRecord, Interface, Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { insertServices } from "./write-services.js";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import type { Storage } from "../storage/storage.js";
import { checkAddresses, subnetClaims } from "../references/addresses-on.js";
import type { NewHost } from "./new-host.js";

interface NewHosts {
  readonly made: readonly NewHost[];
  /** Further fields of each document. */
  readonly more?: (entity: { readonly id: string }) => Record<string, unknown>;
}

/**
 * Inserts hosts of one network with their children, with a number of commands independent of theirs.
 *
 * @throws AppError `invalid_reference` · `network_mismatch` · `ip_outside_subnet`; paths are those of a single host
 */
export async function insertHosts(
  storage: Storage,
  tx: ClientSession,
  scope: Scope,
  { made, more = () => ({}) }: NewHosts,
): Promise<void> {
  const [first] = made;
  if (first === undefined) return;
  const networkId = first.host.network_id;
  const claims = made.flatMap((one) => [
    networkClaim(networkId, countsOf(one)),
    ...tagClaims(one.host.tags),
    ...one.services.flatMap(({ tags }, index) => tagClaims(tags, [], `services.${index}.tags`)),
    ...subnetClaims(addressesOf(one.interfaces)),
  ]);
  const documents = made.reduce((sum, one) => sum + documentsOf(one), 0);
  await storage.database.turn(tx, scope, documents);
  await requireReferences(storage.guards, tx, scope, claims);
  const addresses = made.flatMap(({ interfaces }) => addressesOf(interfaces));
  await checkAddresses(storage, tx, scope, { networkId, addresses });
  const byHost = new Map(made.map((one) => [one.host.id, one]));
  const hosts = made.map(({ host }) => host);
  const interfaces = made.flatMap((one) => one.interfaces);
  const ports = made.flatMap((one) => one.ports);
  const ofHost = (host: HostRecord) => ({ lock: 0, ...childrenIn(byHost.get(host.id)), ...more(host) });
  await storage.hosts.insert(tx, scope, hosts, ofHost);
  await storage.interfaces.insertWithHosts(tx, scope, interfaces, more);
  await storage.ports.insert(tx, scope, ports, more);
  const inserted = made.flatMap(({ services }) => services);
  const ofService = (service: Service): object => ({
    host_name: byHost.get(service.host_id)?.host.name ?? "",
    ...more(service),
  });
  await insertServices(storage, tx, scope, { hostName: "", inserted, more: ofService });
}

/** The same for one host. */
export function insertHost(storage: Storage, tx: ClientSession, scope: Scope, made: NewHost): Promise<void> {
  return insertHosts(storage, tx, scope, { made: [made] });
}

function countsOf({ interfaces, ports, services }: NewHost) {
  return {
    hosts: 1,
    interfaces: interfaces.length,
    ports: ports.length,
    services: services.length,
    bindings: services.reduce((sum, { bindings }) => sum + bindings.length, 0),
  };
}

/** How many documents a new host takes. */
function documentsOf(made: NewHost): number {
  return Object.values(countsOf(made)).reduce((sum, count) => sum + count);
}

function childrenIn({ interfaces = [], ports = [], services = [] }: Partial<NewHost> = {}) {
  const ids = (entities: readonly { readonly id: string }[]): string[] => entities.map(({ id }) => id);
  return { inventory: { ports: ids(ports), interfaces: ids(interfaces), services: services.length }, interfaces };
}

/** The subnets of a new host's interfaces, and their paths in the request. */
export function addressesOf<T extends Pick<Interface, "ip_address" | "subnet_id">>(
  interfaces: readonly T[],
): (T & { readonly prefix: string })[] {
  return interfaces.map((one, index) => ({ ...one, prefix: `interfaces.${index}.` }));
}
