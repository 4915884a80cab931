import type { Protocol } from "@nts/shared/contract";
import { visiblePart } from "@nts/shared/contract/formats";
import {
  MOST_CONNECTIONS,
  NOTHING_LEFT_OUT,
  type NotMade,
  otherEnd,
  ownEnd,
  type SeenConnection,
  type SeenConnections,
  type SeenPlace,
} from "../connections.rules.js";
import { isKnownProgram, passesOn } from "../processes.rules.js";
import { MOST_OPEN_PORTS, type Skipped } from "../scan.rules.js";
import { isGroup, isLinkLocal, isLoopback } from "./texts.js";

// Which end of a connected socket is the client: the one whose port nobody listens on. A machine's list shows what it listens on
// itself; in a list without that, the range of the port decides, and where both ends could be either, nothing is made of it.

/** Start of the ports that systems give to clients. */
export const EPHEMERAL = 32_768;

/** A process with a socket. */
export interface Owner {
  readonly pid: string;
  /** Null if the list does not name it. */
  readonly name: string | null;
}

export interface ConnectedSocket {
  readonly line: number;
  readonly protocol: Protocol;
  readonly local: { readonly ip: string; readonly number: number };
  readonly peer: { readonly ip: string; readonly number: number };
  readonly owners: readonly Owner[];
}

export interface Connections {
  /** A port that the machine listens on. @param isOpen others reach it */
  listens(protocol: Protocol, number: number, owners: readonly Owner[], isOpen: boolean): void;
  connected(socket: ConnectedSocket): void;
  /** @param areAll the list has all connections of the machine */
  seen(areAll: boolean): SeenConnections | undefined;
}

export function createConnections(skipped: Skipped): Connections {
  const sockets: ConnectedSocket[] = [];
  const listening = new Set<string>();
  let listsTcp = false;
  const openOf = createProcesses();
  const own = new Set<string>();
  const counts: Record<keyof NotMade, number> = { ...NOTHING_LEFT_OUT };
  const first: Partial<Record<keyof NotMade, number>> = {};
  let total = 0;

  const leaveOut = (reason: keyof NotMade, line: number): void => {
    counts[reason]++;
    first[reason] ??= line;
  };

  /** Null if it is no dependency, or the other end tells it. */
  function connectionOf(socket: ConnectedSocket): SeenConnection | null {
    const { line, protocol, local, peer, owners } = socket;
    const side = sideOf(socket, { listening, listsTcp });
    if (side === null) {
      leaveOut("unclear", line);
      return null;
    }
    const isOnMachine = own.has(peer.ip);
    if (side === "server")
      return isOnMachine
        ? null
        : {
            line,
            client: otherEnd(peer.ip),
            server: ownEnd({ ip: local.ip, port: { protocol, number: local.number } }),
          };
    const place = { protocol, number: peer.number };
    return {
      line,
      client: ownEnd({ ip: local.ip, process: visiblePart(owners[0]?.name ?? "") || null, port: openOf.at(owners) }),
      server: isOnMachine ? ownEnd({ ip: peer.ip, port: place }) : otherEnd(peer.ip, place),
    };
  }

  return {
    listens: (protocol, number, owners, isOpen) => {
      listening.add(`${protocol} ${number}`);
      listsTcp ||= protocol === "Tcp";
      if (isOpen) openOf.add(owners, { protocol, number });
    },
    connected: (socket) => {
      total++;
      const { line, local, peer } = socket;
      if (isLoopback(peer.ip)) leaveOut("loopback", line);
      else if (isGroup(peer.ip)) leaveOut("broadcast", line);
      else if (isLinkLocal(peer.ip)) leaveOut("unknown_host", line);
      else if (sockets.length === MOST_OPEN_PORTS) leaveOut("unclear", line);
      else sockets.push(socket);
      if (!isLoopback(local.ip)) own.add(local.ip);
    },
    seen: (areAll) => {
      if (total === 0 && !areAll) return undefined;
      const distinct = new Map<string, SeenConnection>();
      let more = 0;
      for (const socket of sockets) {
        const one = connectionOf(socket);
        if (one === null) continue;
        const key = JSON.stringify([one.client, { ...one.server, ip: one.server.isOwn ? null : one.server.ip }]);
        if (distinct.has(key)) continue;
        if (distinct.size < MOST_CONNECTIONS) distinct.set(key, one);
        else more++;
      }
      if (more > 0)
        skipped.add(
          sockets.at(-1)?.line ?? 1,
          `${more} connections`,
          `an import makes dependencies of at most ${MOST_CONNECTIONS.toLocaleString("en")} different ones`,
        );
      for (const [reason, why] of Object.entries(REASONS) as [keyof NotMade, string][])
        if (counts[reason] > 0) skipped.add(first[reason] ?? 1, connections(counts[reason]), why);
      return { list: [...distinct.values()], areAll: areAll && more === 0, notMade: { ...counts } };
    },
  };
}

const connections = (count: number): string => (count === 1 ? "a connection" : `${count} connections`);

const REASONS: Readonly<Record<keyof NotMade, string>> = {
  loopback: "both ends are on the loopback of the machine",
  broadcast: "the other end is no machine, but a group or all",
  unknown_host: "the address of the other end means something on its link only",
  unclear: "which end listens is not clear; list all sockets, as with `ss -H -tunap`",
};

interface Listening {
  /** Ports with their protocols. */
  readonly listening: ReadonlySet<string>;
  /** Whoever listens with TCP is in the list. */
  readonly listsTcp: boolean;
}

/** Which end of a connection the machine is; null if that is not clear. */
export function sideOf(
  { protocol, local, peer }: Pick<ConnectedSocket, "protocol" | "local" | "peer">,
  { listening, listsTcp }: Listening,
): "client" | "server" | null {
  if (listening.has(`${protocol} ${local.number}`)) return "server";
  const isEphemeral = (number: number): boolean => number >= EPHEMERAL;
  // Where this looks like a server, a filter has left out what listens.
  if (listsTcp && protocol === "Tcp" && !(isEphemeral(peer.number) && !isEphemeral(local.number))) return "client";
  if (listsTcp && protocol === "Tcp") return null;
  if (isEphemeral(local.number) === isEphemeral(peer.number)) return null;
  return isEphemeral(local.number) ? "client" : "server";
}

/** The lowest open port of each process, by its number, or by its name if that says what it is. */
function createProcesses() {
  const byPid = new Map<string, SeenPlace>();
  const byName = new Map<string, SeenPlace>();
  const lower = (places: Map<string, SeenPlace>, key: string, place: SeenPlace): void => {
    if (place.number < (places.get(key)?.number ?? Infinity)) places.set(key, place);
  };
  return {
    add: (owners: readonly Owner[], place: SeenPlace): void => {
      for (const { pid, name } of owners) {
        if (name !== null && passesOn(name)) continue;
        lower(byPid, pid, place);
        if (name !== null && isKnownProgram(name)) lower(byName, name, place);
      }
    },
    at: (owners: readonly Owner[]): SeenPlace | null => {
      for (const { pid } of owners) {
        const place = byPid.get(pid);
        if (place !== undefined) return place;
      }
      for (const { name } of owners) {
        const place = name === null ? undefined : byName.get(name);
        if (place !== undefined) return place;
      }
      return null;
    },
  };
}
