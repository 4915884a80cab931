import type { Protocol } from "@nts/shared/contract";
import { portType } from "../../values/well-known-ports.rules.js";
import { type CoveredPorts, singly } from "../coverage.rules.js";
import { isUsual } from "../guess.rules.js";
import { servesHighPorts, serviceOfProcess } from "../processes.rules.js";
import type { Scan } from "../scan.rules.js";
import { behindBridge, isOfBridge, isOwnAddressOfBridge } from "./bridges.js";
import { type Connections, createConnections, EPHEMERAL, type Owner } from "./connections.js";
import { createSocketLists } from "./socket-lists.js";
import { createMachine, type PortPlace, portNumberIn } from "./machine.js";
import { addressIn, clip, isLinkLocal, isLoopback, PROTOCOLS } from "./texts.js";

// The sockets of a machine, as ss, netstat and lsof list them. Unlike scans they show ports open on all addresses, but not
// the machine, which the request names.

/** Client ports of DHCP. */
const DHCP_CLIENTS: ReadonlySet<number> = new Set([68, 546]);
const LOOPBACK_ONLY = "it listens on the loopback only";
const OUT_OF_REACH: ReadonlySet<string> = new Set([LOOPBACK_ONLY]);

/** A socket as listed. */
export interface Socket {
  /** Such as `tcp` or `udp6`. */
  readonly kind: string;
  readonly isListening: boolean;
  /** Address and port as written, for display. */
  readonly local: string;
  /** `*` for all; without brackets and zone. */
  readonly address: string;
  /** The interface it is bound to, or empty. */
  readonly link: string;
  readonly port: string;
  /** Null if unknown. */
  readonly program: string | null;
  /** What the list says of its processes, for comparison. */
  readonly owner: string;
  /** The other end of a connection, in lists that show it. */
  readonly peer?: Pick<Socket, "address" | "port">;
  /** The connection is established; others have ended, or are about to begin. */
  readonly isEstablished?: boolean;
  /** Its processes; null for one that is not named. */
  readonly owners?: readonly Owner[];
}

export interface Sockets {
  /** Adds a socket, or skips it with a reason. */
  take(line: number, socket: Socket): void;
  /** A line that is no socket. */
  skipLine(line: number, reason: string): void;
  /** A heading or command. */
  beginList(line: number): void;
  /** The file has every listening socket of the machine, so that others are closed. */
  haveAll(): void;
  /** And every connection. */
  haveAllConnections(): void;
  /** @param line where the machine's data starts @throws AppError `validation_failed` if there are several machines */
  scan(line: number): Scan;
}

export interface Listing {
  /** That printed it. */
  readonly tool: string;
  /** How to have addresses and ports printed as numbers. */
  readonly numeric: string;
  /** It lists sockets by process, not by address. */
  readonly isByProcess?: boolean;
}

export function createSockets({ tool, numeric, isByProcess = false }: Listing): Sockets {
  const machine = createMachine();
  const lists = createSocketLists(isByProcess);
  const coverage = new PortCoverage();
  const connections = createConnections(machine.skipped);
  let hasAllConnections = false;
  return {
    take: (line, socket) => {
      if (socket.isListening) lists.take(line, socket);
      takeSocket({ machine, coverage, connections, numeric }, line, socket);
    },
    skipLine: (line, reason) => {
      coverage.isRead = false;
      machine.skipped.add(line, `line ${line}`, reason);
    },
    beginList: lists.begin,
    haveAll: () => {
      coverage.hasAll = true;
    },
    haveAllConnections: () => {
      hasAllConnections = true;
    },
    scan: (line) => {
      lists.requireOneMachine();
      const seen = connections.seen(hasAllConnections && coverage.isRead);
      return machine.scan(tool, line, {
        ...(machine.full() === null && { covered: coverage.covered() }),
        ...(seen !== undefined && { connections: seen }),
      });
    },
  };
}

/** Coverage of a complete list: all ports of each protocol that occurs. */
class PortCoverage {
  /** The file says so: lists are often filtered, which does not show. */
  hasAll = false;
  /** Every line was understood. */
  isRead = true;
  readonly #unclear = new Map<Protocol, Map<number, number>>();

  /** A parsed socket. @param number null if unreadable */
  take(protocol: Protocol, number: number | null): void {
    if (number === null) this.isRead = false;
    const numbers = this.#unclear.get(protocol) ?? new Map<number, number>();
    this.#unclear.set(protocol, numbers);
    if (number !== null) numbers.set(number, (numbers.get(number) ?? 0) + 1);
  }

  /** It is open, or effectively closed. */
  settle(protocol: Protocol, number: number): void {
    const numbers = this.#unclear.get(protocol);
    numbers?.set(number, (numbers.get(number) ?? 0) - 1);
  }

  covered(): CoveredPorts[] {
    if (!this.hasAll || !this.isRead) return [];
    return [...this.#unclear].map(([protocol, numbers]) => {
      const except = singly([...numbers].flatMap(([number, count]) => (count > 0 ? [number] : [])));
      return { ip: null, protocol, ranges: [[1, 65_535]], except };
    });
  }
}

interface Taking {
  readonly machine: ReturnType<typeof createMachine>;
  readonly coverage: PortCoverage;
  readonly connections: Connections;
  readonly numeric: string;
}

function takeSocket({ machine, coverage, connections, numeric }: Taking, line: number, socket: Socket): void {
  const { kind, isListening, local, program, owners = [] } = socket;
  const protocol = PROTOCOLS.get(kind.replace(/[46]+$/, ""));
  const number = portNumberIn(socket.port);
  const what = `socket ${kind} ${local.slice(0, 60)}`;
  const skip = (reason: string): void => {
    machine.skipped.add(line, what, reason);
  };
  if (protocol !== undefined) coverage.take(protocol, number);
  if (protocol === undefined) skip("only TCP and UDP ports are supported");
  else if (!isListening) {
    const reason = takeConnection(connections, line, protocol, socket);
    if (reason !== null) skip(reason);
    // Who listens there has a line of its own.
    else if (number !== null) coverage.settle(protocol, number);
  } else if (number === null) skip(`its port is not a number from 1 to 65535; use ${numeric}`);
  else if (protocol === "Udp" && DHCP_CLIENTS.has(number)) skip("it is that of a DHCP client");
  else if (protocol === "Udp" && isOfClient(number, program))
    skip("UDP from port 32768 on is most likely that of a client");
  else {
    const port = { line, protocol, number, service: serviceOfProcess(program) };
    const place = placeOf(socket, numeric);
    const reason = machine.full() ?? machine.open(place, port);
    connections.listens(protocol, number, owners, reason === null);
    // Unreachable sockets count as closed.
    if (reason === null || ("reason" in place && OUT_OF_REACH.has(place.reason))) coverage.settle(protocol, number);
    if (reason !== null) skip(reason);
  }
}

/** @returns why it is skipped; null if it is not */
function takeConnection(
  connections: Connections,
  line: number,
  protocol: Protocol,
  { address, port, peer, isEstablished = false, owners = [] }: Socket,
): string | null {
  if (peer === undefined) return "it does not listen";
  if (!isEstablished) return "its connection has ended, or is not established yet";
  const local = { ip: addressIn(address), number: portNumberIn(port) };
  const other = { ip: addressIn(peer.address), number: portNumberIn(peer.port) };
  if (!isPlace(local) || !isPlace(other)) return "its ends are not addresses and ports";
  connections.connected({ line, protocol, local, peer: other, owners });
  return null;
}

function isPlace(place: {
  readonly ip: string | null;
  readonly number: number | null;
}): place is { readonly ip: string; readonly number: number } {
  return place.ip !== null && place.number !== null;
}

/** A UDP socket of a high port, unless the port is known for a service, or the program is one. */
function isOfClient(number: number, program: string | null): boolean {
  if (number < EPHEMERAL || portType(number, "Udp") !== "Custom" || servesHighPorts(program)) return false;
  const definition = serviceOfProcess(program)?.product ?? null;
  return definition === null || !isUsual(definition, { number, protocol: "Udp" });
}

/** Where a socket listens, or why it is not reachable. */
function placeOf({ address, link }: Socket, numeric: string): PortPlace {
  if (isOfBridge(link)) return { reason: behindBridge(link) };
  if (/^lo0?$/.test(link)) return { reason: LOOPBACK_ONLY };
  if (address === "*" || address === "0.0.0.0" || address === "::") return { ip: null };
  const ip = addressIn(address);
  if (ip === null) return { reason: `its address is not an IP address; use ${numeric}` };
  if (ip === "0.0.0.0") return { ip: null };
  if (isLoopback(ip)) return { reason: LOOPBACK_ONLY };
  if (isOwnAddressOfBridge(ip)) return { reason: "bridges for containers have its address on every machine" };
  if (isLinkLocal(ip)) return { reason: "its address is link-local" };
  return { ip };
}

/** Splits `[::1%eth0]:80`, `0.0.0.0:80` and, with `separator` a dot, BSD's `*.80`. */
export function endpointIn(local: string, separator: ":" | "." = ":"): Pick<Socket, "address" | "link" | "port"> {
  const cut = local.lastIndexOf(separator);
  const written = local.slice(0, Math.max(cut, 0)).replace(/^\[([^\]]*)\]/, "$1");
  const [address = "", link = ""] = written.split("%", 2);
  return { address, link, port: local.slice(cut + 1) };
}

/** Maximum processes per socket. */
export const MOST_PROCESSES = 16;

/** Of several programs, the first informative one. */
export function programAmong(names: Iterable<string>): string | null {
  let count = 0;
  for (const written of names) {
    const name = clip(written, 100) ?? "";
    if (name !== "" && serviceOfProcess(name) !== null) return name;
    if (++count === MOST_PROCESSES) break;
  }
  return null;
}
