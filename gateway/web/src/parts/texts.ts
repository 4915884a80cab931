import { type Category, type Change, CHANGE_ACTIONS, type KindName, pluralOf, type Role } from "@nts/shared/contract";

// Names of the API as people write them.

/** Subnet types are free text; these are the ones that the console suggests. */
const SUBNET_TYPES: Readonly<Record<string, string>> = { Lan: "LAN", Wlan: "WLAN", Dmz: "DMZ", Iot: "IoT", Vpn: "VPN" };

export function subnetTypeText(type: string): string {
  return SUBNET_TYPES[type] ?? type;
}

/** The stored type for a text, so that both are one group. */
export function subnetTypeOf(text: string): string {
  return Object.keys(SUBNET_TYPES).find((type) => SUBNET_TYPES[type] === text) ?? text;
}

/** Such as `Network access`. */
export function categoryText(category: Category): string {
  return category.replaceAll(
    /([a-z])([A-Z])(?=[a-z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
}

const ROLE_TEXTS: Readonly<Partial<Record<Role, string>>> = {
  AccessPoint: "Access point",
  Nas: "NAS",
  Mobile: "Mobile device",
  Media: "Media player",
  Iot: "IoT device",
  Ups: "UPS",
};

export function roleText(role: Role): string {
  return ROLE_TEXTS[role] ?? role;
}

/** Port types that are neither one word nor one abbreviation. */
const PORT_TYPES: Readonly<Record<string, string>> = {
  FtpData: "FTP data",
  RpcBind: "rpcbind",
  OpenVpn: "OpenVPN",
  MsRpc: "Microsoft RPC",
  NetBiosSession: "NetBIOS session",
  NetBiosName: "NetBIOS names",
  NetBiosDatagram: "NetBIOS datagrams",
  DnsOverTls: "DNS over TLS",
  MsSql: "Microsoft SQL Server",
  DockerTls: "Docker with TLS",
  HttpProxy: "HTTP proxy",
  HttpAlternate: "HTTP",
  HttpsAlternate: "HTTPS",
  MySql: "MySQL",
  PostgreSql: "PostgreSQL",
  MongoDb: "MongoDB",
  KubernetesApi: "Kubernetes API",
  SnmpTrap: "SNMP traps",
  RadiusAccounting: "RADIUS accounting",
  IpsecNatTraversal: "IPsec NAT traversal",
  DhcpV6: "DHCPv6",
  Iscsi: "iSCSI",
  Mdns: "mDNS",
  JetDirect: "JetDirect",
  WireGuard: "WireGuard",
};

const PORT_WORDS: ReadonlySet<string> = new Set([
  ...["Docker", "Elasticsearch", "Kafka", "Kerberos", "Memcached", "Oracle", "Redis"],
  ...["Rsync", "Submission", "Syslog", "Telnet"],
]);

/** The well-known name of a port as people write it, such as `HTTPS`. */
export function portTypeText(type: string): string {
  return PORT_TYPES[type] ?? (PORT_WORDS.has(type) ? type : type.toUpperCase());
}

export function virtualizationTypeText(type: string): string {
  return type === "ProxmoxVM" ? "Proxmox VM" : type;
}

/** What happened to an entity, such as `not seen`. */
export function changeActionText(action: Change["action"]): string {
  return action === "missed" ? "not seen" : action === "returned" ? "seen again" : action;
}

/** The choices of a filter by what happened. */
export const CHANGE_ACTION_CHOICES = CHANGE_ACTIONS.map((value) => ({ value, label: changeActionText(value) }));

/** Such as `Hosts`. */
export function kindText(name: KindName): string {
  if (name === "Vlan") return "VLANs";
  return pluralOf(name).replace(/^./, (first) => first.toUpperCase());
}

/** The name of an entity of the journal, which names ports `443/Tcp`. */
export function entityName({ entity, name }: { readonly entity: string; readonly name: string }): string {
  return entity === "Port" ? name.toLowerCase() : name;
}
