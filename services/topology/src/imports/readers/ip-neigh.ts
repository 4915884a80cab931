import { MOST_SIGHTINGS, type Scan, type Skipped } from "../scan.rules.js";
import { arpRow, hasArpHeadings, hasNamesInRows, isArpNote, namedRow } from "./arp-tables.js";
import { behindBridge, isOfBridge } from "./bridges.js";
import { documentsIn } from "./documents.js";
import { entriesOf, listAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { beginningOf, faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSightings } from "./sightings.js";
import { addressIn, cardOf, hostnameIn, isOfOneCard, macIn, reasonAgainst, toolInfo } from "./texts.js";

// Neighbour tables: `ip -j neigh`, `ip neigh`, `arp` in all forms of Linux, BSD, macOS and Windows, and the ARP tables of
// routers and switches.

/** Characters that are kept. */
const LONGEST_VENDOR = 200;
/** A MAC address with more addresses than this is a proxy. */
const MOST_OF_A_CARD = 16;

interface Neighbour {
  readonly line: number;
  /** As written. */
  readonly address: string;
  readonly mac: string;
  readonly link: string;
  /** In upper case. */
  readonly states: readonly string[];
  readonly hostname: string | null;
  /** To whom the MAC address is assigned. */
  readonly vendor?: string | null;
}

/** A neighbour that is a machine. */
interface Machine extends Neighbour {
  readonly ip: string;
  readonly card: string;
}

/** Maximum length of a line of `ip neigh`. */
const MOST_WORDS = 20;
/** Maximum characters per line. */
const LONGEST = 1_000;
/** Maximum lines before the first neighbour. */
const MOST_HEADINGS = 10;
/** The words in between are in the language of the system. */
const ARP_UNIX =
  /^(\S{1,300}) \(([\d.]{7,15})\) [^\s\d]{1,10} ([\da-fA-F][\da-fA-F:.-]{10,19}|[<(][^<>()]{1,30}[)>]|\*)(?: +\[\w+\])?((?: [A-Z]+)*) +[^\s\d]{1,10} (\S{1,50})/;
const ARP_WINDOWS = /^([\d.]{7,15}) +([\da-f]{2}(?:-[\da-f]{2}){5}) +(\S{1,30})$/;

export const ipNeigh: Reader = { format: "ip-neigh", looksLike, read: readNeighbours };

/** The same entries as a table with headings. */
export const arp: Reader = { format: "arp", looksLike: hasArpHeadings, read: readNeighbours };

function looksLike(beginning: string): boolean {
  if (beginning.startsWith("[")) return /^\[\s*\{\s*"dst"\s*:/.test(beginning);
  return beginning.split("\n", 10).some((line) => ofTools(line.trim().slice(0, LONGEST)) !== null);
}

function readNeighbours(bytes: Iterable<Uint8Array>): Scan {
  const blocks = [...bytes];
  const isJson = /^\[\s*[[\]{]/.test(beginningOf(blocks));
  const sightings = createSightings();
  const machines: Machine[] = [];
  for (const one of isJson ? inJson(blocks) : inLines(blocks, sightings.skipped)) {
    const found = machineOf(one);
    if ("reason" in found) sightings.skipped.add(one.line, `neighbour ${one.address.slice(0, 50)}`, found.reason);
    else if (machines.push(found) > MOST_SIGHTINGS)
      throw faultAt(one.line, `an import reads at most ${MOST_SIGHTINGS} neighbours`);
  }
  const crowded = crowdedCards(machines);
  for (const { line, ip, card, hostname, address, vendor: assigned = null } of machines) {
    const what = `neighbour ${address}`;
    const count = crowded.get(card);
    if (count !== undefined)
      sightings.skipped.add(line, what, `${card} responds for ${count} addresses, as with proxy ARP`);
    else {
      const { mac, vendor } = cardOf(card, ip);
      const written = { skipped: sightings.skipped, line, what: `vendor of ${what}` };
      const maker = assigned === null ? null : kept(assigned, LONGEST_VENDOR, written);
      const made = mac === null || maker === null ? {} : { vendor: maker };
      sightings.add(
        { line, addresses: [{ ip, mac, ...made }], hostname, vendor: vendor ?? maker, says: made, ports: [] },
        what,
      );
    }
  }
  return sightings.scan(toolInfo("ip neigh"));
}

/** Entries of one list, or of several that were appended to one file. */
function* inJson(blocks: readonly Uint8Array[]): Generator<Neighbour> {
  let line = 0;
  for (const entry of [...documentsIn(blocks)].flatMap(({ value }) => entriesOf(value)))
    yield {
      line: ++line,
      address: textAt(entry, "dst"),
      mac: textAt(entry, "lladdr"),
      link: textAt(entry, "dev"),
      states: [...listAt(entry, "state").map(String), ...("proxy" in entry ? ["PROXY"] : [])],
      hostname: null,
    };
}

function* inLines(blocks: readonly Uint8Array[], skipped: Skipped): Generator<Neighbour> {
  let isKnown = false;
  let hasHeadings = false;
  let isNamed = false;
  for (const { number, text } of linesOf(blocks)) {
    isNamed ||= hasNamesInRows(text);
    const neighbour = neighbourIn(text, number, isNamed);
    isKnown ||= neighbour !== null;
    if (neighbour !== null) yield neighbour;
    else if (isArpNote(text)) hasHeadings = true;
    // Windows writes headings, in the language of the system.
    else if (!isKnown && number > MOST_HEADINGS) break;
    else if (text.trim() !== "") skipped.add(number, `line ${number}`, "it is not a neighbour entry");
  }
  if (!isKnown && !hasHeadings) throw faultAt(1, "must be neighbours as printed by `ip -j neigh` or `arp -an`");
}

/** @param isNamed true under headings by which the second word of a row is a name */
function neighbourIn(line: string, number: number, isNamed: boolean): Neighbour | null {
  const text = line.trim();
  if (text.length > LONGEST) return null;
  const read = (isNamed ? namedRow(text) : null) ?? ofTools(text) ?? arpRow(text);
  return read === null ? null : { line: number, ...read };
}

type Written = Omit<Neighbour, "line">;

function ofTools(text: string): Written | null {
  return ofIp(text) ?? ofArp(text) ?? ofWindows(text);
}

function ofIp(text: string): Written | null {
  const [address = "", dev, link = "", ...words] = text.split(/\s+/, MOST_WORDS);
  if (dev !== "dev" || addressIn(address) === null) return null;
  const at = words.indexOf("lladdr") + 1;
  const states = words.map((word) => word.toUpperCase());
  return { address, mac: at === 0 ? "" : (words[at] ?? ""), link, states, hostname: null };
}

function ofArp(text: string): Written | null {
  const [, name = "", address, mac = "", flags = "", link = ""] = ARP_UNIX.exec(text) ?? [];
  if (address === undefined) return null;
  const states = [...(flags.includes("PUP") ? ["PROXY"] : []), ...(/^[<(]/.test(mac) ? ["INCOMPLETE"] : [])];
  return { address, mac, link, states, hostname: name === "?" ? null : hostnameIn(name) };
}

function ofWindows(text: string): Written | null {
  const [, address, mac = ""] = ARP_WINDOWS.exec(text.toLowerCase()) ?? [];
  return address === undefined ? null : { address, mac, link: "", states: [], hostname: null };
}

/** Converts a neighbour to a machine, or returns why it is skipped. */
function machineOf(neighbour: Neighbour): Machine | { readonly reason: string } {
  const { address, mac, link, states } = neighbour;
  const ip = addressIn(address);
  const card = macIn(mac);
  if (ip === null && card !== null) return { reason: "it shows a name instead of an address; use arp -n" };
  if (ip === null) return { reason: "it is not an IP address" };
  if (states.includes("FAILED") || states.includes("INCOMPLETE")) return { reason: "it did not respond" };
  if (states.includes("PROXY")) return { reason: "it is a proxy entry of the machine itself" };
  if (isOfBridge(link)) return { reason: behindBridge(link) };
  const fault = reasonAgainst(ip);
  if (fault !== null) return { reason: fault };
  if (states.includes("NOARP") || card === null) return { reason: "it has no MAC address" };
  if (!isOfOneCard(card)) return { reason: "its MAC address is not unicast" };
  return { ...neighbour, ip, card };
}

/** MAC addresses with implausibly many IPv4 addresses, with their number. */
function crowdedCards(machines: readonly Machine[]): ReadonlyMap<string, number> {
  const byCard = new Map<string, Set<string>>();
  for (const { ip, card } of machines) {
    if (ip.includes(":")) continue;
    const addresses = byCard.get(card) ?? new Set<string>();
    byCard.set(card, addresses.add(ip));
  }
  return new Map(
    [...byCard].map(([card, { size }]) => [card, size] as const).filter(([, size]) => size > MOST_OF_A_CARD),
  );
}
