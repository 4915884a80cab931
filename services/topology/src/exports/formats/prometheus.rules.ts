import type { Attributes, Host } from "@nts/shared/contract";
import { socketText } from "@nts/shared/contract/sockets.rules";
import { type ExportWriter, listeningOn, type Names } from "./writer.rules.js";

/**
 * Prometheus targets: one group per service that listens on TCP.
 *
 * @see https://prometheus.io/docs/prometheus/latest/http_sd/
 */
export function createPrometheusWriter(names: Names): ExportWriter {
  let before = "\n";
  return {
    begin: "[",
    hosts: (hosts) => {
      const groups = hosts.flatMap((host) => groupsOf(host, names));
      if (groups.length === 0) return "";
      const text = before + groups.map((group) => JSON.stringify(group)).join(",\n");
      before = ",\n";
      return text;
    },
    end: () => ["\n]\n"],
  };
}

function groupsOf(host: Host, names: Names): object[] {
  const listeningOf = listeningOn(host);
  return host.services.flatMap((service) => {
    const targets = listeningOf(service)
      .filter(({ protocol }) => protocol === "Tcp")
      .map(({ address, port }) => socketText(address, port));
    if (targets.length === 0) return [];
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
    return [{ targets, labels }];
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
