import type { Scan } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import type { Owner } from "./connections.js";
import { createSockets, endpointIn, MOST_PROCESSES, programAmong, type Socket } from "./sockets.js";
import { clip } from "./texts.js";

// `ss -H -tunap`: the sockets of a machine, or with `-l` those that listen. It can filter them itself, so only a first line with
// its command tells that the list has all.

/** `# ss -H -tunap`, without a filter or the choice of an address family. */
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
    if (number === 1 && COMMAND.test(text)) {
      sockets.haveAll();
      if (hasConnections(text)) sockets.haveAllConnections();
    }
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
  const owners = ownersIn(text);
  return {
    ...{ kind, isListening, local, owner, owners, peer: endpointIn(peer), isEstablished: state === "ESTAB" },
    ...endpointIn(local),
    program: programAmong(owners.map(({ name }) => name)),
  };
}

/** Both, those that listen and those that are connected: `-a`, and of its options none after it that limits them. */
function hasConnections(command: string): boolean {
  const options = [...command.matchAll(/\s-([A-Za-z]+)/g)].map(([, letters = ""]) => letters).join("");
  return options.includes("a") && options.lastIndexOf("a") > options.lastIndexOf("l");
}

/** The programs of a socket. */
function ownersIn(text: string): (Owner & { readonly name: string })[] {
  const from = text.indexOf("users:((");
  if (from === -1) return [];
  const found: (Owner & { readonly name: string })[] = [];
  for (const [, written = "", pid = ""] of text.slice(from).matchAll(/\("([^"]{1,200})",pid=(\d{1,10})/g)) {
    const name = clip(written, 100);
    if (name !== null) found.push({ name, pid });
    if (found.length === MOST_PROCESSES) break;
  }
  return found;
}
