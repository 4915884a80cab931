import type { Host } from "@nts/shared/contract";
import type { NetboxTable } from "@nts/shared/contract/netbox-tables.rules";
import { type ExportWriter, hostnameOf, labelOf, listeningOn, type Names } from "./writer.rules.js";

// Tables for the bulk import of NetBox 4.3 and newer, each of which refers to those before it by name. A network is a site, and
// a host a device of a type, which NetBox requires.

/** Where nothing is known of a device. */
const UNKNOWN = "Unknown";
const OTHER = "Other";
/** Of roles, which NetBox requires. */
const COLOR = "9e9e9e";

type Cell = string | number | boolean | null;

/** What the tables say besides hosts. */
export interface NetboxGiven {
  readonly names: Names;
  /** By id. */
  readonly networks: ReadonlyMap<string, string>;
  /** CIDRs of subnets by id. */
  readonly subnets: ReadonlyMap<string, string>;
}

interface Table {
  readonly headings: readonly string[];
  /** Rows that no host decides. */
  rows?(given: NetboxGiven): Iterable<readonly Cell[]>;
  /** Rows of a host. @param device its name, which no other has */
  rowsOf?(host: Host, device: string, given: NetboxGiven): Iterable<readonly Cell[]>;
  /** The same row may be of several hosts. */
  readonly isDistinct?: boolean;
}

const TABLES: Readonly<Record<NetboxTable, Table>> = {
  sites: {
    headings: ["name", "slug", "status"],
    rows: ({ networks }) => [...networks].map(([id, name]) => [name, slugOf(name, id), "active"]),
  },
  manufacturers: {
    headings: ["name", "slug"],
    isDistinct: true,
    rowsOf: (host) => [[vendorOf(host), slugOf(vendorOf(host))]],
  },
  "device-roles": {
    headings: ["name", "slug", "color"],
    isDistinct: true,
    rowsOf: (host) => [[roleOf(host), slugOf(roleOf(host)), COLOR]],
  },
  "device-types": {
    headings: ["manufacturer", "model", "slug", "u_height"],
    isDistinct: true,
    rowsOf: (host) => [[vendorOf(host), modelOf(host), slugOf(`${vendorOf(host)} ${modelOf(host)}`), 0]],
  },
  devices: {
    headings: ["name", "role", "manufacturer", "device_type", "serial", "status", "site", "description"],
    rowsOf: (host, device, { names }) => [
      [
        ...[device, roleOf(host), vendorOf(host), modelOf(host), host.observed?.serial?.value.slice(0, 50) ?? null],
        ...[(host.missed_since ?? null) === null ? "active" : "offline", names.network(host.network_id)],
        host.description?.slice(0, 200) ?? null,
      ],
    ],
  },
  interfaces: {
    headings: ["device", "name", "type"],
    rowsOf: (host, device) => interfacesOf(host).map(({ called }) => [device, called, "other"]),
  },
  "mac-addresses": {
    headings: ["mac_address", "device", "interface", "is_primary"],
    rowsOf: (host, device) =>
      interfacesOf(host).flatMap(({ called, mac }) => (mac === null ? [] : [[mac, device, called, true]])),
  },
  prefixes: {
    headings: ["prefix", "status"],
    rows: ({ subnets }) => [...new Set(subnets.values())].map((cidr) => [cidr, "active"]),
  },
  "ip-addresses": {
    headings: ["address", "status", "device", "interface", "is_primary", "dns_name"],
    rowsOf: (host, device, { subnets }) => {
      const first = new Map<boolean, string>();
      return interfacesOf(host).flatMap(({ called, addresses }) =>
        addresses.map(({ ip, subnetId }) => {
          const isV6 = ip.includes(":");
          if (!first.has(isV6)) first.set(isV6, ip);
          const bits = subnets.get(subnetId)?.split("/")[1] ?? (isV6 ? "128" : "32");
          return [`${ip}/${bits}`, "active", device, called, first.get(isV6) === ip, hostnameOf(host)];
        }),
      );
    },
  },
  services: {
    headings: ["parent_object_type", "parent", "name", "port_mappings"],
    rowsOf: (host, device) =>
      portsOfServices(host).flatMap(({ name, ports }) => {
        const pairs = ports.flatMap(({ protocol, numbers }) => numbers.map((number) => `${protocol}/${number}`));
        return pairs.length === 0 ? [] : [["dcim.device", device, name, pairs.join(",")]];
      }),
  },
  "services-before-4-7": {
    headings: ["parent_object_type", "parent", "name", "protocol", "ports"],
    rowsOf: (host, device) =>
      portsOfServices(host).flatMap(({ name, ports }) =>
        ports.map(({ protocol, numbers }) => ["dcim.device", device, name, protocol, numbers.join(",")]),
      ),
  },
};

export function createNetboxWriter(table: NetboxTable, given: NetboxGiven): ExportWriter {
  const { headings, rows, rowsOf, isDistinct = false } = TABLES[table];
  const devices = new Set<string>();
  const written = new Set<string>();
  /** The same in every table, because hosts come in the same order. */
  const deviceOf = ({ id, name }: Host): string => {
    const short = [...name].slice(0, 64).join("");
    const key = short.toLowerCase();
    const device = devices.has(key) ? `${[...name].slice(0, 27).join("")} ${id}` : short;
    devices.add(device.toLowerCase());
    return device;
  };
  return {
    begin: lineOf(headings) + [...(rows?.(given) ?? [])].map(lineOf).join(""),
    hosts: (hosts) =>
      rowsOf === undefined
        ? ""
        : hosts
            .flatMap((host) => [...rowsOf(host, deviceOf(host), given)].map(lineOf))
            .filter((line) => {
              const isNew = !isDistinct || !written.has(line);
              if (isDistinct) written.add(line);
              return isNew;
            })
            .join(""),
    end: () => [],
  };
}

function roleOf({ role, observed }: Host): string {
  return role ?? observed?.role?.value ?? OTHER;
}

function vendorOf({ observed }: Host): string {
  return observed?.vendor?.value.slice(0, 100) ?? UNKNOWN;
}

function modelOf({ observed }: Host): string {
  return observed?.model?.value.slice(0, 100) ?? UNKNOWN;
}

/** Unlike names, slugs have few characters; a number tells apart what would have the same. */
function slugOf(name: string, id = name): string {
  const label = labelOf(name).slice(0, 80);
  const isSame = label !== "" && label === name.toLowerCase().replaceAll(" ", "-");
  return isSame ? label : `${label === "" ? "x" : label}-${hashOf(id)}`;
}

/** A short number for a text, the same each time. */
function hashOf(text: string): string {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 0x1000000;
  return hash.toString(16).padStart(6, "0");
}

interface PortsOfService {
  readonly name: string;
  readonly ports: readonly { readonly protocol: string; readonly numbers: readonly number[] }[];
}

/** Where each service of a host listens, in order of the numbers. */
function portsOfServices(host: Host): PortsOfService[] {
  const listeningOf = listeningOn(host);
  return host.services.map((service) => ({
    name: service.name,
    ports: (["Tcp", "Udp"] as const).flatMap((protocol) => {
      const ports = listeningOf(service).flatMap((one) => (one.protocol === protocol ? one.port : []));
      const numbers = [...new Set(ports)].sort((a, b) => a - b);
      return numbers.length === 0 ? [] : [{ protocol: protocol.toLowerCase(), numbers }];
    }),
  }));
}

interface Called {
  readonly called: string;
  readonly mac: string | null;
  readonly addresses: readonly { readonly ip: string; readonly subnetId: string }[];
}

/** Interfaces of a host: those with one name are one with several addresses, those without are called after their address. */
function interfacesOf({ interfaces }: Host): Called[] {
  const byName = new Map<string, Called & { addresses: { ip: string; subnetId: string }[] }>();
  for (const { name, ip_address: ip, mac_address: mac, subnet_id: subnetId } of interfaces) {
    const called = [...(name ?? ip)].slice(0, 64).join("");
    const known = byName.get(called.toLowerCase());
    if (known === undefined) byName.set(called.toLowerCase(), { called, mac, addresses: [{ ip, subnetId }] });
    else known.addresses.push({ ip, subnetId });
  }
  return [...byName.values()];
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** NetBox takes cells as they are, so that nothing is added to those that a spreadsheet would evaluate. */
function cellOf(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
