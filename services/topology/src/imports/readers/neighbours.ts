import type { Role } from "@nts/shared/contract";
import type { SeenHost } from "../scan.rules.js";
import type { MachineKeys, WiredPort } from "../wiring/wiring.rules.js";
import { clip, hostnameIn, reasonAgainst } from "./texts.js";

// What a neighbour says of itself by LLDP or CDP.

const LONGEST_NAME = 100;

/** A neighbour besides its port. */
export interface Introduced {
  readonly line: number;
  readonly macs: readonly string[];
  /** In canonical form. */
  readonly ips: readonly string[];
  readonly name: string;
  readonly description: string;
  readonly abilities: ReadonlySet<Ability>;
}

export type Ability = "bridge" | "router" | "wlan" | "phone";

/** Systems that bridge and route, although they are no network devices. */
const OF_COMPUTERS = /linux|debian|ubuntu|windows|proxmox|esxi|vmware|freebsd|darwin|mac ?os/i;

/** The machine as a sighting; null if nothing identifies it. */
export function hostOfNeighbour({ line, macs, ips, name, description, abilities }: Introduced): SeenHost | null {
  const reachable = ips.filter((ip) => reasonAgainst(ip) === null);
  const hostname = hostnameIn(name);
  const [mac = null] = macs;
  if (reachable.length === 0 && hostname === null && mac === null) return null;
  const role = OF_COMPUTERS.test(description) ? null : roleOf(abilities);
  return {
    line,
    addresses: reachable.map((ip) => ({ ip, mac: null })),
    hostname,
    ...(hostname === null && reachable.length === 0 && { name: clip(name, LONGEST_NAME) }),
    vendor: clip(description, LONGEST_DESCRIPTION),
    cards: macs,
    ...(role !== null && { role }),
    ports: [],
  };
}

const LONGEST_DESCRIPTION = 200;

/** A port of which only the name is known. */
export function barePort(name: string): WiredPort {
  const unknown = { mac: null, speedMbps: null, lag: null, carrier: null, vids: [] };
  return { name, called: [name], ...unknown, isVirtual: false };
}

/** The place of each name among those of a device's ports. */
export function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(names)].map((name, place) => [name, place]));
}

/** The keys of the same machine. */
export function keysOfNeighbour({ macs, ips, name }: Pick<Introduced, "macs" | "ips" | "name">): MachineKeys {
  return {
    macs,
    ips: ips.filter((ip) => reasonAgainst(ip) === null),
    name: hostnameIn(name) ?? clip(name, LONGEST_NAME),
  };
}

function roleOf(abilities: ReadonlySet<Ability>): Role | null {
  if (abilities.has("phone")) return "Phone";
  if (abilities.has("wlan")) return abilities.has("router") ? "Router" : "AccessPoint";
  if (abilities.has("bridge")) return "Switch";
  return abilities.has("router") ? "Router" : null;
}
