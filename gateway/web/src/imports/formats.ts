import type { CsvResource, ImportFormat } from "@nts/shared/contract";

/** What formats are called, and how to get a file of each. */
export const FORMATS: Readonly<Record<ImportFormat, { readonly label: string; readonly command: string | null }>> = {
  auto: { label: "Recognize by content", command: null },
  "ip-neigh": { label: "Neighbours (ip neigh, arp)", command: "ip -j neigh > neighbours.json" },
  docker: { label: "Containers (docker inspect)", command: "docker inspect $(docker ps -q) > containers.json" },
  "dhcp-leases": { label: "DHCP leases (dnsmasq, Kea, ISC)", command: "cp /var/lib/misc/dnsmasq.leases ." },
  "ansible-facts": {
    label: "Ansible facts (setup)",
    command: "ansible all -m setup --tree facts; cat facts/* > facts.json",
  },
  proxmox: {
    label: "Proxmox VE (pvesh)",
    command: "pvesh get /cluster/status --output-format json > proxmox.json",
  },
  csv: { label: "Table (CSV)", command: null },
  ss: { label: "Listening sockets (ss)", command: "sudo ss -H -tulnp > sockets.txt" },
};

/** What the rows of a table may be, in the words of people. */
export const ROWS: Readonly<Record<CsvResource, string>> = {
  hosts: "Hosts",
  interfaces: "Interfaces",
  ports: "Ports",
  services: "Services",
};

/** What people call the format that a file was read as. */
export function formatLabel(format: string): string {
  if (format === "nmap") return "Scan (nmap)";
  return format in FORMATS ? FORMATS[format as ImportFormat].label : format;
}
