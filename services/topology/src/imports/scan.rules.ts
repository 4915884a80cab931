import type { ImportedScan, Protocol, SkippedPart } from "@nts/shared/contract";
import type { CoveredPorts, Coverage } from "./coverage.rules.js";

// What an import keeps of a scan: what has been seen of hosts, and what of the file was left out and why.

/** Limits of one import, so that no file makes it grow beyond bounds. */
export const MOST_HOSTS = 10_000;
export const MOST_OPEN_PORTS = 100_000;
export const MOST_ADDRESSES = 100_000;
export const MOST_NEW_SUBNETS = 1_000;
/** As many of each as a host can be created with. */
export const MOST_PORTS_OF_HOST = 1_000;
export const MOST_INTERFACES_OF_HOST = 1_000;
/** Of a host: where something answers, a port at an address. */
export const MOST_PLACES_OF_HOST = 5_000;
/** Of what is left out, and of what is missed. */
export const MOST_LISTED = 10_000;
/** Of hosts, before those that are one are joined. */
export const MOST_SIGHTINGS = 100_000;
/** Stands where a plan names an address. */
export const ALL_ADDRESSES = "*";

/** What a scanner says of the service behind a port. */
export interface SeenService {
  readonly name: string | null;
  readonly product: string | null;
  /** The product that it is, where `product` is a name of its own. */
  readonly kind?: string | null;
  /** The definition, as a person has written it down; it is no guess. */
  readonly definition?: string | null;
  /** Behind TLS. */
  readonly isWrapped: boolean;
  /** It was asked; otherwise the name only stands for the number of the port. */
  readonly isProbed: boolean;
}

export interface SeenAddress {
  /** In canonical form. */
  readonly ip: string;
  /** In canonical form; null when the scanner was not on its link. */
  readonly mac: string | null;
}

/** An open port, seen at one address, or told by its own machine to be open at all of them. */
export interface SeenPort {
  readonly line: number;
  /** Null stands for all addresses of the host. */
  readonly ip: string | null;
  readonly protocol: Protocol;
  readonly number: number;
  readonly service: SeenService | null;
  /** It is one of a list, which says nothing of what answers there: where it is known already, that is not guessed. */
  readonly isListed?: boolean;
}

/** A host that was up; it has an address at least, unless the request says which one it is. */
export interface SeenHost {
  readonly line: number;
  /** It is the machine that the file is from, which the request names. */
  readonly isNamed?: boolean;
  readonly addresses: readonly SeenAddress[];
  readonly hostname: string | null;
  /** What people call it, where that is told apart from its host name. */
  readonly name?: string | null;
  /** Who made its network card, or what else a new host is described by. */
  readonly vendor: string | null;
  readonly ports: readonly SeenPort[];
  /** Ports of which the file tells whether they are open; none when it is absent. */
  readonly covered?: readonly CoveredPorts[];
}

/** What was left out. All of it is counted; the first of it is listed. */
export interface Skipped {
  add(line: number, what: string, reason: string, cell?: Pick<SkippedPart, "column" | "code">): void;
  readonly listed: readonly SkippedPart[];
  count(): number;
}

/** A scan as read from its file. */
export interface Scan {
  readonly info: ImportedScan;
  /** Where it ends early; null when it is whole. */
  readonly brokeOff: { readonly line: number; readonly column: number; readonly reason: string } | null;
  readonly hosts: readonly SeenHost[];
  /** Hosts that the scanner was told to take as up, and of which nothing answered. */
  readonly unanswered: number;
  readonly skipped: Skipped;
  /** Null for a file that people write, and nothing has been seen for. */
  readonly coverage: Coverage | null;
}

/** What has been left out until now: nothing, or what another one has listed and counted. */
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
      if (listed.length < MOST_LISTED) listed.push({ line, what, reason, ...cell });
    },
  };
}

/** How people write where a port is open. */
export function placeText(ip: string | null): string {
  return ip ?? ALL_ADDRESSES;
}

/** How people write a port, such as `443/tcp`. */
export function portText({ number, protocol }: { readonly number: number; readonly protocol: Protocol }): string {
  return `${number}/${protocol.toLowerCase()}`;
}
