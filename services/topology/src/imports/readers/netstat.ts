import type { Scan } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import type { Owner } from "./connections.js";
import { createSockets, endpointIn, programAmong, type Socket } from "./sockets.js";
import { clip } from "./texts.js";

// `netstat`: the sockets of machines without ss. Linux (`-tulpn`), BSD and macOS (`-an`), Windows (`-ano`, in any language).

/** Lines in which a socket or heading is looked for. */
const MOST_LINES = 20;
const KIND = /^(?:tcp|udp)(?:46|[46])?(?:lite6?)?$/i;
/** Names of programs contain blanks: `710/nginx: master`. */
const PROGRAM = /(?:^|\s)(?:(\d+)\/(\S.*?)|-)\s*$/;
/** A filtered list has lost its heading. */
const HEADING = /^(?:active |proto )/i;
/** Linux and BSD say that connections are listed, too. */
const ALL_SOCKETS = /^active internet connections \((?:servers and established|including servers)\)/i;
const ESTABLISHED = /^(?:ESTAB|HERGESTELLT)/i;
/** The command, after the prompt of a shell. */
const CALL = /^[^\s(]{0,100}[#$>]\s*(?:sudo\s+)?netstat(?:\.exe)?(?:\s|$)/i;
/** Headings and notes around sockets. */
const NOTE =
  /^(?:active |proto |tcp:|udp:|kernel|\(not all processes|\(no info could be read|will not be shown|you would have to be root)/i;

export const netstat: Reader = { format: "netstat", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  const lines = beginning.split("\n", MOST_LINES);
  return lines.some((line) => socketIn(line.trim()) !== null || /^\s*Active Internet connections/.test(line));
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const sockets = createSockets({ tool: "netstat", numeric: "netstat -n" });
  let first: number | null = null;
  for (const { number, text } of linesOf(bytes)) {
    const line = text.trim();
    // Sockets between programs of one machine follow those of the network.
    if (/^Active (?:UNIX|LOCAL|Multipath)/i.test(line)) break;
    if (HEADING.test(line)) sockets.haveAll();
    if (ALL_SOCKETS.test(line)) sockets.haveAllConnections();
    if (HEADING.test(line) || CALL.test(line)) sockets.beginList(number);
    if (line === "" || NOTE.test(line)) continue;
    const socket = socketIn(line);
    if (socket !== null) sockets.take(number, socket);
    // Windows writes headings, and the names of programs on lines of their own (`-b`), in the language of the system.
    else if (first === null && number > MOST_LINES) break;
    else if (first !== null && !/^\[.*\]$/.test(line))
      sockets.skipLine(number, "it is not a socket as printed by netstat");
    if (socket !== null) first ??= number;
  }
  if (first === null) throw faultAt(1, "must be sockets as printed by `netstat -tulpn` or `netstat -an`");
  return sockets.scan(first);
}

/** Parses a line; null if it is not a socket. */
function socketIn(line: string): Socket | null {
  const words = line.split(/\s+/, 8);
  const [kind = ""] = words;
  if (!KIND.test(kind)) return null;
  const hasQueues = /^\d+$/.test(words[1] ?? "") && /^\d+$/.test(words[2] ?? "");
  const [local = "", peer = "", state = ""] = words.slice(hasQueues ? 3 : 1);
  if (peer === "" || !/[.:]/.test(local)) return null;
  // BSD separates the port by a dot.
  const isBsd = /\.(?:\d+|\*)$/.test(local) && !/:(?:\d+|\*)$/.test(local);
  const isUdp = /^udp/i.test(kind);
  // Without a peer it listens, whatever the system's language calls that.
  const hasNoPeer = /^(?:0\.0\.0\.0|\[?::\]?|\*|\[::\])[:.](?:0|\*)$/.test(peer);
  const isListening = hasNoPeer && (isUdp || !/^(?:CLOSE|TIME|BOUND|IDLE)/i.test(state));
  const owner = ownerIn(line);
  return {
    kind: kind.toLowerCase(),
    isListening,
    local,
    ...endpointIn(local, isBsd ? "." : ":"),
    program: programAmong([owner?.name ?? ""]),
    owner: words.slice(hasQueues ? 5 : 3).join(" "),
    owners: owner === null ? [] : [owner],
    peer: endpointIn(peer, isBsd ? "." : ":"),
    isEstablished: ESTABLISHED.test(state),
  };
}

/** Windows names the process by its number only, BSD not at all. */
function ownerIn(line: string): Owner | null {
  const [, pid = "", written = ""] = PROGRAM.exec(line) ?? [];
  // Titles that programs give themselves: `nginx: master`.
  if (pid !== "") return { pid, name: clip(written.split(":", 1)[0], 100) };
  const number = /\s(\d{1,10})$/.exec(line)?.[1];
  return number === undefined ? null : { pid: number, name: null };
}
