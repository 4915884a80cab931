import type { Protocol } from "@nts/shared/contract";
import { PROTOCOLS } from "./texts.js";

// The ports of a table's cell, as people and programs write them: `22`, `80,443`, `8000-8003`, `53 tcp/udp`, `443/tcp (https)`,
// `tcp/80`, `ssh (22)`, `80 & 443`.

/** Ports of a range that are taken; a longer one is rather a rule of a firewall. */
const MOST_OF_A_RANGE = 100;
/** Ports of a cell. */
const MOST_OF_A_CELL = 1_000;
const ITEM =
  /^(\d{1,5})(?:\s*(?:-|–|\.\.|:)\s*(\d{1,5}))?(?:[\s/]+((?:[a-z]{3,4})(?:\s*[/+,&]\s*[a-z]{3,4})*)(?![\w-]))?(?:\s*[/(]\s*([a-z][^()/]{0,99}))?\)?$/i;
/** Other ways to write an item, and how {@link ITEM} expects it. */
const WAYS: readonly (readonly [RegExp, string])[] = [
  [/(^|[,;|\n]\s*)(tcp|udp|sctp)\s*[/: ]\s*(\d{1,5}(?:\s*-\s*\d{1,5})?)/gi, "$1$3/$2"],
  [/(^|[,;|\n]\s*)([a-z][\w-]{0,50})\s*\((\d{1,5})\)/gi, "$1$3 ($2)"],
  [/(\d)\s*(?:&|\+|\s(?:and|und|et|y|e|en)\s)\s*(?=\d)/gi, "$1, "],
];
/** Numbers separated by slashes; smaller ones count units and slots of switches. */
const SLASHED = /^(?:[2-9]\d|[1-9]\d{2,4})(?:\s*\/\s*\d{2,5})+$/;
/** Protocols with ports or numbers of their own, which are not read. */
const OTHER_PROTOCOLS: ReadonlySet<string> = new Set(["sctp", "dccp", "icmp", "igmp", "gre", "esp", "ah"]);
/** Names of ports of switches: `Gi1/0/4`, `1/0/4`, `ge-0/0/1`, `#7`, `LAN 1`, `Port 3`. */
const OF_SWITCH =
  /^(?:(?!tcp|udp)[a-z][a-z-]*[\s#-]?\d{1,4}(?:[/.:]\d{1,4}){0,3}|\d{1,2}(?:\/\d{1,3}){1,3}|#\d{1,3})$/i;

export interface CellPort {
  readonly number: number;
  readonly protocol: Protocol;
  /** What the cell calls it; null if nothing. */
  readonly name: string | null;
}

/** Why a cell is no list of ports. */
export interface PortCellFault {
  readonly code: "not_a_port" | "unknown_protocol";
  readonly reason: string;
}

/**
 * The ports of a cell.
 *
 * @param protocols of the row; TCP if it and the cell say nothing
 */
export function portsInCell(cell: string, protocols: string): readonly CellPort[] | PortCellFault {
  const found = new Map<string, CellPort>();
  for (const item of itemsIn(cell)) {
    const [, first = "", last = first, ...words] = ITEM.exec(item) ?? [];
    const { written, name } = meantBy(words);
    const from = Number(first);
    const to = Number(last);
    if (first === "" || from < 1 || to > 65_535 || from > to)
      return { code: "not_a_port", reason: "its port is not a number from 1 to 65535" };
    if (to - from >= MOST_OF_A_RANGE)
      return { code: "not_a_port", reason: `${item.slice(0, 50)} are more than ${MOST_OF_A_RANGE} ports` };
    const spoken = protocolsIn(written === "" ? protocols : written);
    if (spoken === null) return { code: "unknown_protocol", reason: "only TCP and UDP ports are supported" };
    for (let number = from; number <= to; number++)
      for (const protocol of spoken)
        found.set(`${number} ${protocol}`, { number, protocol, name: name === "" ? null : name });
    if (found.size > MOST_OF_A_CELL)
      return { code: "not_a_port", reason: `a row may have at most ${MOST_OF_A_CELL} ports` };
  }
  return [...found.values()];
}

/** True for a cell that names the port of a switch, where the machine is plugged in. */
export function isPortOfSwitch(cell: string): boolean {
  return OF_SWITCH.test(cell.trim()) && !SLASHED.test(cell.trim());
}

/** Protocols and name of an item: a word that is no protocol is a name, as in `443/https`. */
function meantBy([written = "", name = ""]: readonly (string | undefined)[]): { written: string; name: string } {
  const isProtocol = protocolsIn(written) !== null || OTHER_PROTOCOLS.has(written.toLowerCase());
  return isProtocol ? { written, name: name.trim() } : { written: "", name: `${written} ${name}`.trim() };
}

/** Separated by commas and the like, or by blanks before a number; `tcp, udp` belongs to the number before it. */
function itemsIn(cell: string): string[] {
  const lists = SLASHED.test(cell.trim()) ? cell.replaceAll("/", ",") : cell;
  return WAYS.reduce((text, [way, expected]) => text.replaceAll(way, expected), lists)
    .split(/\s*[,;|]\s*(?=\d)|\s+(?=\d)(?<![-–]\s*)(?!\d+\s*[-–])|\s+(?=\d+\s*[-–])/)
    .map((item) => item.replace(/[\s,;|]+$/, "").trim())
    .filter((item) => item !== "");
}

/** Protocols such as `tcp`, `TCP/UDP` or `both`; null if one is neither. */
function protocolsIn(written: string): readonly Protocol[] | null {
  const text = written.trim().toLowerCase();
  if (text === "") return ["Tcp"];
  if (text === "both" || text === "any") return ["Tcp", "Udp"];
  const found = text.split(/[\s/+,&]+/).map((name) => PROTOCOLS.get(name.replace(/[46]$/, "")));
  return found.every((protocol) => protocol !== undefined) ? [...new Set(found)] : null;
}
