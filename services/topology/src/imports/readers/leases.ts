import { isAcross, NOT_ALIGNED } from "./aligned-rows.js";
import type { Line } from "./lines.js";

// Parses lease files: lines of dnsmasq, tables of Kea, blocks of ISC dhcpd.

/** A lease as written. */
export interface Lease {
  readonly line: number;
  readonly address: string;
  readonly mac: string;
  readonly hostname: string;
  /** Of the client, in hexadecimal; empty if it says none. */
  readonly duid?: string;
  /** What people have written of it. */
  readonly note?: string;
  /** In milliseconds; null if unknown. */
  readonly endsMs: number | null;
  /** Why it is skipped; null if it is not. */
  readonly fault: string | null;
}

/** Reads lines; a line may complete a lease. */
export interface LeaseLines {
  (line: Line): Lease | readonly Lease[] | null;
  /** The lease inside which the file ends, as one that is skipped; null if it does not. */
  readonly cutOff?: () => Lease | null;
}

/** Some network storages add the duration and the network card. */
const DNSMASQ = /^(?:\d{1,12} \S{1,300} \S{2,100} \S{1,300} \S{1,600}(?: \d{1,10} \S{1,20})?|duid [\da-f:]{1,600})$/i;
/** Smaller values are durations, which dnsmasq writes on machines without a clock. */
const FIRST_TIME_SECONDS = 1_000_000_000;
/** Maximum columns of a row of Kea. */
const MOST_COLUMNS = 40;
/** Why leases in these states of Kea are skipped. */
const KEA_STATES: ReadonlyMap<string, string> = new Map([
  ["1", "it was declined: something else has the address"],
  ["2", "it has expired"],
  ["3", "it was released"],
]);
const PREFIX = "it is a prefix, not an address";
const BEGINNING = /^(?:lease|iaaddr) ([\d.:a-f]{1,50}) \{$/i;
/** An address that is kept for a machine, which OMAPI writes between the leases, and ends by writing it again as deleted. */
const KEPT = /^host ("?)(\S{1,300}?)\1 \{$/;
const KEPT_ADDRESS = /^fixed-address6? ([\d.:a-f]{1,50});/i;
const DELETED = "deleted;";
/** A client of IPv6, whose addresses follow: `ia-na "<identity and DUID in octal>" {`. */
const CLIENT = /^ia-(na|ta|pd) "((?:[^"\\]|\\.){1,600})" \{$/;
const IDENTITY_BYTES = 4;
/** OpenBSD writes the time zone, which is always UTC. */
const ENDS = /^ends (?:never|epoch (\d{1,12})|\d (\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)(?: UTC)?);/;
/** Of older servers and OpenBSD, which know no states. */
const ABANDONED = "abandoned;";
const STATE = /^binding state (\w{1,20});/;
const HARDWARE = /^hardware ethernet ([\da-f:]{11,17});/i;
const HOSTNAME = /^client-hostname "((?:[^"\\]|\\.){1,600})";/;
/** The identity of a client of IPv4. */
const UID = /^uid "((?:[^"\\]|\\.){1,600})";/;
const STATES: ReadonlyMap<string, string> = new Map([
  ["free", "it is free"],
  ["expired", "it has expired"],
  ["released", "it was released"],
  ["abandoned", "it was abandoned: something else has the address"],
  ["backup", "it is kept free for another server"],
  ["reset", "it is free"],
]);

/** True for a line of dnsmasq's file. */
export function isDnsmasq(text: string): boolean {
  return DNSMASQ.test(text);
}

export function dnsmasqLease({ number: line, text }: Line): Lease | null {
  const [ends = "", card = "", address = "", name = "", client = ""] = text.split(" ", 5);
  if (text === "" || ends === "duid") return null;
  const seconds = Number(ends);
  const fault = DNSMASQ.test(text) ? null : "it is not a lease of dnsmasq";
  // Non-Ethernet addresses are prefixed by their type; IPv6 leases have that of the client's identity.
  const mac = address.includes(":") ? (macOfDuid(client) ?? "") : card.replace(/^[\da-f]{2}-/i, "");
  const endsMs = Number.isFinite(seconds) && seconds >= FIRST_TIME_SECONDS ? seconds * 1_000 : null;
  const duid = address.includes(":") ? client : duidOfClient(client);
  return { line, address, mac, hostname: name === "*" ? "" : name, duid, endsMs, fault };
}

/** Kea writes a heading, and escapes commas as `&#x2c`. */
export function keaLeases(): LeaseLines {
  let columns: ReadonlyMap<string, number> | null = null;
  return ({ number: line, text }) => {
    const values = text.split(",", MOST_COLUMNS);
    if (columns === null || text.startsWith("address,")) {
      columns = new Map(values.map((name, index) => [name, index]));
      return null;
    }
    const at = (name: string): string => values[columns?.get(name) ?? -1] ?? "";
    if (text === "") return null;
    const ends = Number(at("expire"));
    const isInfinite = at("valid_lifetime") === "4294967295" || !Number.isFinite(ends) || ends === 0;
    const isPrefix = at("lease_type") === "2";
    return {
      line,
      address: at("address"),
      mac: at("hwaddr") === "" ? (macOfDuid(at("duid")) ?? "") : at("hwaddr"),
      hostname: at("hostname").replaceAll("&#x2c", ","),
      duid: at("duid") || duidOfClient(at("client_id")),
      endsMs: isInfinite ? null : ends * 1_000,
      fault: isPrefix ? PREFIX : (KEA_STATES.get(at("state")) ?? null),
    };
  };
}

/** Reads ISC dhcpd's file, with one statement per line. */
export function iscLeases(): LeaseLines {
  let open: Lease | null = null;
  let client = { mac: "", duid: "", fault: null as string | null };
  /** Kept addresses by the names of their blocks. */
  const kept = new Map<string, string>();
  const take: LeaseLines = ({ number, text }) => {
    const name = KEPT.exec(text)?.[2];
    if (name !== undefined) {
      open = { line: number, address: kept.get(name) ?? "", mac: "", hostname: name, endsMs: null, fault: null };
      return null;
    }
    const address = BEGINNING.exec(text)?.[1];
    if (address !== undefined) {
      const said = text.startsWith("iaaddr") ? client : { mac: "", duid: "", fault: null };
      open = { line: number, address, hostname: "", endsMs: null, ...said };
      return null;
    }
    const [, kind, identity = ""] = CLIENT.exec(text) ?? [];
    if (kind !== undefined) {
      const duid = hexadecimal(identity, IDENTITY_BYTES);
      client = { mac: macOfDuid(duid) ?? "", duid, fault: kind === "pd" ? PREFIX : null };
    }
    if (open === null) return null;
    if (text === "}") {
      const lease = open;
      open = null;
      return lease;
    }
    const own = KEPT_ADDRESS.exec(text)?.[1];
    if (own !== undefined) kept.set(open.hostname, own);
    open = { ...open, ...(own !== undefined && { address: own }), ...fieldsIn(text) };
    return null;
  };
  const cutOff = (): Lease | null => open && { ...open, endsMs: null, fault: "the file ends inside it" };
  return Object.assign(take, { cutOff });
}

/** The value of a statement. */
function fieldsIn(text: string): Partial<Lease> {
  const ends = ENDS.exec(text);
  if (ends !== null) return { endsMs: timeOf(ends) };
  if (text.startsWith(DELETED)) return { fault: "it was deleted" };
  if (text.startsWith(ABANDONED)) return { fault: STATES.get("abandoned") ?? null };
  const state = STATE.exec(text)?.[1];
  if (state !== undefined) return { fault: STATES.get(state) ?? null };
  const mac = HARDWARE.exec(text)?.[1];
  if (mac !== undefined) return { mac };
  const hostname = HOSTNAME.exec(text)?.[1];
  if (hostname !== undefined) return { hostname: bytesOf(hostname).toString() };
  const identity = UID.exec(text)?.[1];
  return identity === undefined ? {} : { duid: duidOfClient(hexadecimal(identity, 0)) };
}

/** In milliseconds; the file's times are in UTC. */
function timeOf([, epoch, ...parts]: RegExpExecArray): number | null {
  if (epoch !== undefined) return Number(epoch) * 1_000;
  if (parts[0] === undefined) return null;
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
}

/** The MAC address in a DUID of type 1 (with a time) or 3 (RFC 8415); null for other types. @param duid in hexadecimal */
export function macOfDuid(duid: string): string | null {
  const digits = duid.replaceAll(/[:-]/g, "").toLowerCase();
  const mac = /^(?:00010001[\da-f]{8}|00030001)([\da-f]{12})$/.exec(digits)?.[1];
  return mac === undefined ? null : (mac.match(/../g) ?? []).join(":");
}

/** The MAC address in the identity of a client of IPv4, after the type of Ethernet; null if there is none. @param client in hexadecimal */
export function macOfClient(client: string): string | null {
  const mac = /^01([\da-f]{12})$/i.exec(client.replaceAll(/[:.-]/g, ""))?.[1];
  return mac === undefined ? null : (mac.match(/../g) ?? []).join(":");
}

/** The DUID in the identity of a client of IPv4 (RFC 4361); empty if there is none. @param client in hexadecimal */
export function duidOfClient(client: string): string {
  const digits = client.replaceAll(/[:.-]/g, "").toLowerCase();
  return /^ff[\da-f]{8}(000[1-4][\da-f]{12,256})$/.exec(digits)?.[1] ?? "";
}

/** The bytes of an identity as dhcpd writes it, after the first ones, in hexadecimal. */
function hexadecimal(identity: string, from: number): string {
  return bytesOf(identity).toString("hex", from);
}

/** The bytes of a text as dhcpd writes it. */
function bytesOf(written: string): Buffer {
  return Buffer.concat(
    [...written.matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gu)].map(([, octal, escaped, plain = ""]) =>
      octal === undefined ? Buffer.from(escaped ?? plain) : Buffer.of(parseInt(octal, 8) & 255),
    ),
  );
}

/** A line of OpenWrt's odhcpd: `# br-lan <identity> <association or ipv4> <name> <end> <suffix> <length> <address>/<length> …`. */
const ODHCPD =
  /^# (?!lease)(\S{1,50}) ([\da-f]{12,260}) (ipv4|[\da-f]{1,8}) (\S{1,300}) (-?\d{1,12}) \S{1,50} \d{1,3} (\S.{1,2000})$/i;
/** Headings of tables of leases for people. */
const TABLES: readonly (readonly [heading: RegExp, lines: () => LeaseLines])[] = [
  [/^mac address +ip address +host name +expires in/i, () => ofUdhcpd],
  [/^expiry time +mac address +protocol +ip address/i, () => ofLibvirt],
  [/^bindings from all pools|^ip address +client-id\//i, () => ofCisco],
  [/^(?:columns: |#)? *address,? +mac-address,? .*\bserver\b/i, mikrotikLeases],
  [/^ip\s+mac-address\s+hostname\s+vci\b/i, () => ofFortinet],
];

/** Leases of odhcpd; its names are `-` where there is none. */
export function odhcpdLeases(line: Line): Lease[] | null {
  const [, , identity = "", kind = "", name = "", ends = "", rest = ""] = ODHCPD.exec(line.text) ?? [];
  if (kind === "") return null;
  const mac = kind === "ipv4" ? identity : (macOfDuid(identity) ?? "");
  const duid = kind === "ipv4" ? "" : identity;
  const seconds = Number(ends);
  return rest.split(/[\s,]+/).flatMap((written): Lease[] => {
    const [address = "", length = ""] = written.split("/");
    const isWhole = length === "" || length === "128" || length === "32";
    const endsMs = seconds >= FIRST_TIME_SECONDS ? seconds * 1_000 : null;
    const fault = isWhole ? null : PREFIX;
    return address === ""
      ? []
      : [{ line: line.number, address, mac, hostname: name === "-" ? "" : name, duid, endsMs, fault }];
  });
}

export function isOdhcpd(text: string): boolean {
  return ODHCPD.test(text);
}

/** Reads a table for people with this heading; null for other lines. */
export function leasesUnder(heading: string): LeaseLines | null {
  return TABLES.find(([pattern]) => pattern.test(heading.slice(0, 300)))?.[1]() ?? null;
}

/** `dumpleases` of BusyBox: MAC address, address, name and remaining time. */
function ofUdhcpd({ number: line, text }: Line): Lease | null {
  const [, mac = "", address = "", hostname = "", left = ""] =
    /^([\da-f:]{17}) +([\d.]{7,15}) +(?:(\S+) +)?((?:\d+ days? )?\d+:\d\d:\d\d|expired)$/i.exec(text) ?? [];
  if (address === "") return null;
  return { line, address, mac, hostname, endsMs: null, fault: left === "expired" ? "it has expired" : null };
}

/** `execute dhcp lease-list`, in columns that begin at stops of tabs, so that a name is what stands right behind the MAC address. */
function ofFortinet({ number: line, text }: Line): Lease | null {
  const [, address = "", mac = "", hostname = ""] =
    /^\s*([\d.]{7,15})\s+([\da-f:]{17})(?:\t([^\s]{1,253})(?=\s|$)| {1,8}(\S{1,253}))?/i.exec(text) ?? [];
  return address === "" ? null : { line, address, mac, hostname, endsMs: null, fault: null };
}

/** `virsh net-dhcp-leases`: the end in local time, MAC address, protocol, address with its prefix length, and name. */
function ofLibvirt({ number: line, text }: Line): Lease | null {
  const [, mac = "", address = "", name = "-"] =
    /^[\d-]{10} [\d:]{8} +([\da-f:]{17}) +ipv[46] +([\da-f.:]{3,45})\/\d{1,3} +(\S+)/i.exec(text.trim()) ?? [];
  if (address === "") return null;
  return { line, address, mac, hostname: name === "-" ? "" : name, endsMs: null, fault: null };
}

/** `show ip dhcp binding`: the identity of a client is its MAC address after the type 01. */
function ofCisco({ number: line, text }: Line): Lease | null {
  const [, address = "", client = "", rest = ""] =
    /^([\d.]{7,15}) +([\da-f]{4}(?:\.[\da-f]{2,4}){2,8}) +(.{1,100})$/i.exec(text) ?? [];
  if (address === "") return null;
  const digits = client.replaceAll(".", "");
  const ends = /^[a-z]{3} \d\d \d{4} \d\d:\d\d [ap]m/i.exec(rest)?.[0];
  const endsMs = ends === undefined ? NaN : Date.parse(`${ends} UTC`);
  const mac = digits.length === 14 ? digits.slice(2) : digits;
  return {
    line,
    address,
    mac,
    hostname: "",
    duid: duidOfClient(digits),
    endsMs: Number.isNaN(endsMs) ? null : endsMs,
    fault: null,
  };
}

const ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b/;

/** RouterOS prints columns under their headings, which rows may leave empty. */
function mikrotikLeases(): LeaseLines {
  let columns: readonly { readonly name: string; readonly from: number; readonly to: number }[] = [];
  let starts: readonly number[] = [];
  return ({ number: line, text }) => {
    if (/^#? *address +mac-address/i.test(text.trim())) {
      const words = [...text.matchAll(/\S+/g)];
      columns = words.map(({ 0: name, index }, at) => ({ name, from: index, to: words[at + 1]?.index ?? Infinity }));
      starts = columns.map(({ from }) => from);
      return null;
    }
    const of = (name: string): string => {
      const column = columns.find((one) => one.name.toLowerCase() === name);
      return column === undefined ? "" : text.slice(column.from, column.to).trim();
    };
    if (isAcross(text, starts)) {
      const address = ADDRESS.exec(text)?.[0];
      return address === undefined ? null : { line, address, mac: "", hostname: "", endsMs: null, fault: NOT_ALIGNED };
    }
    const address = of("address").split(" ").at(-1) ?? "";
    if (!/^[\d.]{7,15}$/.test(address)) return null;
    const fault = of("status") === "waiting" ? "no machine has it at present" : null;
    return { line, address, mac: of("mac-address"), hostname: of("host-name"), endsMs: null, fault };
  };
}
