import type { Host } from "@nts/shared/contract";
import { type ExportWriter, metricText } from "./writer.rules.js";

// Counts of the inventory for each network, as Prometheus scrapes them.

/** Days within which the end of a certificate counts as soon. */
const SOON_MS = 30 * 86_400_000;

const METRICS = {
  hosts: "Hosts of the network.",
  strangers: "Hosts that an import has made, and nobody has said that they are known.",
  missed_hosts: "Hosts that imports do not find any more.",
  ports: "Ports of the hosts.",
  services: "Services of the hosts.",
  missed_services: "Services that imports do not find any more.",
  certificates: "Ports with a certificate.",
  certificates_ending: "Ports whose certificate has ended, or ends within 30 days.",
} as const;
type Metric = keyof typeof METRICS;
const NAMES = Object.keys(METRICS) as Metric[];

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
      NAMES.map((name) => {
        const metric = `nts_inventory_${name}`;
        const lines = [...counts].map(([network_id, sums]) =>
          metricText(metric, { network: networks.get(network_id) ?? network_id, network_id }, sums[name]),
        );
        return `# HELP ${metric} ${METRICS[name]}\n# TYPE ${metric} gauge\n${lines.join("")}`;
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
