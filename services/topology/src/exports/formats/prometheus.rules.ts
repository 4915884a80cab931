import type { Attributes, Host } from "@nts/shared/contract";
import { socketText } from "@nts/shared/contract/sockets.rules";
import type { Scheme } from "@nts/shared/contract/schemes.rules";
import { checksOf, type ExportWriter, listeningOn, type Names } from "./writer.rules.js";

/** The targets to list; all others are left out. */
export interface WantedTargets {
  readonly definition?: string | undefined;
  readonly scheme?: Scheme | undefined;
}

/**
 * Prometheus targets: one group per service that listens on TCP, and per scheme.
 *
 * @see https://prometheus.io/docs/prometheus/latest/http_sd/
 */
export function createPrometheusWriter(names: Names, wanted: WantedTargets = {}): ExportWriter {
  let before = "\n";
  return {
    begin: "[",
    hosts: (hosts) => {
      const groups = hosts.flatMap((host) => groupsOf(host, names, wanted));
      if (groups.length === 0) return "";
      const text = before + groups.map((group) => JSON.stringify(group)).join(",\n");
      before = ",\n";
      return text;
    },
    end: () => ["\n]\n"],
  };
}

function groupsOf(host: Host, names: Names, { definition, scheme }: WantedTargets): object[] {
  const listeningOf = listeningOn(host);
  return host.services.flatMap((service) => {
    if (definition !== undefined && service.service_definition.toLowerCase() !== definition.toLowerCase()) return [];
    const checks = checksOf(service.service_definition, listeningOf(service));
    const schemes = [...new Set(checks.map((one) => one.scheme))].filter(
      (one) => scheme === undefined || one === scheme,
    );
    const labels = {
      __meta_nts_network: names.network(host.network_id),
      __meta_nts_network_id: host.network_id,
      __meta_nts_host: host.name,
      __meta_nts_host_id: host.id,
      __meta_nts_hostname: host.hostname ?? "",
      __meta_nts_host_tags: listOf(host.tags, names),
      __meta_nts_service: service.name,
      __meta_nts_service_id: service.id,
      __meta_nts_service_definition: service.service_definition,
      __meta_nts_service_tags: listOf(service.tags, names),
      __meta_nts_host_role: host.role ?? "",
      ...labelsOf("host", host.attributes),
      ...labelsOf("service", service.attributes),
    };
    return schemes.map((one) => ({
      targets: checks.flatMap((check) => (check.scheme === one ? socketText(check.address, check.port) : [])),
      labels: { ...labels, __meta_nts_scheme: one },
    }));
  });
}

function labelsOf(of: string, attributes: Attributes): Record<string, string> {
  const labels = Object.entries(attributes).map(([key, value]) => [
    `__meta_nts_${of}_attributes_${key}`,
    String(value),
  ]);
  return Object.fromEntries(labels) as Record<string, string>;
}

/** Joined and enclosed by commas, as usual in Prometheus discoveries, so that rules can match `,web,`. */
function listOf(tags: readonly string[], names: Names): string {
  return tags.length === 0 ? "" : `,${tags.map((tag) => names.tag(tag).replaceAll(",", " ")).join(",")},`;
}
