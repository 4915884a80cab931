import type { Protocol } from "@nts/shared/contract";
import type { CoveredPorts } from "../coverage.rules.js";
import { portType } from "../../values/well-known-ports.rules.js";
import { serviceOfProcess } from "../processes.rules.js";
import type { Scan } from "../scan.rules.js";
import { behindBridge, isOfBridge, isOwnAddressOfBridge } from "./bridges.js";
import { faultAt, type Line, linesOf } from "./lines.js";
import { createMachine, type Machine, type Place, portNumberIn } from "./machine.js";
import type { Reader } from "./reader.js";
import { addressIn, clip, isLinkLocal, isLoopback, PROTOCOLS } from "./texts.js";

// `ss -H -tulnp`: the listening sockets of a machine. Unlike scans they show ports open on all addresses, but not the
// machine, which the request names.

/** Without both `-t` and `-u`, ss omits the first column; the state implies it. */
const PROTOCOL_OF_STATE: ReadonlyMap<string, string> = new Map([
  ["LISTEN", "tcp"],
  ["UNCONN", "udp"],
]);
const STATE = /^(?:LISTEN|UNCONN|ESTAB|[A-Z]+-[A-Z0-9-]+)$/;
const KIND = /^[a-z_\d]{1,10}$/;
/** Start of the ephemeral port range. */
const EPHEMERAL = 32_768;
/** Client ports of DHCP. */
const DHCP_CLIENTS: ReadonlySet<number> = new Set([68, 546]);
/** Maximum processes per socket. */
const MOST_PROCESSES = 16;

interface Socket {
  readonly kind: string;
  readonly state: string;
  /** Address and port as written. */
  readonly local: string;
  readonly program: string | null;
}

const LOOPBACK_ONLY = "it listens on the loopback only";
const OUT_OF_REACH: ReadonlySet<string> = new Set([LOOPBACK_ONLY]);

/** Coverage: all ports of each protocol that occurs. */
class PortCoverage {
  isWhole = true;
  readonly #unclear = new Map<Protocol, Map<number, number>>();

  /** A parsed socket. @param number null if unreadable */
  take(protocol: Protocol, number: number | null): void {
    if (number === null) this.isWhole = false;
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
    if (!this.isWhole) return [];
    return [...this.#unclear].map(([protocol, numbers]) => {
      const except = new Set([...numbers].flatMap(([number, count]) => (count > 0 ? [number] : [])));
      return { ip: null, protocol, ranges: [[1, 65_535]], except };
    });
  }
}

export const ss: Reader = { format: "ss", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  return isHeader(first) || socketIn(first) !== null;
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const machine = createMachine();
  const coverage = new PortCoverage();
  let first: number | null = null;
  for (const line of linesOf(bytes)) {
    if (line.text.trim() === "" || isHeader(line.text)) continue;
    const socket = socketIn(line.text);
    if (socket !== null) takeSocket(machine, line, socket, coverage);
    else if (first === null) throw faultAt(line.number, "must be a socket as printed by `ss -H -tulnp`");
    else {
      coverage.isWhole = false;
      machine.skipped.add(line.number, `line ${line.number}`, "it is not a socket as printed by ss");
    }
    first ??= line.number;
  }
  return machine.scan("ss", first ?? 1, machine.full() === null ? coverage.covered() : []);
}

function isHeader(text: string): boolean {
  return /^\s*(?:Netid\s+)?State\s+Recv-Q\s/.test(text);
}

/** Parses a line; null if it is not a socket. */
function socketIn(text: string): Socket | null {
  const words = text.trim().split(/\s+/, 7);
  if (STATE.test(words[0] ?? "")) words.unshift(PROTOCOL_OF_STATE.get(words[0] ?? "") ?? "");
  const [kind = "", state = "", received = "", sent = "", local = "", peer = ""] = words;
  const isSocket = KIND.test(kind) && STATE.test(state) && /^\d+$/.test(received) && /^\d+$/.test(sent) && peer !== "";
  return isSocket ? { kind, state, local, program: programIn(text) } : null;
}

/** The program of a socket; of several, the first informative one. */
function programIn(text: string): string | null {
  const from = text.indexOf("users:((");
  if (from === -1) return null;
  const names: string[] = [];
  for (const [, name = ""] of text.slice(from).matchAll(/\("([^"]{1,200})",pid=/g))
    if (names.push(clip(name, 100) ?? "") === MOST_PROCESSES) break;
  return names.find((name) => name !== "" && serviceOfProcess(name) !== null) ?? null;
}

/** Adds a socket, or skips it with a reason. */
function takeSocket(machine: Machine, line: Line, socket: Socket, coverage: PortCoverage): void {
  const { kind, state, local, program } = socket;
  const protocol = PROTOCOLS.get(kind);
  const cut = local.lastIndexOf(":");
  const written = local.slice(0, Math.max(cut, 0)).replace(/^\[([^\]]*)\]/, "$1");
  const [bare = "", link = ""] = written.split("%", 2);
  const number = portNumberIn(local.slice(cut + 1));
  const what = `socket ${kind} ${local.slice(0, 60)}`;
  const skip = (reason: string): void => {
    machine.skipped.add(line.number, what, reason);
  };
  if (protocol !== undefined) coverage.take(protocol, number);
  if (protocol === undefined) skip("only TCP and UDP ports are supported");
  else if (state !== "LISTEN" && state !== "UNCONN") skip("it does not listen");
  else if (number === null) skip("its port is not a number from 1 to 65535; use ss -n");
  else if (protocol === "Udp" && DHCP_CLIENTS.has(number)) skip("it is that of a DHCP client");
  else if (protocol === "Udp" && number >= EPHEMERAL && portType(number, protocol) === "Custom")
    skip("UDP from port 32768 on is most likely that of a client");
  else {
    const port = { line: line.number, protocol, number, service: serviceOfProcess(program) };
    const place = placeOf(bare, link);
    const reason = machine.full() ?? machine.open(place, port);
    // Unreachable sockets count as closed.
    if (reason === null || ("reason" in place && OUT_OF_REACH.has(place.reason))) coverage.settle(protocol, number);
    if (reason !== null) skip(reason);
  }
}

/** Where a socket listens, or why it is not reachable. @param link the interface it is bound to, or empty */
function placeOf(bare: string, link: string): Place {
  if (isOfBridge(link)) return { reason: behindBridge(link) };
  if (link === "lo") return { reason: LOOPBACK_ONLY };
  if (bare === "*" || bare === "0.0.0.0" || bare === "::") return { ip: null };
  const ip = addressIn(bare);
  if (ip === null) return { reason: "its address is not an IP address; use ss -n" };
  if (ip === "0.0.0.0") return { ip: null };
  if (isLoopback(ip)) return { reason: LOOPBACK_ONLY };
  if (isOwnAddressOfBridge(ip)) return { reason: "bridges for containers have its address on every machine" };
  if (isLinkLocal(ip)) return { reason: "its address is link-local" };
  return { ip };
}
