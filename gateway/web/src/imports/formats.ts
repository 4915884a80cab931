import type { CsvResource, ImportFormat } from "@nts/shared/contract";

/** Names of import formats, and how to create a file. */
export const FORMATS: Readonly<Record<ImportFormat, { readonly label: string; readonly command: string | null }>> = {
  report: { label: "Report of nts", command: "nts collect --discover --print > report.jsonl" },
  auto: { label: "Recognize by content", command: null },
  "ip-neigh": { label: "Neighbours (ip neigh, arp)", command: "ip -j neigh > neighbours.json" },
  arp: { label: "ARP table (arp, routers, switches)", command: "arp -an > arp.txt" },
  masscan: { label: "Scan (masscan)", command: "sudo masscan -p1-1000 192.168.1.0/24 -oJ scan.json" },
  naabu: { label: "Scan (naabu)", command: "naabu -host 192.168.1.0/24 -json -o scan.json" },
  "etc-hosts": { label: "Hosts file", command: "cp /etc/hosts hosts.txt" },
  "ansible-inventory": {
    label: "Ansible inventory",
    command: "ansible-inventory --list > inventory.json",
  },
  docker: {
    label: "Containers (docker inspect)",
    command: "(echo '# docker inspect $(docker ps -q)'; docker inspect $(docker ps -q)) > containers.json",
  },
  compose: { label: "Containers (Compose file)", command: "docker compose config > compose.yaml" },
  kubernetes: {
    label: "Kubernetes cluster (kubectl)",
    command: "kubectl get nodes,services,pods -A -o json > cluster.json",
  },
  "dhcp-leases": { label: "DHCP leases (dnsmasq, Kea, ISC)", command: "cp /var/lib/misc/dnsmasq.leases ." },
  "ansible-facts": {
    label: "Ansible facts (setup)",
    command: "ansible all -m setup --tree facts; cat facts/* > facts.json",
  },
  proxmox: {
    label: "Proxmox VE (pvesh)",
    command: "pvesh get /cluster/status --output-format json > proxmox.json",
  },
  lldp: { label: "Neighbours (lldpd)", command: "sudo lldpctl -f json0 > lldp.json" },
  "snmp-walk": {
    label: "Switch or router (snmpwalk)",
    command: "snmpwalk -On -v2c -c public 192.168.1.2 .1 > switch.txt",
  },
  csv: { label: "Table (CSV)", command: null },
  ss: { label: "Sockets (ss)", command: '(echo "# ss -H -tunap"; sudo ss -H -tunap) > sockets.txt' },
  netstat: { label: "Listening sockets (netstat)", command: "netstat -an > sockets.txt" },
  lsof: { label: "Listening sockets (lsof)", command: "sudo lsof -nP -i > sockets.txt" },
};

/** Labels of the row types of a table. */
export const ROWS: Readonly<Record<CsvResource, string>> = {
  hosts: "Hosts",
  interfaces: "Interfaces",
  ports: "Ports",
  services: "Services",
};

/** What can be imported, in words. */
export const SUPPORTED: readonly string[] = [
  "Scan (nmap)",
  ...Object.entries(FORMATS).flatMap(([format, { label }]) => (format === "auto" ? [] : label)),
];

/** The label of the detected format. */
export function formatLabel(format: string): string {
  if (format === "nmap") return "Scan (nmap)";
  return format in FORMATS ? FORMATS[format as ImportFormat].label : format;
}
