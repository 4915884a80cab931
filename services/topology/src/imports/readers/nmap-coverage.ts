import type { Protocol } from "@nts/shared/contract";
import { parseAddress } from "../../values/addresses.js";
import { type CoveredPorts, type Coverage, isWithin, type PortRange, portRangesIn, singly } from "../coverage.rules.js";
import { MOST_SIGHTINGS, type SeenAddress } from "../scan.rules.js";
import { targetsIn } from "./nmap-targets.js";
import { PROTOCOLS } from "./texts.js";
import type { Attributes } from "./xml.js";

// What an nmap scan covers. Hosts that are down are not listed, so its command line must account for the reported
// number of addresses and hosts. Only ports reported closed count as closed; filtered ones may be open to others.

/** The relevant parts of a host. */
export interface ScannedHost {
  readonly isUp: boolean;
  /** It was not probed. */
  readonly isUnknown: boolean;
  readonly isCutShort: boolean;
  readonly addresses: ReadonlySet<string>;
  readonly examined: Examined;
}

/** The port states of a host. */
export interface Examined {
  port(protocol: Protocol | undefined, number: number, state: string): void;
  /** The state of all ports that are not listed. */
  others(state: string): void;
  /** The same with port numbers, as in later versions of nmap. */
  reason(attributes: Attributes): void;
  /** @param ip scanned address @param scanned all scanned ports, by protocol */
  covered(ip: string, scanned: Scanned): CoveredPorts[];
}

type Scanned = ReadonlyMap<Protocol, readonly PortRange[]>;

/** Maximum characters of the reported port numbers of a protocol. */
const MOST_CHARACTERS = 1_000;
const NOTHING: readonly PortRange[] = [];

export function createExamined(): Examined {
  /** Listed ports by protocol: closed ones, and others. */
  const closed = new Map<Protocol, Set<number>>();
  const unclear = new Map<Protocol, Set<number>>();
  const reasons: { readonly protocol: Protocol; readonly ranges: readonly PortRange[] }[] = [];
  let states = new Set<string>();
  let last = "";

  const note = (map: Map<Protocol, Set<number>>, protocol: Protocol, number: number): void => {
    map.set(protocol, (map.get(protocol) ?? new Set<number>()).add(number));
  };

  return {
    port: (protocol, number, state) => {
      if (protocol !== undefined && number >= 1 && number <= 65_535)
        note(state === "closed" ? closed : unclear, protocol, number);
    },
    others: (state) => {
      last = state;
      states = states.add(state);
    },
    reason: ({ proto = "", ports = "" }) => {
      const protocol = PROTOCOLS.get(proto);
      if (last === "closed" && protocol !== undefined) reasons.push({ protocol, ranges: portRangesIn(ports) });
    },
    covered: (ip, scanned) => {
      const found: CoveredPorts[] = [];
      for (const [protocol, numbers] of closed) found.push({ ip, protocol, ranges: singly(numbers), except: NOTHING });
      const isAllClosed = states.size === 1 && states.has("closed");
      if (isAllClosed)
        for (const [protocol, ranges] of scanned)
          found.push({ ip, protocol, ranges, except: singly(unclear.get(protocol) ?? []) });
      else for (const one of reasons) found.push({ ip, ...one, except: NOTHING });
      return found;
    },
  };
}

/** A count; implausible if invalid. */
function countIn(text = ""): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

export interface NmapCoverage {
  /** An element outside of hosts. */
  opens(path: string, attributes: Attributes): void;
  host(host: ScannedHost): void;
  portsOf(host: ScannedHost): CoveredPorts[];
  /** @param isWhole false for a truncated scan */
  end(isWhole: boolean): Coverage;
}

export function createNmapCoverage(): NmapCoverage {
  const scanned = new Map<Protocol, readonly PortRange[]>();
  const ports: string[] = [];
  const absent: SeenAddress[] = [];
  const mentioned = new Set<string>();
  let args = "";
  let scanner = "";
  let isUnsure = false;
  let up = -1;
  let total = -1;
  let listedUp = 0;

  const takeServices = ({ protocol: written = "", services = "" }: Attributes): void => {
    const protocol = PROTOCOLS.get(written);
    const ranges = portRangesIn(services);
    if (protocol === undefined || ranges.length === 0) return;
    // With two scans of one protocol, their results cannot be told apart.
    scanned.set(protocol, scanned.has(protocol) ? [] : ranges);
    ports.push(`${services.slice(0, MOST_CHARACTERS)}/${written}`);
  };

  return {
    opens: (path, attributes) => {
      if (path === "nmaprun") ({ args = "", scanner = "" } = attributes);
      else if (path === "nmaprun/scaninfo") takeServices(attributes);
      else if (path === "nmaprun/runstats/hosts")
        [up, total] = [countIn(attributes["up"]), countIn(attributes["total"])];
    },
    host: ({ isUp, isUnknown, addresses }) => {
      isUnsure ||= isUnknown;
      if (isUp) listedUp++;
      for (const ip of addresses)
        if (isUp || isUnknown) mentioned.add(ip);
        else if (absent.length < MOST_SIGHTINGS) absent.push({ ip, mac: null });
    },
    portsOf: ({ isCutShort, addresses, examined }) => {
      const [ip] = addresses;
      return isCutShort || ip === undefined ? [] : examined.covered(ip, scanned);
    },
    end: (isWhole) => {
      const targets = isWhole && scanner === "nmap" && !isUnsure ? targetsIn(args) : null;
      const isProven = targets !== null && targets.count === BigInt(total) && listedUp === up;
      const addresses = isProven ? targets.ranges : [];
      // Addresses within a range need not be listed.
      const alone = absent.filter(({ ip }) => !isWithin(addresses, parseAddress(ip).key));
      return {
        addresses,
        absent: scanner === "nmap" ? alone : [],
        mentioned,
        reported: { addresses: isProven ? targets.texts : [], ports },
      };
    },
  };
}
