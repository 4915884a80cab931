import { MOST_OPEN_PORTS } from "../scan.rules.js";
import { faultAt } from "./lines.js";
import type { Socket } from "./sockets.js";

// Lists of sockets name no machine, so that those of two machines, one after the other in a file, would become one host. Lists
// of one machine may follow each other: of TCP and of UDP, of IPv4 and of IPv6, or the same one twice.

/** Hints that a list without headings is in fact two: programs may share single addresses, and systems order sockets as they like. */
const ENOUGH_HINTS = 2;

interface List {
  readonly line: number;
  /** What listens, with its processes, as written. */
  readonly sockets: Map<string, string>;
}

export interface SocketLists {
  /** A heading or command, after which a list begins. */
  begin(line: number): void;
  /** A socket that listens. */
  take(line: number, socket: Socket): void;
  /** @throws AppError `validation_failed` with the place where the list of another machine begins */
  requireOneMachine(): void;
}

/** @param isByProcess sockets of one address do not follow each other */
export function createSocketLists(isByProcess: boolean): SocketLists {
  const lists: List[] = [{ line: 1, sockets: new Map() }];
  const returns = createReturns();
  let count = 0;
  const latest = (): List => lists.at(-1) as List;
  return {
    begin: (line) => {
      if (latest().sockets.size > 0) lists.push({ line, sockets: new Map() });
    },
    take: (line, socket) => {
      if (++count > MOST_OPEN_PORTS) return;
      if (lists.length === 1 && !isByProcess) returns.take(line, socket);
      const { sockets } = latest();
      const key = `${socket.kind} ${socket.local}`;
      const known = sockets.get(key);
      sockets.set(key, known === undefined ? socket.owner : `${known} ${socket.owner}`);
    },
    requireOneMachine: () => {
      const other = returns.secondListAt() ?? ofOtherMachine(lists)?.line;
      if (other !== undefined)
        throw faultAt(
          other,
          "is where a second list of sockets begins, that of another machine or moment: import each list by itself, with the name of its machine",
        );
    },
  };
}

/** Finds out that a list begins again in its midst: with what it began with, after other things. */
function createReturns() {
  const places = new Map<string, { line: number; owner: string }>();
  const hints = new Set<string>();
  let began: number | null = null;
  let isOther = false;
  let kinds = "";
  let last = "";
  return {
    take: (line: number, { kind, local, port, owner }: Socket): void => {
      const protocol = kind.slice(0, 3);
      if (!kinds.endsWith(protocol)) {
        if (kinds.includes(protocol)) hint(line, protocol);
        kinds += protocol;
      }
      const place = `${protocol} ${local}`;
      const known = places.get(place);
      if (known === undefined) places.set(place, { line, owner });
      else if (protocol === "tcp" && port !== last) hint(line, place);
      if (began !== null && known?.owner !== owner) isOther = true;
      last = port;
    },
    /** Null if there is none, or if it says the same as the first. */
    secondListAt: (): number | null => (hints.size >= ENOUGH_HINTS && isOther ? began : null),
  };

  function hint(line: number, text: string): void {
    began ??= line;
    hints.add(text);
  }
}

/** The first list that cannot be a part of one with the lists before it: it has another one of a family. */
function ofOtherMachine(lists: readonly List[]): List | null {
  const firstOf = new Map<string, List>();
  for (const list of lists) {
    const families = new Set([...list.sockets.keys()].map(familyOf));
    const before = new Set([...families].flatMap((family) => firstOf.get(family) ?? []));
    if ([...before].some((one) => !isSame(one, list))) return list;
    for (const family of families) if (!firstOf.has(family)) firstOf.set(family, list);
  }
  return null;
}

function isSame(one: List, other: List): boolean {
  return (
    one.sockets.size === other.sockets.size &&
    [...other.sockets].every(([key, owner]) => one.sockets.get(key) === owner)
  );
}

/** Protocol and version of a socket's address. */
function familyOf(key: string): string {
  const [kind = "", local = ""] = key.split(" ", 2);
  return `${kind.slice(0, 3)} ${/^\*|::|\[/.test(local) || kind.endsWith("6") ? "IPv6" : "IPv4"}`;
}
