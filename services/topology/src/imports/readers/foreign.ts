// Files that are not read, by how they begin, and what to import instead.

const FOREIGN: readonly (readonly [beginning: RegExp, advice: string])[] = [
  [
    /^# Nmap [\d.]+\S* scan initiated .*-o(?:G|A)\b(?!.*\nNmap scan)|^(?:# Nmap .*\n)?(?:# Ports scanned:.*\n)?Host: \S+ \(.*\)\t/,
    "is the greppable output of nmap, which leaves out much: scan with -oX, and import the XML file",
  ],
  [
    /^# Nmap [\d.]+\S* scan initiated |^Starting Nmap [\d.]+/,
    "is the output of nmap for people: scan with -oX, and import the XML file",
  ],
  [/^Nmap scan report for /, "is the output of nmap for people: scan with -oX, and import the XML file"],
  [
    /^lo0?\s+UNKNOWN\s|^\S+\s+Link encap:|^\d+: lo: <LOOPBACK|^lo0?: flags=/,
    "lists the addresses of one machine: import `ip -j neigh` or `ss -H -tulnp` of it, or run `nts collect` there",
  ],
  [
    /^(?:#.*\n|\s*\n)*(?!x-)[\w.-]{1,100}:[ \t]*\n[ \t]+(?:image|build|container_name|links):/,
    "is a Compose file of the first version: write `services:` above it, and indent the rest",
  ],
  [
    /^(?:CONTAINER ID\s+IMAGE|NAMES\s+IMAGE)/,
    "is a list of containers for people: import `docker inspect $(docker ps -q)` instead",
  ],
  [
    /^NAME\s+(?:STATUS|TYPE|READY)\s+/,
    "is a table of kubectl for people: import the output of `kubectl get nodes,services,pods -A -o json`",
  ],
  [
    /^(?:# )?Masscan [\d.]+ scan initiated /i,
    "is the greppable output of masscan: scan with -oJ or -oX, and import that",
  ],
  [/^\$?[\w$]*tart[\w$!1|]* ?nmap [\d.]+/i, "is the output of nmap for people: scan with -oX, and import the XML file"],
  [
    /^(?:You requested a scan type which requires root|(?:bash|zsh|sh): .*(?:not found|denied)|sudo: )/,
    "is the error of a command: run it again, and import what it prints",
  ],
  [/^Error response from daemon/, "is the error of a command: run it again, and import what it prints"],
  [
    /^\[\s*\{\s*"ifindex"|^(?:\S+: flags=\d+|Windows[ -]IP|Configuration IP de Windows|Configuraci\S+n IP de Windows)/,
    "lists the addresses of one machine: import `ip -j neigh` or `ss -H -tulnp` of it, or run `nts collect` there",
  ],
  [
    /^(?:default via |Kernel IP routing table|Routing tables|={20,}\s*(?:Interface List|Schnittstellenliste))/,
    "is a table of routes, which names no machines: import `ip -j neigh` of the same machine",
  ],
  [
    /^(?:PING \S+ \(|Pinging \S+ |traceroute to |Tracing route to |\S+ is (?:alive|unreachable)$|\S+ -> \[[\d,]+\])/m,
    "lists answers, and says little of machines: scan with nmap -oX, and import the XML file",
  ],
  [
    /^(?:\|?\d\|?\S* |\[?[\w.:,-]+\]?(?::\d+)? )(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+) AAAA/,
    "is a list of keys of SSH servers: import /etc/hosts, or an inventory",
  ],
  [
    /^(?:Host \S+\s+(?:HostName|User|Port) )/i,
    "is a configuration of SSH: import /etc/hosts, or an inventory of Ansible",
  ],
  [
    /^(?:;.*\n\s*)*(?:\$(?:ORIGIN|TTL)\b|\S+\s+(?:\d+\s+)?IN\s+SOA\s)/,
    "is a zone of a DNS server, which is not read: write its addresses and names as in /etc/hosts",
  ],
  [
    /^\s*VMID\s+(?:NAME|Status)\b/,
    "is a list of guests for people: import responses of `pvesh get … --output-format json`",
  ],
  [/^\{[\s\S]{0,200}"terraform_version"/, "is a state of Terraform, which is not read: export its machines as CSV"],
  [
    /^\{"Command":"[\s\S]{0,3000}"Image":/,
    "is a list of containers without their ports: import `docker inspect $(docker ps -q)` instead",
  ],
  [
    /^[+=];[^;\n]*;IPv[46];/,
    "is the output of avahi-browse: run `nts agent`, which asks by mDNS itself, or import `ip -j neigh`",
  ],
  [
    /^100\.\d+\.\d+\.\d+ +\S{1,100} +\S{1,100}@\S{0,100} +\S{1,100} +(?:-|active|idle|offline)/,
    "is the status of Tailscale for people: import `tailscale status --json`",
  ],
  [/^interface: \S+\n\s+public key: /, "is the state of WireGuard, which names no machines: write them as CSV"],
  [
    /^\s*Id\s+Name\s+State\n-+/,
    "is a list of guests for people: import `virsh net-dhcp-leases`, or run `nts agent` on the machine",
  ],
  [
    /^(?:\S{1,100}[#>].{0,300}\n)?\s*Mac Address Table\n|^(?:\S{1,100}[#>].{0,300}\n)?Vlan +Mac Address +Type +Ports/,
    "is the table of a switch, which has no addresses: import its ARP table (`show ip arp`), or `snmpwalk -On` of it",
  ],
  [
    /^(?:\S{1,100}[#>].{0,300}\n)?Capability Codes:.*(?:\n.*){1,6}\n\s*Device ID\s+Local Int/i,
    "are the neighbours of a switch for people: import `snmpwalk -On` of it",
  ],
  [
    /^(?:\S{1,100}[#>].{0,300}\n)?(?:-{10,}\n)?\s*Device ID: ?\S/,
    "are the neighbours of a switch for people: import `snmpwalk -On` of it",
  ],
  [
    /^(?:\d{1,3}(?:\.\d{1,3}){3}[ \t]*\n){2}/,
    "is a list of addresses alone, which says nothing of the machines: scan them with nmap -oX, or write a table with the headings ip_address and hostname",
  ],
  [
    /^(?:#.*\n|\s)*define (?:host|hostgroup|service) ?\{/,
    "is a configuration of Nagios, which is not read: write its hosts as CSV",
  ],
  [/^-{20,}\nLLDP neighbors:/, "are neighbours for people: import `lldpctl -f json0`"],
  [/^\[\s*\{\s*"(?:targets|labels)"\s*:/, "is a list of targets of Prometheus: import what it was made from"],
  [
    /^(?:#TYPE .*\n)?"?(?:LocalAddress|CreationTime|Caption)"?,.*"?LocalPort"?/,
    "is a list of connections of PowerShell: import the output of `netstat -ano`",
  ],
  [
    /^(?:Changed the current scope context|={20,}\s*IP Address +- Subnet Mask)/,
    "is a list of leases for people: import what `Get-DhcpServerv4Lease -ScopeId 10.0.0.0 | Export-Csv leases.csv` writes",
  ],
  [
    /^"?Plugin ID"?,/,
    "is a report of Nessus, which lists findings: scan with nmap -oX, or write its machines as a table with the headings ip_address and hostname",
  ],
  [
    /^\d{1,3}(?:\.\d{1,3}){3};(?:up|down);/,
    "is a table of Fing without headings: write IP Address;State;Checked;Changed;Hostname;MAC Address;Vendor above it",
  ],
  [/^\[\s*\]\s*$/, "is an empty list: there is nothing to import"],
  [/^"?prefix"?\s*[,;\t]/i, "lists networks, not machines: export the IP addresses instead"],
  [/^\{\\rtf/, "is a formatted text: save it as plain text"],
  [/^<\?xml[^>]*>\s*<\?mso-application/, "is an Excel workbook in XML: save the sheet as CSV"],
];

/** What to do instead of importing a file that starts like this; null if nothing is known. */
export function adviceFor(beginning: string): string | null {
  return FOREIGN.find(([start]) => start.test(beginning))?.[1] ?? null;
}
