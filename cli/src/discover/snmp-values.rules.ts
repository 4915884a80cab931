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
