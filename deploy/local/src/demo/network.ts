import { hostBody, HOSTS, labelOf, subnetBodies } from "@nts/shared/sample/bodies";
import { NETWORK_NAME, type SubnetKey, SUBNETS } from "@nts/shared/sample/data";
import type { DemoApi } from "./api.js";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface MadeHost extends Named {
  readonly hostname: string | null;
}

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
    if (!made.has(host.name)) {
      const runnerIds = new Map([...made.values()].map(({ id, hostname }) => [labelOf(hostname), id]));
      const body = hostBody(host, { networkId: network.id, subnetIds, runnerIds });
      made.set(host.name, await api.post<MadeHost>("/api/v1/hosts", body));
    }
    if ((index + 1) % REPORT_EVERY === 0) report(`  ${index + 1} of ${HOSTS.length} hosts`);
  }
  const services = HOSTS.reduce((sum, host) => sum + host.services.length, 0);
  report(`  "${NETWORK_NAME}": ${SUBNETS.length} subnets, ${HOSTS.length} hosts, ${services} services`);
  return network.id;
}

async function createSubnets(api: DemoApi, networkId: string): Promise<Map<SubnetKey, string>> {
  const existing = await api.get<Named[]>(`/api/v1/subnets?network_id=${networkId}&limit=0`);
  const ids = new Map<SubnetKey, string>();
  for (const [key, body] of subnetBodies(networkId)) {
    const found = existing.find(({ name }) => name === body.name);
    ids.set(key, (found ?? (await api.post<Named>("/api/v1/subnets", body))).id);
  }
  return ids;
}
