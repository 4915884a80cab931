import type { CsvResource, ExportFormat } from "@nts/shared/contract";
import type { NetboxTable } from "@nts/shared/contract/netbox-tables.rules";

interface Format {
  readonly label: string;
  /** The consuming program, and the content. */
  readonly about: string;
  readonly fileName: string;
}

/** The export formats. */
export const EXPORTS: Readonly<Record<ExportFormat, Format>> = {
  prometheus: {
    label: "Prometheus (http_sd)",
    about: "Targets: every service that listens on TCP. Prometheus polls the URL with an API key.",
    fileName: "targets.json",
  },
  certificates: {
    label: "Certificates (Prometheus metrics)",
    about: "When the certificates that scans have seen end. Prometheus scrapes the URL with an API key.",
    fileName: "certificates.txt",
  },
  metrics: {
    label: "Inventory (Prometheus metrics)",
    about:
      "How many hosts, strangers, missing hosts and ending certificates each network has. Prometheus scrapes the URL.",
    fileName: "metrics.txt",
  },
  ansible: {
    label: "Ansible (inventory)",
    about: "All hosts with their variables, in groups by network, tag and service.",
    fileName: "inventory.json",
  },
  homepage: {
    label: "Homepage (services.yaml)",
    about: "A dashboard with links to all web services, by network.",
    fileName: "services.yaml",
  },
  gatus: {
    label: "Gatus (endpoints)",
    about: "A check of each service, in groups by network. What a service needs is said in comments.",
    fileName: "gatus.yaml",
  },
  "uptime-kuma": {
    label: "Uptime Kuma (AutoKuma labels)",
    about: "Monitors in a group per host, within the group of the device that it hangs on, or of what it runs on.",
    fileName: "autokuma.yaml",
  },
  "home-assistant": {
    label: "Home Assistant (package)",
    about: "A sensor for each host that imports have seen, which is off while they do not find it.",
    fileName: "home-assistant.yaml",
  },
  netbox: {
    label: "NetBox (CSV)",
    about: "Tables for its bulk import, one after another in the order of the list.",
    fileName: "netbox-sites.csv",
  },
  drawio: {
    label: "diagrams.net (drawio)",
    about: "A diagram of subnets, their hosts, and their services with ports.",
    fileName: "topology.drawio",
  },
  dns: { label: "DNS zone (BIND)", about: "A record for each address of a host.", fileName: "zone.txt" },
  hosts: { label: "Hosts file (/etc/hosts)", about: "Each address with the names of its host.", fileName: "hosts.txt" },
  csv: { label: "Table (CSV)", about: "For spreadsheets. It can be imported again.", fileName: "hosts.csv" },
};

export interface Chosen {
  readonly format: ExportFormat;
  readonly networkId: string | null;
  readonly tags: readonly string[];
  readonly roles: readonly string[];
  /** As `key` or `key:value`; empty for all. */
  readonly attribute: string;
  /** Only for DNS zones. */
  readonly zone: string;
  /** Only for tables. */
  readonly resource: CsvResource;
  /** Only for NetBox. */
  readonly table: NetboxTable;
}

/** The path of an export; null if it is incomplete. */
export function exportPath({
  format,
  networkId,
  tags,
  roles,
  attribute,
  zone,
  resource,
  table,
}: Chosen): string | null {
  if (format === "dns" && zone.trim() === "") return null;
  const query = new URLSearchParams([
    ...(format === "dns" ? [["zone", zone.trim()]] : []),
    ...(format === "csv" ? [["resource", resource]] : []),
    ...(format === "netbox" ? [["table", table]] : []),
    ...(format === "home-assistant" ? [["base_url", location.origin]] : []),
    ...(networkId === null ? [] : [["network_id", networkId]]),
    ...tags.map((id) => ["tag_ids", id]),
    ...roles.map((role) => ["role", role]),
    ...(attribute.trim() === "" ? [] : [["attribute", attribute.trim().replaceAll(",", "\\,")]]),
  ]);
  return `/api/v1/exports/${format}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** The file name of an export. */
export function exportFileName({ format, resource, table }: Pick<Chosen, "format" | "resource" | "table">): string {
  if (format === "netbox") return `netbox-${table}.csv`;
  return format === "csv" ? `${resource}.csv` : EXPORTS[format].fileName;
}
