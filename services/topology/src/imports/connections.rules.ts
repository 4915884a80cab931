import type { Protocol } from "@nts/shared/contract";

// What a file says of who talks to whom, seen from one machine. The other end is an address, whose host may be in the file, in
// the inventory, or nowhere.

/** Connections of a machine that an import looks at. */
export const MOST_CONNECTIONS = 2_000;
/** And those of a file. */
export const MOST_CONNECTIONS_OF_FILE = 10_000;

export interface SeenPlace {
  readonly protocol: Protocol;
  readonly number: number;
}

/** An end of a connection. */
export interface SeenEnd {
  /** On the machine that the connection is of; else `ip` says where. */
  readonly isOwn: boolean;
  /** Null if the machine has it at any address. */
  readonly ip: string | null;
  /** Of a server, where it listens; of a client, where the same process listens, by which its service is found. */
  readonly port: SeenPlace | null;
  readonly process: string | null;
  /** The name of a container, whose service it is. */
  readonly container: string | null;
}

/** What a client needs, as the file says. */
export interface SeenConnection {
  readonly line: number;
  readonly client: SeenEnd;
  readonly server: SeenEnd;
}

/** Why connections are no dependencies; how many of each. */
export const NOT_MADE = ["loopback", "broadcast", "unknown_host", "unclear"] as const;
export type NotMade = Readonly<Record<(typeof NOT_MADE)[number], number>>;
export const NOTHING_LEFT_OUT: NotMade = { loopback: 0, broadcast: 0, unknown_host: 0, unclear: 0 };

export interface SeenConnections {
  readonly list: readonly SeenConnection[];
  /** They are all that the machine has, so that others are missed. */
  readonly areAll: boolean;
  readonly notMade: NotMade;
}

/** Those of several sightings of one machine; undefined if none has any. */
export function connectionsTogether(all: readonly (SeenConnections | undefined)[]): SeenConnections | undefined {
  const some = all.filter((one) => one !== undefined);
  if (some.length === 0) return undefined;
  return {
    list: some.flatMap(({ list }) => list).slice(0, MOST_CONNECTIONS),
    areAll: some.some(({ areAll }) => areAll),
    notMade: sumOf(some.map(({ notMade }) => notMade)),
  };
}

export function sumOf(all: readonly NotMade[]): NotMade {
  const sum = { ...NOTHING_LEFT_OUT };
  for (const one of all) for (const reason of NOT_MADE) sum[reason] += one[reason];
  return sum;
}

/** An end on the machine itself. */
export function ownEnd(members: Partial<SeenEnd>): SeenEnd {
  return { isOwn: true, ip: null, port: null, process: null, container: null, ...members };
}

/** The end at another address. */
export function otherEnd(ip: string, port: SeenPlace | null = null): SeenEnd {
  return { isOwn: false, ip, port, process: null, container: null };
}
