import type { Host } from "@nts/shared/contract";
import { type ExportWriter, hostnameOf, labelOf } from "./writer.rules.js";

const SECONDS = 300;

/**
 * A zone file (RFC 1035 § 5): a record per address of a host, named by its hostname if that is in the zone, else by its
 * name. The serial increases with changes of the inventory.
 */
export function createDnsWriter(zone: string, serial: number): ExportWriter {
  const origin = zone.toLowerCase().replace(/\.$/, "");
  const begin = [
    `$ORIGIN ${origin}.`,
    `$TTL ${SECONDS}`,
    `@ IN SOA localhost. hostmaster.${origin}. ${serial % 2 ** 32} 3600 600 604800 ${SECONDS}`,
    "@ IN NS localhost.",
    "",
  ];
  return {
    begin: begin.join("\n"),
    hosts: (hosts) => hosts.map((host) => recordsOf(nameIn(origin, host), host)).join(""),
    end: () => [],
  };
}

function recordsOf(name: string | null, { interfaces }: Host): string {
  if (name === null) return "";
  const records = interfaces.map(({ ip_address: ip }) => `${name} IN ${ip.includes(":") ? "AAAA" : "A"} ${ip}\n`);
  return [...new Set(records)].join("");
}

/** The name of a host within a zone: its hostname relative to the zone, else its name. */
function nameIn(origin: string, host: Host): string | null {
  const hostname = hostnameOf(host);
  if (hostname?.endsWith(`.${origin}`) === true) return hostname.slice(0, -origin.length - 1);
  const label = hostname === null || hostname.includes(".") ? labelOf(host.name) : hostname;
  return label === "" ? null : label;
}
