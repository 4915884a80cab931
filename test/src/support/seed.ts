import type { Db } from "mongodb";
import type { Binding, HostRecord, Interface, Port, Service, Subnet } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { hostKind } from "@nts/topology/kinds/host";
import { interfaceKind } from "@nts/topology/kinds/interface";
import { networkKind } from "@nts/topology/kinds/network";
import { portKind } from "@nts/topology/kinds/port";
import { serviceKind } from "@nts/topology/kinds/service";
import { subnetKind } from "@nts/topology/kinds/subnet";
import { CATALOGUE } from "@nts/topology/values/definitions/catalogue";
import { portType } from "@nts/topology/values/well-known-ports.rules";
import { hostSearchFields } from "@nts/topology/storage/stores/host-search";
import type { Entities, Entity } from "@nts/topology/storage/entities";
import { createStorage } from "@nts/topology/storage/storage";

const BATCH = 2_000;

export interface SeedOptions {
  readonly organizationId: string;
  readonly networks: number;
  readonly hostsPerNetwork: number;
  readonly servicesPerHost: number;
  readonly bindingsPerService?: number;
  /** Gives each service a bound port of its own; everything is stored as by the service itself. */
  readonly bound?: boolean;
  /** Gives each network a subnet, and each host an interface in it. */
  readonly addressed?: boolean;
  /** A managed tag of each service, in addition to labels. */
  readonly tagId?: string;
}

export interface Seeded {
  readonly networkIds: readonly string[];
  readonly hostIds: readonly string[];
  readonly serviceIds: readonly string[];
}

/** Every second service has `common`, every thousandth `rare`. */
export const SEED_TAGS = { common: "common", rare: "rare" } as const;

type Row<T> = readonly [T, object];

/**
 * Fills a topology database fast, in the form of the service. Counts and guards are those of networks only; ports and
 * interfaces in bindings do not exist, unless `bound` is set.
 */
export async function seedTopology(db: Db, options: SeedOptions): Promise<Seeded> {
  const { organizationId, networks, hostsPerNetwork, servicesPerHost, bound = false, addressed = false } = options;
  const storage = createStorage(db, () => Promise.reject(new Error("nothing runs in a transaction here")));
  const scope = { organizationId, networks: "all" } as const;
  const services = hostsPerNetwork * servicesPerHost;
  const counts = { hosts: hostsPerNetwork, services, ...(bound && { ports: services, bindings: services }) };
  const { rows, seeded, next, addHost } = createRows(options);
  for (let i = 0; i < networks; i++) {
    const server = { ...made(next(0)), organization_id: organizationId };
    const network = networkKind.make({ name: `network ${i}`, tags: [] }, server);
    seeded.networkIds.push(network.id);
    await insert(storage.networks, organizationId, [[network, {}]]);
    const target = { target: network.id, kind: "network" } as const;
    const guard = { ...target, organization_id: organizationId, network_id: network.id };
    await db.client.withSession((session) => storage.guards.create(session, [guard]));
    await db.client.withSession((session) => storage.guards.reference(session, scope, [{ ...target, counts }]));
    const subnet = subnetOf(network.id, next());
    if (addressed) await insert(storage.subnets, organizationId, [[subnet, {}]]);
    for (let h = 0; h < hostsPerNetwork; h++) addHost(network.id, subnet);
  }
  await insert(storage.hosts, organizationId, rows.hosts);
  await insert(storage.interfaces, organizationId, rows.interfaces);
  await insert(storage.ports, organizationId, rows.ports);
  await insert(storage.bindings, organizationId, rows.bindings);
  await insert(storage.services, organizationId, rows.services);
  return seeded;
}

/** The children of networks, in the order of creation. */
function createRows({ servicesPerHost, bindingsPerService = 0, bound = false, addressed = false, tagId }: SeedOptions) {
  const seeded = { networkIds: [] as string[], hostIds: [] as string[], serviceIds: [] as string[] };
  const rows = {
    hosts: [] as Row<HostRecord>[],
    interfaces: [] as Row<Interface>[],
    ports: [] as Row<Port>[],
    bindings: [] as Row<Binding>[],
    services: [] as Row<Service>[],
  };
  let n = 0;
  const next = (step = 1): number => (n += step) - step;

  function addHost(networkId: string, subnet: Subnet): void {
    const host = hostOf(networkId, next());
    seeded.hostIds.push(host.id);
    const inventory = { interfaces: [] as string[], ports: [] as string[], services: servicesPerHost };
    if (addressed) {
      const card = interfaceOf(host, subnet, next());
      inventory.interfaces.push(card.id);
      rows.interfaces.push([card, {}]);
    }
    rows.hosts.push([host, { lock: 0, inventory, ...hostSearchFields(host, []) }]);
    for (let position = 0; position < servicesPerHost; position++) {
      const service = serviceOf(host, position, { n: next(), bindings: bindingsPerService });
      if (tagId !== undefined) service.tags.push(tagId);
      if (bound) inventory.ports.push(bind(service, host));
      seeded.serviceIds.push(service.id);
      rows.services.push([service, { host_name: host.name }]);
    }
  }

  /** @returns the id of the port that the service is bound to */
  function bind(service: Service, host: HostRecord): string {
    const port = portOf(host, service.position + 1, next());
    rows.ports.push([port, {}]);
    const binding = bindingOf(service, port.id, next());
    service.bindings.push(binding);
    rows.bindings.push([binding, { host_id: host.id }]);
    return port.id;
  }

  return { rows, seeded, next, addHost };
}

const START_TIME = Date.UTC(2026, 0, 1);
const MANUAL = { type: "Manual" };

function made(n: number): Entity {
  const at = new Date(START_TIME + n).toISOString();
  return { id: newId(), created_at: at, updated_at: at };
}

function hostOf(networkId: string, n: number): HostRecord {
  const body = { name: `host ${n % 997}`, hostname: `host-${n % 991}`, tags: [] };
  return hostKind.make(body, { ...made(n), network_id: networkId, source: MANUAL });
}

function subnetOf(networkId: string, n: number): Subnet {
  const server = { ...made(n), network_id: networkId, cidr: "10.0.0.0/8", reserved: [], source: MANUAL };
  return subnetKind.make({ name: "LAN", tags: [] }, server);
}

function interfaceOf({ id: host_id, network_id }: HostRecord, { id: subnet_id }: Subnet, n: number): Interface {
  const ip_address = `10.${[16, 8, 0].map((bits) => (n >> bits) & 255).join(".")}`;
  const server = { ...made(n), host_id, network_id, subnet_id, ip_address, mac_address: null, position: 0 };
  return interfaceKind.make({ name: "eth0" }, server);
}

function serviceOf(host: HostRecord, position: number, { n, bindings }: { n: number; bindings: number }): Service {
  const body = {
    name: `service ${n % 983}`,
    service_definition: CATALOGUE[n % CATALOGUE.length]?.name ?? "nginx",
    tags: [...(n % 2 === 0 ? [SEED_TAGS.common] : []), ...(n % 1000 === 0 ? [SEED_TAGS.rare] : [])],
    ...(n % 100 === 0 && { attributes: { seed: n % 1000 === 0 ? SEED_TAGS.rare : SEED_TAGS.common } }),
  };
  const server = { ...made(n), host_id: host.id, network_id: host.network_id, position, bindings: [], source: MANUAL };
  const service = serviceKind.make(body, server);
  for (let i = 0; i < bindings; i++) service.bindings.push(bindingOf(service, newId(), n));
  return service;
}

function bindingOf({ id: service_id, network_id }: Service, port_id: string, n: number): Binding {
  return { ...made(n), service_id, network_id, type: "Port", port_id, interface_id: null };
}

function portOf({ id: host_id, network_id }: HostRecord, number: number, n: number): Port {
  const server = { ...made(n), host_id, network_id, type: portType(number, "Tcp") };
  return portKind.make({ number, protocol: "Tcp" }, server);
}

async function insert<T extends Entity>(
  entities: Entities<T>,
  organizationId: string,
  rows: readonly (readonly [T, object])[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    const documents = batch.map(([entity, extra]) => ({
      ...entities.documentOf(organizationId, { entity, revision: 1 }),
      ...extra,
    }));
    // Waiting for the last ones includes all: snapshot reads see only what a majority has.
    const isLast = start + BATCH >= rows.length;
    await entities.collection.insertMany(documents, { ordered: false, writeConcern: { w: isLast ? "majority" : 1 } });
  }
}
