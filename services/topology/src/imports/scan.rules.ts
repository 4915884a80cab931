import type { Attributes, ImportedColumn, ImportedScan, Protocol, Role, SkippedPart } from "@nts/shared/contract";
import type { SeenConnections } from "./connections.rules.js";
import { copyOf } from "./copies.rules.js";
import type { CoveredPorts, Coverage } from "./coverage.rules.js";
import type { SaysOfHost, SaysOfPort } from "./observations.rules.js";
import type { SeenVirtualization } from "./virtualization.rules.js";
import type { WiredDevice } from "./wiring/wiring.rules.js";

// The parsed content of a scan: sightings of hosts, and skipped parts with reasons.

/** How much of a file is imported. */
export interface FileLimits {
  /** Uncompressed. */
  readonly bytes: number;
  readonly hosts: number;
  /** What to do with a larger one. */
  readonly advice: string;
}

/** Of an import whose response waits for it. */
export const RESPONSE_LIMITS: FileLimits = {
  bytes: 41_943_040,
  hosts: 10_000,
  advice: "import it as a job, or in parts",
};
export const JOB_LIMITS: FileLimits = { bytes: 67_108_864, hosts: 30_000, advice: "import it in parts" };

/** Limits of an import. */
export const MOST_OPEN_PORTS = 100_000;
export const MOST_ADDRESSES = 100_000;
export const MOST_NEW_SUBNETS = 1_000;
/** As many of each as a host can be created with. */
export const MOST_PORTS_OF_HOST = 1_000;
export const MOST_INTERFACES_OF_HOST = 1_000;
/** Per host: open ports by address. */
export const MOST_PLACES_OF_HOST = 5_000;
/** Listed skipped and missed parts. */
export const MOST_LISTED = 10_000;
/** Hosts before merging. */
export const MOST_SIGHTINGS = 100_000;
/** Stands for all addresses of a host in the text of a place. */
export const ALL_ADDRESSES = "*";

/** What a scanner reports about the service behind a port. */
export interface SeenService {
  readonly name: string | null;
  readonly product: string | null;
  /** The product, if `product` is a proper name. */
  readonly kind?: string | null;
  /** The definition given by a person; not a guess. */
  readonly definition?: string | null;
  /** Behind TLS. */
  readonly isWrapped: boolean;
  /** Probed; otherwise the name only reflects the port number. */
  readonly isProbed: boolean;
  readonly version?: string | null;
  readonly cpe?: readonly string[];
  /** `kind` is all that says what it is: the image of a container. Neither its name nor a port number counts. */
  readonly isOfImage?: boolean;
  /** What a person has written of it. */
  readonly attributes?: Attributes;
  readonly virtualization?: SeenVirtualization;
}

/** The containers of a machine, by type and name as {@link containerKey} writes them. */
export interface SeenContainers {
  readonly running: ReadonlySet<string>;
  readonly stopped: ReadonlySet<string>;
  /** The type of which the file has all that run; null if it may have some of them. */
  readonly allOf: string | null;
}

/** @param type such as `Docker` */
export function containerKey(type: string, name: string): string {
  return `${type} ${name}`;
}

/** A service that runs on a host without a port that others can reach. */
export interface Workload {
  readonly line: number;
  readonly service: SeenService;
  /** It may have ports of its machine, which this file does not tell. */
  readonly isOnHostNetwork: boolean;
}

export interface SeenAddress {
  /** In canonical form. */
  readonly ip: string;
  /** In canonical form; null if the scanner was not on its link. */
  readonly mac: string | null;
  /** To whom the MAC address is assigned. */
  readonly vendor?: string | null;
  /** What a person has written of its interface. */
  readonly attributes?: Attributes;
}

/** An open port at one address, or reported by the machine itself for all. */
export interface SeenPort {
  readonly line: number;
  /** Null stands for all addresses of the host. */
  readonly ip: string | null;
  readonly protocol: Protocol;
  readonly number: number;
  readonly service: SeenService | null;
  /** From a list without service information, so a known service is not replaced by a guess. */
  readonly isListed?: boolean;
  readonly says?: SaysOfPort;
}

/** A host that was up; it has at least one address, unless the request names it. */
export interface SeenHost {
  readonly line: number;
  /** It is the machine that produced the file, named by the request. */
  readonly isNamed?: boolean;
  readonly addresses: readonly SeenAddress[];
  /** MAC addresses of its chassis and ports, which identify it although they have no addresses; it may then have none. */
  readonly cards?: readonly string[];
  /** Where it is not known: it only adds to a host that exists, as the row of a list of devices does. */
  readonly isOnlyKnown?: boolean;
  readonly hostname: string | null;
  /** Its display name, if distinct from the hostname. */
  readonly name?: string | null;
  /** Network card vendor, or another description for a new host. */
  readonly vendor: string | null;
  readonly says?: SaysOfHost;
  readonly virtualization?: SeenVirtualization | null;
  readonly workloads?: readonly Workload[];
  readonly containers?: SeenContainers;
  /** What it talks to, and what talks to it. */
  readonly connections?: SeenConnections;
  /** What a person has written of it. */
  readonly role?: Role | null;
  /** By name. */
  readonly tags?: readonly string[];
  readonly attributes?: Attributes;
  readonly ports: readonly SeenPort[];
  /** Ports whose state the file reports; none if absent. */
  readonly covered?: readonly CoveredPorts[];
}

/** Skipped parts: all counted, the first ones listed. */
export interface Skipped {
  add(line: number, what: string, reason: string, cell?: Pick<SkippedPart, "column" | "code">): void;
  readonly listed: readonly SkippedPart[];
  count(): number;
}

/** A parsed scan. */
export interface Scan {
  readonly info: ImportedScan;
  /** Where it is truncated; null if complete. */
  readonly brokeOff: { readonly line: number; readonly column: number; readonly reason: string } | null;
  readonly hosts: readonly SeenHost[];
  /** Hosts assumed up by option that did not respond. */
  readonly unanswered: number;
  readonly skipped: Skipped;
  /** What the columns of a table were taken for. */
  readonly columns?: readonly ImportedColumn[];
  /** What devices say about their connections. */
  readonly devices?: readonly WiredDevice[];
  /** Null for files written by people, which observed nothing. */
  readonly coverage: Coverage | null;
}

/** Starts empty, or with the skipped parts of another collection. */
export function createSkipped(
  before: { listed: readonly SkippedPart[]; count: number } = { listed: [], count: 0 },
): Skipped {
  const listed = [...before.listed];
  let { count } = before;
  return {
    listed,
    count: () => count,
    add: (line, what, reason, cell) => {
      count++;
      if (listed.length < MOST_LISTED) listed.push(copyOf({ line, what, reason, ...cell }));
    },
  };
}

/** Formats where a port is open. */
export function placeText(ip: string | null): string {
  return ip ?? ALL_ADDRESSES;
}

/** Formats a port, such as `443/tcp`. */
export function portText({ number, protocol }: { readonly number: number; readonly protocol: Protocol }): string {
  return `${number}/${protocol.toLowerCase()}`;
}
