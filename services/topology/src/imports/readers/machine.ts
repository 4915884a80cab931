import { COVERS_NOTHING } from "../coverage.rules.js";
import {
  createSkipped,
  MOST_INTERFACES_OF_HOST,
  MOST_OPEN_PORTS,
  type Scan,
  MOST_PORTS_OF_HOST,
  type SeenHost,
  type SeenPort,
  type Skipped,
  type Workload,
} from "../scan.rules.js";
import { toolInfo } from "./texts.js";

// Files about one machine's own open ports. The request names the machine.

/** Where a port is open, null for all addresses; or why it is not reachable. */
export type PortPlace = { readonly ip: string | null } | { readonly reason: string };

export interface Machine {
  readonly skipped: Skipped;
  /** Why no further port is accepted; null if one is. */
  full(): string | null;
  /** Adds an open port. @returns why it is skipped; null if it is not */
  open(place: PortPlace, port: Omit<SeenPort, "ip">): string | null;
  /** Adds what runs without a port. @returns why it is skipped; null if it is not */
  run(workload: Workload): string | null;
  /** @param line where the machine's data starts @param says its covered ports, containers and connections */
  scan(tool: string, line: number, says?: Pick<SeenHost, "covered" | "containers" | "connections">): Scan;
}

export function createMachine(): Machine {
  const addresses = new Set<string>();
  const ports: SeenPort[] = [];
  const workloads: Workload[] = [];
  const skipped = createSkipped();
  const full = (): string | null =>
    ports.length === MOST_OPEN_PORTS ? `an import takes at most ${MOST_OPEN_PORTS} open ports` : null;
  return {
    skipped,
    full,
    open: (place, port) => {
      if ("reason" in place) return place.reason;
      const { ip } = place;
      const excess = full();
      if (excess !== null) return excess;
      if (ip !== null && !addresses.has(ip) && addresses.size === MOST_INTERFACES_OF_HOST)
        return `an import takes at most ${MOST_INTERFACES_OF_HOST} addresses of a host`;
      if (ip !== null) addresses.add(ip);
      ports.push({ ...port, ip });
      return null;
    },
    run: (workload) => {
      if (workloads.length === MOST_PORTS_OF_HOST)
        return `an import takes at most ${MOST_PORTS_OF_HOST} services without ports of a host`;
      workloads.push(workload);
      return null;
    },
    scan: (tool, line, says = {}) => {
      const { covered = [] } = says;
      const seen = [...addresses].map((ip) => ({ ip, mac: null }));
      const own = { line, isNamed: true, addresses: seen, hostname: null, vendor: null };
      const host = { ...own, ports, workloads, ...says, covered };
      const scan = { info: toolInfo(tool), brokeOff: null, hosts: [host], unanswered: 0, skipped };
      const ranges = covered.map(({ protocol }) => `1-65535/${protocol.toLowerCase()}`);
      return { ...scan, coverage: { ...COVERS_NOTHING, reported: { addresses: [], ports: ranges } } };
    },
  };
}

/** Parses a port number; null if invalid. */
export function portNumberIn(text: string): number | null {
  const number = Number(text);
  return /^\d{1,5}$/.test(text) && number >= 1 && number <= 65_535 ? number : null;
}
