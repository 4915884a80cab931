import type { Scan } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSockets, endpointIn, programAmong, type Socket } from "./sockets.js";

// `ss -H -tulnp`: the listening sockets of a machine.

/** Without both `-t` and `-u`, ss omits the first column; the state implies it. */
const PROTOCOL_OF_STATE: ReadonlyMap<string, string> = new Map([
  ["LISTEN", "tcp"],
  ["UNCONN", "udp"],
]);
const STATE = /^(?:LISTEN|UNCONN|ESTAB|[A-Z]+-[A-Z0-9-]+)$/;
const KIND = /^[a-z_\d]{1,10}$/;

export const ss: Reader = { format: "ss", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  const [first = ""] = beginning.split("\n", 1);
  return isHeader(first) || socketIn(first) !== null;
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const sockets = createSockets({ tool: "ss", numeric: "ss -n", isWhole: true });
  let first: number | null = null;
  for (const { number, text } of linesOf(bytes)) {
    if (text.trim() === "" || isHeader(text)) continue;
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
  return { kind, isListening, local, ...endpointIn(local), program: programIn(text) };
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
