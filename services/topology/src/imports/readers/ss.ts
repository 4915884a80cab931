import type { Protocol } from "@nts/shared/contract";
import { portType } from "../../values/well-known-ports.rules.js";
import { serviceOfProcess } from "../processes.rules.js";
import {
  createSkipped,
  MOST_INTERFACES_OF_HOST,
  MOST_OPEN_PORTS,
  type Scan,
  type SeenPort,
  type Skipped,
} from "../scan.rules.js";
import { behindBridge, isOfBridge, isOwnAddressOfBridge } from "./bridges.js";
import { faultAt, type Line, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { addressIn, clip, isLinkLocal, isLoopback, toolInfo } from "./texts.js";

// What `ss -H -tulnp` writes: the sockets on which a machine listens, as its kernel knows them. They say what no scan can
// know, that a port is open at all addresses; and they do not say which machine it is, so the request does.

const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ["tcp", "Tcp"],
  ["udp", "Udp"],
]);
/** Without `-t` and `-u` together, ss leaves out the first column; the state says as much. */
const PROTOCOL_OF_STATE: ReadonlyMap<string, string> = new Map([
  ["LISTEN", "tcp"],
  ["UNCONN", "udp"],
]);
const STATE = /^(?:LISTEN|UNCONN|ESTAB|[A-Z]+-[A-Z0-9-]+)$/;
const KIND = /^[a-z_\d]{1,10}$/;
/** From here on kernels give ports to whoever asks for any. */
const EPHEMERAL = 32_768;
/** Where clients of DHCP wait for answers. */
const DHCP_CLIENTS: ReadonlySet<number> = new Set([68, 546]);
/** Processes that share a socket. */
const MOST_PROCESSES = 16;

interface Socket {
  readonly kind: string;
  readonly state: string;
  /** Address and port as written. */
  readonly local: string;
  readonly program: string | null;
}

/** What has been read of the machine. */
interface Taken {
  readonly addresses: Set<string>;
  readonly ports: SeenPort[];
  readonly skipped: Skipped;
}

export const ss: Reader = { format: "ss", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  return isHeader(first) || socketIn(first) !== null;
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const taken: Taken = { addresses: new Set(), ports: [], skipped: createSkipped() };
  let first: number | null = null;
  for (const line of linesOf(bytes)) {
    if (line.text.trim() === "" || isHeader(line.text)) continue;
    const socket = socketIn(line.text);
    if (socket !== null) takeSocket(taken, line, socket);
    else if (first === null) throw faultAt(line.number, "must be a socket as `ss -H -tulnp` writes it");
    else taken.skipped.add(line.number, `line ${line.number}`, "it is no socket as ss writes it");
    first ??= line.number;
  }
  const { addresses, ports, skipped } = taken;
  const host = {
    line: first ?? 1,
    isNamed: true,
    addresses: [...addresses].map((ip) => ({ ip, mac: null })),
    hostname: null,
    vendor: null,
    ports,
  };
  return { info: toolInfo("ss"), brokeOff: null, hosts: [host], unanswered: 0, skipped };
}

function isHeader(text: string): boolean {
  return /^\s*(?:Netid\s+)?State\s+Recv-Q\s/.test(text);
}

/** A line as a socket; null when it is none. */
function socketIn(text: string): Socket | null {
  const words = text.trim().split(/\s+/, 7);
  if (STATE.test(words[0] ?? "")) words.unshift(PROTOCOL_OF_STATE.get(words[0] ?? "") ?? "");
  const [kind = "", state = "", received = "", sent = "", local = "", peer = ""] = words;
  const isSocket = KIND.test(kind) && STATE.test(state) && /^\d+$/.test(received) && /^\d+$/.test(sent) && peer !== "";
  return isSocket ? { kind, state, local, program: programIn(text) } : null;
}

/** The program that has a socket open; of several, the first that says what it is. */
function programIn(text: string): string | null {
  const from = text.indexOf("users:((");
  if (from === -1) return null;
  const names: string[] = [];
  for (const [, name = ""] of text.slice(from).matchAll(/\("([^"]{1,200})",pid=/g))
    if (names.push(clip(name, 100) ?? "") === MOST_PROCESSES) break;
  return names.find((name) => name !== "" && serviceOfProcess(name) !== null) ?? null;
}

/** Takes in a socket, or says why it is left out. */
function takeSocket({ addresses, ports, skipped }: Taken, line: Line, socket: Socket): void {
  const { kind, state, local, program } = socket;
  const protocol = PROTOCOLS.get(kind);
  const cut = local.lastIndexOf(":");
  const written = local.slice(0, Math.max(cut, 0)).replace(/^\[([^\]]*)\]/, "$1");
  const [bare = "", link = ""] = written.split("%", 2);
  const numeral = local.slice(cut + 1);
  const number = Number(numeral);
  const what = `socket ${kind} ${local.slice(0, 60)}`;
  const skip = (reason: string): void => {
    skipped.add(line.number, what, reason);
  };
  if (protocol === undefined) skip("only TCP and UDP have ports here");
  else if (state !== "LISTEN" && state !== "UNCONN") skip("it does not listen");
  else if (!/^\d{1,5}$/.test(numeral) || number < 1 || number > 65_535)
    skip("its port is no number from 1 to 65535; ss writes numbers with -n");
  else if (protocol === "Udp" && DHCP_CLIENTS.has(number)) skip("it is that of a DHCP client");
  else if (protocol === "Udp" && number >= EPHEMERAL && portType(number, protocol) === "Custom")
    skip("UDP from port 32768 on is most likely that of a client");
  else if (ports.length === MOST_OPEN_PORTS) skip(`an import takes at most ${MOST_OPEN_PORTS} open ports`);
  else {
    const place = placeOf(bare, link);
    if ("reason" in place) skip(place.reason);
    else if (place.ip !== null && !addresses.has(place.ip) && addresses.size === MOST_INTERFACES_OF_HOST)
      skip(`an import takes at most ${MOST_INTERFACES_OF_HOST} addresses of a host`);
    else {
      if (place.ip !== null) addresses.add(place.ip);
      ports.push({ line: line.number, ip: place.ip, protocol, number, service: serviceOfProcess(program) });
    }
  }
}

/** Where a socket listens, or why that is nowhere that others reach. @param link the card that it is bound to, or empty */
function placeOf(bare: string, link: string): { readonly ip: string | null } | { readonly reason: string } {
  if (isOfBridge(link)) return { reason: behindBridge(link) };
  if (link === "lo") return { reason: "it listens on the loopback only" };
  if (bare === "*" || bare === "0.0.0.0" || bare === "::") return { ip: null };
  const ip = addressIn(bare);
  if (ip === null) return { reason: "its address is no IP address; ss writes addresses with -n" };
  if (ip === "0.0.0.0") return { ip: null };
  if (isLoopback(ip)) return { reason: "it listens on the loopback only" };
  if (isOwnAddressOfBridge(ip)) return { reason: "bridges for containers have its address on every machine" };
  if (isLinkLocal(ip)) return { reason: "its address means something on one link only" };
  return { ip };
}
