import { programBeginning } from "../processes.rules.js";
import type { Scan } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSockets, endpointIn, programAmong, type Socket } from "./sockets.js";

// `lsof -nP -i`: the sockets of a machine, one for each process that has them open. Without root it lists only those of the
// own user, so that nothing is missed by it.

const HEADING = /^COMMAND\s+PID\s+(?:TID\s+(?:TASKCMD\s+)?)?USER\s+FD\s+TYPE\s/;
const SOCKET = /^(\S{1,100})\s+\d+\s.*?\sIPv[46]\s.*?\s(TCP|UDP)\s+(\S+)(?:\s+\((\S+?)\))?\s*$/;

export const lsof: Reader = { format: "lsof", looksLike, read: readSockets };

function looksLike(beginning: string): boolean {
  return HEADING.test(beginning);
}

function readSockets(bytes: Iterable<Uint8Array>): Scan {
  const sockets = createSockets({ tool: "lsof", numeric: "lsof -nP", isByProcess: true });
  let first: number | null = null;
  const known = new Set<string>();
  for (const { number, text } of linesOf(bytes)) {
    if (HEADING.test(text)) sockets.beginList(number);
    if (text.trim() === "" || HEADING.test(text)) continue;
    const socket = socketIn(text);
    if (socket === null) {
      if (first !== null) sockets.skipLine(number, "it is not a socket as printed by lsof");
      else throw faultAt(number, "must be sockets as printed by `lsof -nP -i`");
      continue;
    }
    first ??= number;
    // Processes share a socket, and IPv4 and IPv6 may be two of one service.
    const key = [socket.kind, socket.local, socket.isListening, socket.program].join(" ");
    if (known.has(key)) continue;
    known.add(key);
    sockets.take(number, socket);
  }
  return sockets.scan(first ?? 1);
}

function socketIn(text: string): Socket | null {
  const [, program = "", kind = "", name = "", state = ""] = SOCKET.exec(text) ?? [];
  if (kind === "") return null;
  const [local = "", peer] = name.split("->", 2);
  const isListening = peer === undefined && (kind === "UDP" || state === "LISTEN");
  // It escapes blanks: `Plex\x20Media`.
  const written = program.replaceAll(/\\x([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return {
    kind: kind.toLowerCase(),
    isListening,
    local,
    ...endpointIn(local),
    program: programAmong([programBeginning(written)]),
    owner: program,
  };
}
