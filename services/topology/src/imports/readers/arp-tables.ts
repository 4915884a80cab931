import { addressIn, clip, hostnameIn, macIn } from "./texts.js";

// ARP entries as tables: `arp -n` and `/proc/net/arp` of Linux, OpenBSD, Solaris, `arp-scan`, and `show arp` of Cisco IOS and NX-OS,
// Arista, Juniper, MikroTik and Fortinet. They differ in the order of their columns, and agree in that a row has one address
// and one MAC address.

/** An entry of a table. */
export interface ArpRow {
  /** As written; a name where the table shows names. */
  readonly address: string;
  /** Empty if there is none. */
  readonly mac: string;
  readonly link: string;
  readonly states: readonly string[];
  readonly hostname: string | null;
  /** To whom the MAC address is assigned. */
  readonly vendor?: string | null;
}

/** Address, MAC address and vendor, as `arp-scan` separates them; other tables have blanks. */
const OF_ARP_SCAN = /^[\d.]{7,15}\t[\da-f]{2}(?::[\da-f]{2}){5}\t(.+)$/i;
/** Those of `netdiscover`, after the numbers of packets and bytes. */
const OF_NETDISCOVER = /^[\d.]{7,15}\s+[\da-f]{2}(?::[\da-f]{2}){5}\s+\d+\s+\d+\s{2,}(.+)$/i;
/** A row of `nbtscan`: address, NetBIOS name, whether it shares files, who is signed in, MAC address. */
const OF_NBTSCAN = /^([\d.]{7,15})\s+(\S{1,15})\s+(?:.*\s)?([\da-f]{2}(?:[:-][\da-f]{2}){5})$/i;
/** An interface of Juniper's systems, such as `ge-0/0/0.0` or `irb.10`. */
const INTERFACE_OF_JUNIPER =
  /^(?:[a-z]{2}-\d+\/\d+\/\d+(?::\d+)?|(?:ae|bme|em|fxp|irb|lo|me|reth|st|vlan|vme)\d*)(?:\.\d+)?$/;
/** Maximum words of a row. */
const MOST_WORDS = 24;
/** Lines in which headings are looked for; prompts and notes may precede them. */
const MOST_LINES = 20;
/** Lines before the first entry of a table with unknown headings. */
const MOST_TITLES = 12;
/** Headings of the tables, in lower case and with single blanks. */
const HEADINGS: readonly RegExp[] = [
  /^address hwtype hwaddress/,
  /^ip address hw type flags hw address/,
  /^host ethernet address netif/,
  /^device ip address mask flags phys addr/,
  /^protocol address age ?\(min\) hardware addr type interface/,
  /^address age (?:\((?:min|sec)\) )?(?:mac address|hardware addr) interface/,
  /^address age\(min\) hardware addr interface/,
  /^mac address address (?:name )?interface/,
  /^#? ?(?:columns: )?(?:flags, )?address,? mac-address,? interface/,
  /^ip arp table/,
  /^interface: \S+, (?:type: \S+, )?(?:mac: \S+, )?ipv4: /,
  /^flags: x - disabled, i - invalid, h - dhcp, d - dynamic/,
  /^ip address netbios name server user mac address/,
  /^ip at mac address count len mac vendor/,
];
/** Lines that tables have beside entries and headings. */
const NOTES: readonly RegExp[] = [
  /^entries: \d+ skipped: \d+ found: \d+$/,
  /^total (?:number of (?:arp )?)?entries(?: displayed)?: \d+/,
  /^(?:starting|ending) arp-scan /,
  /^\d+ packets received by filter/,
  /^flags: /,
  /^net to media table(?:: ipv4)?$/,
  /^(?:columns|context)\b/,
  /^[-=_\s]{5,}$/,
  /^doing nbt name scan for addresses from/,
  /^-- active scan completed, \d+ hosts found\.$/,
  /^currently scanning: .*\| screen view:|^\d+ captured arp req\/rep packets/,
  /^[*+#-] ?- ?(?:adjacencies|non-active|cp -|ps -|d -|rc -)/,
];

/** True if one of the first lines is a heading of such a table. */
export function hasArpHeadings(beginning: string): boolean {
  return beginning.split("\n", MOST_LINES).some((line) => isHeading(simple(line)));
}

/** Lines that must be entries, of the first ones, in a table with headings of another system or language. */
const LEAST_ENTRIES = 1 / 2;

/** True if most of the first lines after the headings have one address and one MAC address. */
export function hasArpRows(beginning: string): boolean {
  const lines = beginning.split("\n", MOST_LINES).filter((line) => line.trim() !== "");
  const first = lines.findIndex((line) => isWholeRow(line));
  if (first === -1 || first > MOST_TITLES) return false;
  const rows = lines.slice(first).filter((line) => arpRow(line) !== null);
  return rows.length >= (lines.length - first) * LEAST_ENTRIES;
}

function isWholeRow(line: string): boolean {
  const row = arpRow(line);
  return row !== null && row.mac !== "" && addressIn(row.address) !== null;
}

/** True for a line that is no entry, and that nobody misses. */
export function isArpNote(line: string): boolean {
  const text = simple(line);
  return isHeading(text) || NOTES.some((note) => note.test(text));
}

/** The entry of a line; null if it is none. */
export function arpRow(line: string): ArpRow | null {
  const words = line.trim().split(/\s+/, MOST_WORDS).map(valueOf);
  const at = words.findIndex((word) => addressIn(word) !== null);
  const card = words.findIndex((word) => isCard(word));
  if (at === -1) return card > 0 && isHardwareType(words[1]) ? rowOf(words, 0, card) : null;
  const others = words.filter((word, index) => index !== at && addressIn(word) !== null);
  if (card === -1)
    return others.length === 0 && isIncomplete(line) ? { ...rowOf(words, at, -1), states: ["INCOMPLETE"] } : null;
  const row = { ...rowOf(words, at, card), vendor: vendorIn(line) };
  return isUnresolved(words) ? { ...row, states: ["INCOMPLETE"] } : row;
}

function rowOf(words: readonly string[], at: number, card: number): ArpRow {
  // Juniper: MAC address, address, name, interface; with `no-resolve` without names.
  const isJuniper = card === 0 && at === 1;
  const isNamed = isJuniper && !INTERFACE_OF_JUNIPER.test(words[2] ?? "");
  const name = isNamed ? words[2] : undefined;
  return {
    address: words[at] ?? "",
    mac: card === -1 ? "" : (words[card] ?? ""),
    link: (isJuniper ? words[isNamed ? 3 : 2] : words.at(-1)) ?? "",
    states: [],
    hostname: name === undefined ? null : hostnameIn(name),
  };
}

/** True for headings of rows with names. */
export function hasNamesInRows(line: string): boolean {
  return /^ip address\s+netbios name\b/i.test(line.trim());
}

/** An entry of such a table; null if it is none. */
export function namedRow(text: string): ArpRow | null {
  const [, address, name = "", mac = ""] = OF_NBTSCAN.exec(text) ?? [];
  return address === undefined ? null : { address, mac, link: "", states: [], hostname: hostnameIn(name) };
}

/** What programs say of a MAC address: `Synology Incorporated (DUP: 2)`, or `(Unknown: locally administered)`. */
function vendorIn(line: string): string | null {
  const [, written = ""] = OF_ARP_SCAN.exec(line.trim()) ?? OF_NETDISCOVER.exec(line.trim()) ?? [];
  const bare = written.replace(/ \(DUP: \d+\)$/, "");
  return /^\(?unknown\b/i.test(bare) ? null : clip(bare);
}

/** MikroTik's terse form names its values: `address=10.0.0.1`. */
function valueOf(word: string): string {
  return /^(?:address|mac-address|interface)=(.*)$/.exec(word)?.[1] ?? word;
}

/** Numbers alone are no MAC addresses here, though twelve digits could be one. */
function isCard(word: string): boolean {
  return /[:.-]/.test(word) && macIn(word) !== null;
}

function isHardwareType(word = ""): boolean {
  return /^(?:ether|0x1|arpa)$/i.test(word);
}

function isIncomplete(line: string): boolean {
  return /[(<][^\d()<>]{3,30}[)>]|\b(?:incomplete|failed|unreachable|pending|resolving)\b/i.test(line);
}

/** `/proc/net/arp` shows entries without an answer by flags of zero. */
function isUnresolved(words: readonly string[]): boolean {
  const [, type, flags] = words;
  return (type === "0x1" && flags === "0x0") || words.some((word) => /^(?:unreachable|incomplete)$/i.test(word));
}

function isHeading(text: string): boolean {
  return HEADINGS.some((heading) => heading.test(text));
}

function simple(line: string): string {
  return line.trim().slice(0, 300).replaceAll(/\s+/g, " ").toLowerCase();
}
