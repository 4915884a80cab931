import type { Host } from "@nts/shared/contract";
import { type ExportWriter, metricText, type Names } from "./writer.rules.js";

const METRIC = "nts_certificate_not_after_seconds";
const HEAD = `# HELP ${METRIC} When the certificate of a port ends, as last seen by an import.\n# TYPE ${METRIC} gauge\n`;

/**
 * Metrics: when the certificates of ports end.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createCertificatesWriter(names: Names): ExportWriter {
  return { begin: HEAD, hosts: (hosts) => hosts.map((host) => linesOf(host, names)).join(""), end: () => [] };
}

function linesOf({ id, name, network_id, interfaces, ports }: Host, names: Names): string {
  return ports
    .flatMap(({ number, protocol, observed }) => {
      const { not_after: notAfter = null, subject = "" } = observed?.certificate ?? {};
      if (notAfter === null) return [];
      const labels = {
        ...{ network: names.network(network_id), host: name, host_id: id, address: interfaces[0]?.ip_address ?? "" },
        ...{ port: `${number}/${protocol.toLowerCase()}`, subject },
      };
      return metricText(METRIC, labels, Date.parse(notAfter) / 1_000);
    })
    .join("");
}
