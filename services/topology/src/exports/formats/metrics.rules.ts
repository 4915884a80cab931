import type { Host } from "@nts/shared/contract";
import type { NetworkCounts } from "../../storage/inventory-counts.js";
import { type ExportWriter, metricText } from "./writer.rules.js";

// Counts of the inventory for each network, as Prometheus scrapes them.

/** Days within which the end of a certificate counts as soon. */
export const SOON_MS = 30 * 86_400_000;

const HELP: Readonly<Record<keyof NetworkCounts, string>> = {
  hosts: "Hosts of the network.",
  strangers: "Hosts that an import has made, and nobody has said that they are known.",
  missed_hosts: "Hosts that imports do not find any more.",
  ports: "Ports of the hosts.",
  services: "Services of the hosts.",
  missed_services: "Services that imports do not find any more.",
  certificates: "Ports with a certificate.",
  certificates_ending: "Ports whose certificate has ended, or ends within 30 days.",
};
type Metric = keyof NetworkCounts;

/** The metrics by what they count. */
export const INVENTORY_METRICS: ReadonlyMap<Metric, { readonly metric: string; readonly help: string }> = new Map(
  Object.entries(HELP).map(([name, help]) => [name as Metric, { metric: `nts_inventory_${name}`, help }]),
);
const NAMES = [...INVENTORY_METRICS.keys()];

/** @param networks their names by id, also of those without hosts */
export function createMetricsWriter(networks: ReadonlyMap<string, string>, nowMs: number): ExportWriter {
  const zero = (): Record<Metric, number> =>
    Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<Metric, number>;
  const counts = new Map([...networks.keys()].map((id) => [id, zero()]));
  return {
    begin: "",
    hosts: (hosts) => {
      for (const host of hosts) {
        const sums = counts.get(host.network_id) ?? zero();
        counts.set(host.network_id, sums);
        for (const [name, count] of Object.entries(countsOf(host, nowMs))) sums[name as Metric] += count;
      }
      return "";
    },
    end: () =>
      [...INVENTORY_METRICS].map(([name, { metric, help }]) => {
        const lines = [...counts].map(([network_id, sums]) =>
          metricText(metric, { network: networks.get(network_id) ?? network_id, network_id }, sums[name]),
        );
        return `# HELP ${metric} ${help}\n# TYPE ${metric} gauge\n${lines.join("")}`;
      }),
  };
}

function countsOf(
  { is_known: isKnown, missed_since: missed, ports, services }: Host,
  nowMs: number,
): Record<Metric, number> {
  const isMissed = (since: string | null | undefined): boolean => (since ?? null) !== null;
  const ends = ports.flatMap(({ observed }) => observed?.certificate?.not_after ?? []);
  return {
    hosts: 1,
    strangers: isKnown ? 0 : 1,
    missed_hosts: isMissed(missed) ? 1 : 0,
    ports: ports.length,
    services: services.length,
    missed_services: services.filter((one) => isMissed(one.missed_since)).length,
    certificates: ends.length,
    certificates_ending: ends.filter((end) => Date.parse(end) < nowMs + SOON_MS).length,
  };
}
