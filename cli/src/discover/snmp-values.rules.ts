// What devices say by SNMP, as OIDs and values.

/** Scalars: description, kind, and name of the system; model and serial number of its first part. */
export const SYSTEM = {
  description: "1.3.6.1.2.1.1.1.0",
  kind: "1.3.6.1.2.1.1.2.0",
  name: "1.3.6.1.2.1.1.5.0",
  model: "1.3.6.1.2.1.47.1.1.1.1.13.1",
  serial: "1.3.6.1.2.1.47.1.1.1.1.11.1",
} as const;

/** Columns: MAC addresses of interfaces, interfaces of own IPv4 addresses, and MAC addresses of neighbours. */
export const TABLES = {
  macs: "1.3.6.1.2.1.2.2.1.6",
  addresses: "1.3.6.1.2.1.4.20.1.2",
  neighbours: "1.3.6.1.2.1.4.22.1.2",
} as const;

/**
 * What says how devices are connected, for links: columns and tables of SNMPv2, IF, BRIDGE, Q-BRIDGE, IP, LAG, LLDP (both
 * versions), CDP and ENTITY MIBs.
 */
export const CONNECTIONS: readonly string[] = [
  "1.3.6.1.2.1.1",
  ...[2, 3, 5, 6, 7, 8].map((column) => `1.3.6.1.2.1.2.2.1.${column}`),
  ...[1, 15, 18].map((column) => `1.3.6.1.2.1.31.1.1.1.${column}`),
  "1.3.6.1.2.1.31.1.2.1.3",
  "1.3.6.1.2.1.4.20.1.2",
  "1.3.6.1.2.1.4.22.1.2",
  "1.3.6.1.2.1.17.1.1",
  "1.3.6.1.2.1.17.1.4.1.2",
  "1.3.6.1.2.1.17.4.3.1",
  "1.3.6.1.2.1.17.7.1.2.2.1",
  "1.3.6.1.2.1.17.7.1.4.2.1",
  "1.3.6.1.2.1.17.7.1.4.3.1",
  "1.3.6.1.2.1.17.7.1.4.5.1.1",
  "1.2.840.10006.300.43.1.2.1.1.13",
  "1.0.8802.1.1.2.1.3",
  "1.0.8802.1.1.2.1.4",
  "1.3.111.2.802.1.1.13.1.3",
  "1.3.111.2.802.1.1.13.1.4",
  "1.3.6.1.4.1.9.9.23.1.2.1.1",
  ...[2, 4, 5, 7, 8, 10, 11, 12, 13].map((column) => `1.3.6.1.2.1.47.1.1.1.1.${column}`),
];

/** What a machine says of itself. */
export interface SnmpMachine {
  readonly name: string | null;
  readonly vendor: string | null;
  readonly model: string | null;
  readonly serial: string | null;
  readonly os: { readonly name: string; readonly version: string | null } | null;
  /** Its own addresses, with the MAC addresses of their interfaces. */
  readonly addresses: readonly { readonly ip: string; readonly mac: string | null }[];
  /** Those that it knows on its links. */
  readonly neighbours: readonly { readonly ip: string; readonly mac: string }[];
  /** {@link CONNECTIONS}, as `snmpwalk -On` prints them. */
  readonly walk: string;
}

/** Types of values as the protocol numbers them. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [2, "INTEGER"],
  [65, "Counter32"],
  [66, "Gauge32"],
  [70, "Counter64"],
]);

/** A value as `snmpwalk -On` prints it; empty if there is none. */
export function walkLine(oid: string, type: number, value: unknown): string {
  const line = (text: string): string => `.${oid} = ${text}\n`;
  if (type === 6 && typeof value === "string") return line(`OID: .${value}`);
  if (type === 64 && typeof value === "string") return line(`IpAddress: ${value}`);
  if (type === 67 && typeof value === "number") return line(`Timeticks: (${value})`);
  if (Buffer.isBuffer(value) && type === 70) return line(`Counter64: ${BigInt(`0x0${value.toString("hex")}`)}`);
  if (Buffer.isBuffer(value)) {
    const text = value.toString("latin1");
    if (/^[\x20-\x7e]*$/.test(text)) return line(`STRING: "${text.replaceAll(/["\\]/g, "\\$&")}"`);
    return line(`Hex-STRING: ${value.toString("hex").toUpperCase().replaceAll(/../g, "$& ")}`);
  }
  const name = TYPES.get(type);
  return name !== undefined && typeof value === "number" ? line(`${name}: ${value}`) : "";
}

/** A row of a table: its index, such as `2.10.0.0.1`. */
export type Rows = readonly (readonly [index: string, value: unknown])[];

/** Vendors by their numbers under 1.3.6.1.4.1, as IANA assigns them. */
const VENDORS: ReadonlyMap<string, string> = new Map([
  ["9", "Cisco"],
  ["11", "HP"],
  ["318", "APC"],
  ["674", "Dell"],
  ["1588", "Brocade"],
  ["2636", "Juniper"],
  ["3808", "CyberPower"],
  ["4526", "Netgear"],
  ["6574", "Synology"],
  ["6876", "VMware"],
  ["9303", "PacketLight"],
  ["10002", "Ubiquiti"],
  ["11863", "TP-Link"],
  ["12356", "Fortinet"],
  ["14823", "Aruba"],
  ["14988", "MikroTik"],
  ["24681", "QNAP"],
  ["25461", "Palo Alto Networks"],
  ["25506", "H3C"],
  ["30065", "Arista"],
  ["41112", "Ubiquiti"],
]);

/** Systems as their descriptions begin. */
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^Linux \S+ (\d[\w.+-]*)/, "Linux"],
  [/^FreeBSD \S+ (\d[\w.-]*)/, "FreeBSD"],
  [/^RouterOS ?(\d[\w.]*)?/, "RouterOS"],
  [/^Cisco (?:IOS|Internetwork Operating System).*?Version ([\w.()]+)/s, "Cisco IOS"],
  [/^Cisco NX-OS.*?Version ([\w.()]+)/s, "Cisco NX-OS"],
  [/^Juniper Networks.*?JUNOS ([\w.-]+)/s, "Junos"],
  [/^Arista Networks EOS version ([\w.]+)/, "Arista EOS"],
  [/^Hardware:.*Software: Windows Version ([\d.]+)/, "Windows"],
];

export function systemIn(description: string): SnmpMachine["os"] {
  for (const [pattern, name] of SYSTEMS) {
    const found = pattern.exec(description);
    if (found !== null) return { name, version: found[1] ?? null };
  }
  return null;
}

/** @param kind such as `1.3.6.1.4.1.14988.1` */
export function vendorIn(kind: string): string | null {
  return VENDORS.get(/^1\.3\.6\.1\.4\.1\.(\d+)/.exec(kind)?.[1] ?? "") ?? null;
}

/** Own addresses that others can reach. */
export function addressesIn(addresses: Rows, macs: Rows): SnmpMachine["addresses"] {
  const macOf = new Map(macs.map(([index, value]) => [index, macIn(value)]));
  return addresses
    .filter(([ip]) => !/^(?:127|0|169\.254)\./.test(ip))
    .map(([ip, index]) => ({ ip, mac: macOf.get(String(index)) ?? null }));
}

/** The index is the number of an interface and an address. */
export function neighboursIn(rows: Rows): SnmpMachine["neighbours"] {
  return rows.flatMap(([index, value]) => {
    const ip = index.slice(index.indexOf(".") + 1);
    const mac = macIn(value);
    return mac === null ? [] : [{ ip, mac }];
  });
}

/** A MAC address of six bytes that is that of one card. */
function macIn(value: unknown): string | null {
  if (!Buffer.isBuffer(value) || value.length !== 6 || (value.readUInt8(0) & 1) === 1) return null;
  const text = value.toString("hex").replaceAll(/..(?!$)/g, "$&:");
  return text === "00:00:00:00:00:00" ? null : text;
}
