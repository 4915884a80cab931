import type { LinkKind, Role } from "@nts/shared/contract";

// What devices say about how they are connected, as readers find it in their tables.

/** What identifies a machine, from the strongest to the weakest. */
export interface MachineKeys {
  /** Of its chassis and ports, in canonical form. */
  readonly macs: readonly string[];
  /** In canonical form. */
  readonly ips: readonly string[];
  readonly name: string | null;
  /** It is the machine that the request names. */
  readonly isNamed?: boolean;
}

export interface WiredPort {
  /** As its device calls it. */
  readonly name: string;
  /** All names that neighbours may have for it. */
  readonly called: readonly string[];
  readonly mac: string | null;
  readonly speedMbps: number | null;
  /** The aggregate that it is a member of, by its place among the ports. */
  readonly lag: number | null;
  /** Of a subinterface, the port that carries it. */
  readonly carrier: number | null;
  /** Of a bridge inside of a machine: no cable leads there. */
  readonly isVirtual: boolean;
  readonly vids: readonly number[];
}

/** Whom a device hears at a port. */
export interface WiredNeighbour {
  readonly line: number;
  readonly by: "lldp" | "cdp";
  /** The own port, by its place among the ports. */
  readonly port: number;
  readonly machine: MachineKeys;
  /** What the neighbour calls its port, best first. */
  readonly portNames: readonly string[];
  readonly portMac: string | null;
}

/** A device with its ports. */
export interface WiredDevice {
  readonly line: number;
  /** For messages. */
  readonly name: string;
  readonly machine: MachineKeys;
  readonly ports: readonly WiredPort[];
  readonly neighbours: readonly WiredNeighbour[];
  /** At which ports it has learnt which MAC addresses; null if it does not say. */
  readonly table: readonly { readonly port: number; readonly mac: string }[] | null;
  readonly vlans: readonly { readonly vid: number; readonly name: string | null }[];
}

/** The machines to which keys lead, by any kind of id. */
export interface Machines {
  of(keys: MachineKeys): string | null;
  ofMac(mac: string): string | null;
  /** What it runs on; null if that is nothing, or not known. */
  runnerOf(machine: string): string | null;
  roleOf(machine: string): Role | null;
  nameOf(machine: string): string;
}

export interface ResolvedEnd {
  readonly machine: string;
  readonly port: string | null;
  /** Of its card, if the end was found by it. */
  readonly mac: string | null;
}

export interface ResolvedLink {
  readonly line: number;
  readonly kind: LinkKind;
  readonly ends: readonly [ResolvedEnd, ResolvedEnd];
  readonly speedMbps: number | null;
  readonly vids: readonly number[];
}

/** An unmanaged switch at a port, and who hangs on it. */
export interface Hub {
  readonly line: number;
  readonly at: ResolvedEnd;
  readonly speedMbps: number | null;
  readonly vids: readonly number[];
  readonly members: readonly ResolvedEnd[];
}

/** What is not decided, and why. */
export interface Unclear {
  readonly line: number;
  readonly what: string;
  readonly reason: string;
}

export interface Wiring {
  readonly links: readonly ResolvedLink[];
  readonly hubs: readonly Hub[];
  readonly unclear: readonly Unclear[];
}
