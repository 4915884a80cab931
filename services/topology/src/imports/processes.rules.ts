import { CATALOGUE } from "../values/definitions/catalogue.js";
import { own } from "./guess.rules.js";
import type { SeenService } from "./scan.rules.js";

// Program names behind listening sockets. The kernel keeps fifteen characters.

/** Proxies, behind which only the port is informative. */
const PASS_ON: ReadonlySet<string> = new Set([
  "docker-proxy",
  // Docker Desktop, of which `lsof` keeps nine characters.
  "com.docke",
  "com.docker.backend",
  "rootlessport",
  "conmon",
  "slirp4netns",
  "pasta",
  "pasta.avx2",
  "systemd",
  "launchd",
  "svchost.exe",
  "init",
  "xinetd",
  "inetd",
]);

/** Interpreters and runtimes: less informative than the port, but better than nothing. */
const RUN_OTHERS: ReadonlySet<string> = new Set([
  "java",
  "node",
  "python",
  "python3",
  "ruby",
  "perl",
  "php",
  "php-fpm",
  "dotnet",
  "mono",
  "bun",
  "deno",
  "uvicorn",
  "gunicorn",
  "beam.smp",
  "main",
  "server",
]);

/** Catalogue definitions, or scanners' service names, by program name in lower case. */
export const SERVICE_OF_PROCESS: Readonly<Partial<Record<string, string>>> = {
  sshd: "ssh",
  dropbear: "ssh",
  apache2: "Apache HTTP Server",
  httpd: "Apache HTTP Server",
  lighttpd: "http",
  named: "BIND",
  unbound: "Unbound",
  pdns_server: "PowerDNS Authoritative Server",
  "pihole-ftl": "Pi-hole",
  adguardhome: "AdGuard Home",
  "systemd-resolve": "domain",
  "systemd-resolved": "domain",
  "systemd-timesyn": "ntp",
  "systemd-network": "dhcp",
  chronyd: "ntp",
  ntpd: "ntp",
  "avahi-daemon": "mdns",
  mdnsresponder: "mdns",
  mdnsrespo: "mdns",
  dhcpd: "dhcp",
  "kea-dhcp4": "dhcp",
  "kea-dhcp6": "dhcpv6",
  dhclient: "dhcp",
  dhcpcd: "dhcp",
  "in.tftpd": "tftp",
  tftpd: "tftp",
  bgpd: "FRRouting",
  rpcbind: "rpcbind",
  "rpc.mountd": "mountd",
  "rpc.statd": "nfs",
  smbd: "Samba",
  nmbd: "Samba",
  vsftpd: "ftp",
  proftpd: "ftp",
  "pure-ftpd": "ftp",
  rsync: "rsync",
  tgtd: "iSCSI Target",
  postgres: "PostgreSQL",
  postmaster: "PostgreSQL",
  mysqld: "MySQL",
  mariadbd: "MariaDB",
  mongod: "MongoDB",
  "redis-server": "Redis",
  "valkey-server": "Redis",
  memcached: "Memcached",
  influxd: "InfluxDB",
  "clickhouse-serv": "ClickHouse",
  etcd: "etcd",
  "nats-server": "NATS",
  mosquitto: "Eclipse Mosquitto",
  minio: "MinIO",
  dockerd: "Docker",
  "kube-apiserver": "Kubernetes API",
  prometheus: "Prometheus",
  alertmanager: "Alertmanager",
  node_exporter: "Prometheus Node Exporter",
  "prometheus-node": "Prometheus Node Exporter",
  zabbix_server: "Zabbix",
  zabbix_agentd: "Zabbix Agent",
  zabbix_agent2: "Zabbix Agent",
  netdata: "Netdata",
  loki: "Grafana Loki",
  rsyslogd: "Syslog",
  "syslog-ng": "Syslog",
  upsd: "Network UPS Tools",
  snmpd: "Net-SNMP",
  snmptrapd: "SNMP Trap Receiver",
  grafana: "Grafana",
  "grafana-server": "Grafana",
  "cockpit-ws": "Cockpit",
  "cockpit-tls": "Cockpit",
  gitea: "Gitea",
  forgejo: "Forgejo",
  ollama: "Ollama",
  slapd: "OpenLDAP",
  krb5kdc: "kerberos",
  kadmind: "kerberos",
  radiusd: "RADIUS",
  freeradius: "RADIUS",
  vault: "HashiCorp Vault",
  vaultwarden: "Vaultwarden",
  "plex media serv": "Plex",
  jellyfin: "Jellyfin",
  sonarr: "Sonarr",
  radarr: "Radarr",
  "qbittorrent-nox": "qBittorrent",
  "transmission-da": "Transmission",
  hass: "Home Assistant",
  cupsd: "CUPS",
  "cups-browsed": "CUPS",
  xrdp: "rdp",
  xvnc: "vnc",
  x0vncserver: "vnc",
  pveproxy: "Proxmox VE",
  spiceproxy: "Proxmox VE",
  "proxmox-backup-": "Proxmox Backup Server",
  master: "Postfix",
  exim4: "smtp",
  exim: "smtp",
  dovecot: "Dovecot",
  asterisk: "Asterisk",
  turnserver: "coturn",
  murmurd: "Mumble",
  "mumble-server": "Mumble",
  charon: "strongSwan",
  openvpn: "OpenVPN",
  "wireguard-go": "WireGuard",
  boringtun: "WireGuard",
  tailscaled: "Tailscale",
  "zerotier-one": "ZeroTier",
  squid: "Squid",
  haproxy: "HAProxy",
  envoy: "Envoy",
  caddy: "Caddy",
  traefik: "Traefik",
  nginx: "nginx",
  dnsmasq: "dnsmasq",
  coredns: "CoreDNS",
};

/** Programs that ask others: their UDP sockets of high ports wait for answers. */
const ASK_OTHERS: ReadonlySet<string> = new Set([
  "named",
  "unbound",
  "pdns_server",
  "dnsmasq",
  "coredns",
  "pihole-ftl",
  "adguardhome",
  "systemd-resolve",
  "systemd-resolved",
  "systemd-timesyn",
  "systemd-network",
  "chronyd",
  "ntpd",
  "avahi-daemon",
  "dhclient",
  "dhcpcd",
  "in.tftpd",
  "tftpd",
  "dockerd",
  "squid",
  "hass",
  "plex media serv",
  "cups-browsed",
  "cupsd",
  "rsyslogd",
  "syslog-ng",
  "snmpd",
  "snmptrapd",
  "radiusd",
  "freeradius",
  "telegraf",
  "zabbix_server",
  "haproxy",
  "nginx",
  "envoy",
]);

/** Whether a UDP socket of a high port of this program is a service: of one that is known, and asks nobody by itself. */
export function servesHighPorts(program: string | null): boolean {
  const name = program?.toLowerCase() ?? "";
  return own(SERVICE_OF_PROCESS, name) !== undefined && !ASK_OTHERS.has(name);
}

/** The main thread's name in Node 24 and later, which the kernel reports. */
const MAIN_THREAD_OF_NODE = "MainThread";

const CATALOGUED: ReadonlySet<string> = new Set(CATALOGUE.map(({ name }) => name));

/** The service implied by a program name; null if unknown. @param written as the kernel reports it */
export function serviceOfProcess(written: string | null): SeenService | null {
  const program = written === MAIN_THREAD_OF_NODE ? "node" : written;
  const name = program?.toLowerCase();
  if (program === null || name === undefined || PASS_ON.has(name)) return null;
  // Programs append roles to their names, as in `pveproxy worker`.
  const known = own(SERVICE_OF_PROCESS, name) ?? own(SERVICE_OF_PROCESS, name.split(" ", 1)[0] ?? "");
  const probed = { isWrapped: false, isProbed: true };
  if (known === undefined) return { ...probed, name: program, product: RUN_OTHERS.has(name) ? null : program };
  return CATALOGUED.has(known) ? { ...probed, name: null, product: known } : { ...probed, name: known, product: null };
}

/** Whether a program only passes on to others, or starts them. */
export function passesOn(program: string): boolean {
  return PASS_ON.has(program.toLowerCase());
}

/** Whether the name of a program says what it is, unlike those of interpreters. */
export function isKnownProgram(program: string): boolean {
  return own(SERVICE_OF_PROCESS, program.toLowerCase()) !== undefined;
}

/** The service of an image with the name of a known program; null of any other. Unlike programs, images have no roles in their names. */
export function serviceOfImage(image: string | null): Pick<SeenService, "name" | "product"> | null {
  const known = image === null ? undefined : own(SERVICE_OF_PROCESS, image.toLowerCase());
  if (known === undefined) return null;
  return CATALOGUED.has(known) ? { name: null, product: known } : { name: known, product: null };
}

/** Characters of a program's name that lsof prints. */
const PRINTED_BY_LSOF = 9;

/** The known program whose name begins like this, as lsof cuts names; the text itself if none does. */
export function programBeginning(cut: string): string {
  const beginning = cut.toLowerCase();
  if (beginning.length < PRINTED_BY_LSOF || own(SERVICE_OF_PROCESS, beginning) !== undefined) return cut;
  return Object.keys(SERVICE_OF_PROCESS).find((name) => name.startsWith(beginning)) ?? cut;
}
