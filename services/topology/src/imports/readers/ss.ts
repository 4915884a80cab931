import type { Scan } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSockets, endpointIn, programAmong, type Socket } from "./sockets.js";

// `ss -H -tulnp`: the listening sockets of a machine. It can filter them itself, so only a first line with its command tells
// that the list has all.

/** `# ss -H -tulnp`, without a filter or the choice of an address family. */
const COMMAND = /^#\s*(?:sudo\s+)?ss(?:\s+-[HOtulnpaeimo]+)+\s*$/;

/** The command in a line of its own, also after the prompt of a shell. */
const CALL = /^[^\s(]{0,100}[#$>]\s*(?:sudo\s+)?ss(?:\s|$)/;

/** Without both `-t` and `-u`, ss omits the first column; the state implies it. */
const PROTOCOL_OF_STATE: ReadonlyMap<string, string> = new Map([
  ["LISTEN", "tcp"],
  ["UNCONN", "udp"],
]);
const STATE = /^(?:LISTEN|UNCONN|ESTAB|[A-Z]+-[A-Z0-9-]+)$/;
const KIND = /^[a-z_\d]{1,10}$/;

export const ss: Reader = { format: "ss", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  const [first = ""] = beginning.split("\n").filter((line) => !line.startsWith("#"));
  return isHeader(first) || socketIn(first) !== null;
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const sockets = createSockets({ tool: "ss", numeric: "ss -n" });
  let first: number | null = null;
  for (const { number, text } of linesOf(bytes)) {
    if (number === 1 && COMMAND.test(text)) sockets.haveAll();
    if (isHeader(text) || CALL.test(text)) sockets.beginList(number);
    if (text.trim() === "" || text.startsWith("#") || isHeader(text)) continue;
    const socket = socketIn(text);
    if (socket !== null) sockets.take(number, socket);
    else if (first === null) throw faultAt(number, "must be a socket as printed by `ss -H -tulnp`");
    else sockets.skipLine(number, "it is not a socket as printed by ss");
    first ??= number;
  }
  return sockets.scan(first ?? 1);
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
  if (!isSocket) return null;
  const isListening = state === "LISTEN" || state === "UNCONN";
  const owner = text.slice(text.indexOf(peer) + peer.length).trim();
  return { kind, isListening, local, ...endpointIn(local), program: programIn(text), owner };
}

/** The program of a socket; of several, the first informative one. */
function programIn(text: string): string | null {
  const from = text.indexOf("users:((");
  if (from === -1) return null;
  const users = text.slice(from).matchAll(/\("([^"]{1,200})",pid=/g);
  return programAmong(
    (function* () {
      for (const [, name = ""] of users) yield name;
    })(),
  );
}
