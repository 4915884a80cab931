import { randomUUID } from "node:crypto";
import type { DemoApi } from "./api.js";
import { type DemoHost, type DemoService, NETWORK_NAME, type SubnetKey, SUBNETS } from "./data.js";
import { DMZ_HOSTS } from "./hosts-dmz.js";
import { OFFICE_HOSTS } from "./hosts-office.js";
import { SERVER_HOSTS } from "./hosts-servers.js";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface MadeHost extends Named {
  readonly hostname: string | null;
}

/** All hosts of the demo network. */
export const HOSTS = [...SERVER_HOSTS, ...DMZ_HOSTS, ...OFFICE_HOSTS];
const REPORT_EVERY = 10;

/**
 * Creates what is missing of the demo network: one call per subnet, and one per host with its children. @returns its id
 */
export async function createNetwork(api: DemoApi, report: (line: string) => void): Promise<string> {
  const networks = await api.get<Named[]>("/api/v1/networks?limit=0");
  const network =
    networks.find(({ name }) => name === NETWORK_NAME) ??
    (await api.post<Named>("/api/v1/networks", { name: NETWORK_NAME, tags: ["demo"] }));
  const subnetIds = await createSubnets(api, network.id);

  const existing = await api.get<MadeHost[]>(`/api/v1/hosts?network_id=${network.id}&limit=0`);
  const made = new Map(existing.map((host) => [host.name, host]));
  for (const [index, host] of HOSTS.entries()) {
    const body = (): object => hostBody(host, { networkId: network.id, subnetIds, runnerIds: runnerIdsOf(made) });
    if (!made.has(host.name)) made.set(host.name, await api.post<MadeHost>("/api/v1/hosts", body()));
    if ((index + 1) % REPORT_EVERY === 0) report(`  ${index + 1} of ${HOSTS.length} hosts`);
  }
  const services = HOSTS.reduce((sum, host) => sum + host.services.length, 0);
  report(`  "${NETWORK_NAME}": ${SUBNETS.length} subnets, ${HOSTS.length} hosts, ${services} services`);
  return network.id;
}

async function createSubnets(api: DemoApi, networkId: string): Promise<Map<SubnetKey, string>> {
  const existing = await api.get<Named[]>(`/api/v1/subnets?network_id=${networkId}&limit=0`);
  const ids = new Map<SubnetKey, string>();
  for (const { key, ...subnet } of SUBNETS) {
    const found = existing.find(({ name }) => name === subnet.name);
    const made = found ?? (await api.post<Named>("/api/v1/subnets", { ...subnet, network_id: networkId, tags: [] }));
    ids.set(key, made.id);
  }
  return ids;
}

/** Ids of hosts by the first label of their hostname, by which virtual machines name their node. */
function runnerIdsOf(hosts: ReadonlyMap<string, MadeHost>): ReadonlyMap<string, string> {
  return new Map([...hosts.values()].map(({ id, hostname }) => [hostname?.split(".")[0] ?? "", id]));
}

interface Surroundings {
  readonly networkId: string;
  readonly subnetIds: ReadonlyMap<SubnetKey, string>;
  readonly runnerIds: ReadonlyMap<string, string>;
}

/** The body of a host creation, with local ids to which bindings refer. */
function hostBody(host: DemoHost, { networkId, subnetIds, runnerIds }: Surroundings): object {
  const { interfaces, services, virtualization, ...own } = host;
  const runnerId = runnerIds.get(virtualization?.details["node"] ?? "");
  const interfaceIds = interfaces.map(() => randomUUID());
  const portIds = new Map(
    services.flatMap(([, , ...ports]) => ports.map((port) => [withoutInterface(port), randomUUID()])),
  );
  const bindingsOf = ([, , ...ports]: DemoService): object[] => {
    if (ports.length === 0) return [{ type: "Interface", interface_id: interfaceIds[0] }];
    return ports.map((port) => ({
      type: "Port",
      port_id: portIds.get(withoutInterface(port)),
      interface_id: port.includes("@") ? interfaceIds[Number(port.split("@")[1])] : null,
    }));
  };
  return {
    ...own,
    ...(virtualization && {
      virtualization: {
        ...virtualization,
        details: { ...virtualization.details, ...(runnerId && { host_id: runnerId }) },
      },
    }),
    network_id: networkId,
    interfaces: interfaces.map(([subnet, ip_address, mac_address, name], index) => ({
      id: interfaceIds[index],
      subnet_id: subnetIds.get(subnet),
      ip_address,
      mac_address,
      name,
    })),
    ports: [...portIds].map(([port, id]) => {
      const [number, protocol] = port.split("/");
      return { id, number: Number(number), protocol };
    }),
    services: services.map((service) => {
      const [name, service_definition] = service;
      return { name, service_definition, bindings: bindingsOf(service), tags: [] };
    }),
  };
}

function withoutInterface(port: string): string {
  return port.split("@")[0] ?? port;
}
