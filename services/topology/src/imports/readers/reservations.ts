import { isObject, type JsonObject, jsonIn, listAt, memberOf, textAt } from "./json.js";
import { duidOfClient, type Lease, macOfClient, macOfDuid } from "./leases.js";
import { addressIn, macIn } from "./texts.js";

// Addresses that DHCP servers keep for machines, from their configuration: `host` blocks of dhcpd, `dhcp-host` lines of dnsmasq,
// `/etc/config/dhcp` of OpenWrt, what RouterOS exports, and JSON of Kea, whose answer to `lease4-get-all` has the same form.

const OF_DHCPD = /(?:^|[\n;{}])\s*host\s+\S{1,300}\s*\{[^{}]{0,2000}\bhardware\s+ethernet\b/;
const OF_DNSMASQ = /^[^\S\n]*dhcp-host[^\S\n]*=/m;
/** A kept address, or a name that the DNS server of dnsmasq knows. */
const ENTRY_OF_DNSMASQ = /^\s*(?:dhcp-host|host-record)\s*=\s*([^#]{1,2000})/;
const OF_OPENWRT = /^config (?:dnsmasq|host)\b/m;
/** Of a section of OpenWrt's configuration, as in `option ip '10.0.0.5'`. */
const OPTION = /^\s*(?:option|list)\s+(\w{1,40})\s+(["']?)(.{1,300}?)\2\s*$/;
const OF_MIKROTIK = /^\/ip dhcp-server lease *(?:\n|add )/m;
const OF_KEA = /"Dhcp[46]"\s*:|"arguments"\s*:\s*\{\s*"leases"\s*:|"reservations"\s*:\s*\[/;
const BLOCK = /(?<=^|[\s;{}])host\s+("?)(\S{1,300}?)\1\s*\{([^{}]{0,5000})\}/g;
const STATEMENT =
  /(?:^|[\n;])\s*(hardware\s+ethernet|fixed-address6?|option\s+host-name|ddns-hostname)\s+([^;]{1,1000})/g;
/** A value of a command of RouterOS. */
const SETTING = /(?<=\s)([a-z][a-z-]{0,40})=(?:"((?:[^"\\]|\\.){0,500})"|(\S{0,500}))/g;
/** Further members by which Kea recognizes a client. */
const OTHER_IDENTITIES = ["circuit-id", "flex-id"];
/** Objects within objects. */
const MOST_DEPTH = 16;
const COMMENTS = /^[^\S\n]*(?:\/\/|#).*$|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))/gm;

/** True for the configuration of a DHCP server that keeps addresses for machines. */
export function hasReservations(beginning: string): boolean {
  if (/^(?:[[{]|\/[/*])/.test(beginning)) return OF_KEA.test(beginning);
  return (
    [OF_DNSMASQ, OF_OPENWRT, OF_MIKROTIK].some((kind) => kind.test(beginning)) ||
    OF_DHCPD.test(withoutComments(beginning))
  );
}

/** The kept addresses in a configuration. @throws AppError `validation_failed` if its JSON is malformed */
export function reservationsIn(blocks: readonly Uint8Array[]): Lease[] {
  const text = Buffer.concat(blocks).toString();
  if (/^\s*(?:[[{]|\/[/*])/.test(text)) return [...ofKea(jsonIn([Buffer.from(blanked(text))]), { line: 0 }, 0)];
  if (OF_MIKROTIK.test(text)) return [...ofMikrotik(text)];
  if (OF_OPENWRT.test(text)) return [...ofOpenWrt(text)];
  return [...ofDhcpd(withoutComments(text)), ...ofDnsmasq(text)];
}

/** The text with blanks for its comments, so that positions stay. */
function blanked(text: string): string {
  return text.replaceAll(COMMENTS, (comment) => comment.replaceAll(/[^\n]/g, " "));
}

function withoutComments(text: string): string {
  return text.replaceAll(/#[^\n]*/g, "");
}

function* ofDhcpd(text: string): Generator<Lease> {
  let line = 1;
  let counted = 0;
  for (const { index, 2: name = "", 3: body = "" } of text.matchAll(BLOCK)) {
    line += text.slice(counted, index).split("\n").length - 1;
    counted = index;
    const settings = new Map(
      [...body.matchAll(STATEMENT)].map(([, key = "", value = ""]) => [key.split(/\s+/).at(-1), value]),
    );
    const own = (settings.get("host-name") ?? settings.get("ddns-hostname") ?? name).replaceAll('"', "").trim();
    const addresses = (settings.get("fixed-address") ?? settings.get("fixed-address6") ?? "").split(",");
    for (const address of addresses)
      yield reservation(line, address.trim(), settings.get("ethernet")?.trim() ?? "", own);
  }
}

/** Of its values, one is the name, and those in brackets are addresses of IPv6. */
function* ofDnsmasq(text: string): Generator<Lease> {
  for (const [index, line] of text.split("\n").entries()) {
    const [, written = ""] = ENTRY_OF_DNSMASQ.exec(line) ?? [];
    if (written === "") continue;
    const values = written.split(",").map((value) => value.trim().replace(/^\[(.*)\]$/, "$1"));
    const addresses = values.filter((value) => addressIn(value) !== null);
    const client = values.find((value) => value.startsWith("id:"))?.slice("id:".length) ?? "";
    const mac = values.find((value) => macIn(value) !== null) ?? macOfClient(client) ?? "";
    const isName = (value: string): boolean =>
      /^[a-z][\w.-]*$/i.test(value) && macIn(value) === null && !/^(?:infinite|ignore)$|^\d+[smhd]?$/.test(value);
    const name = values.find(isName) ?? "";
    for (const address of addresses.length === 0 ? [""] : addresses) yield reservation(index + 1, address, mac, name);
  }
}

/** Sections of hosts, and of names that its DNS server knows. */
function* ofOpenWrt(text: string): Generator<Lease> {
  let section: { line: number; values: Map<string, string> } | null = null;
  for (const [index, line] of [...text.split("\n"), "config end"].entries()) {
    const [, key = "", , value = ""] = OPTION.exec(line) ?? [];
    if (section !== null && key !== "") section.values.set(key, `${section.values.get(key) ?? ""} ${value}`.trim());
    if (!/^\s*config\s/.test(line)) continue;
    if (section !== null) yield ofSection(section.line, section.values);
    section = /^\s*config\s+(?:host|domain)\b/.test(line) ? { line: index + 1, values: new Map() } : null;
  }
}

/** A host may have several network cards, which take turns at its address. */
function ofSection(line: number, values: ReadonlyMap<string, string>): Lease {
  const ip = values.get("ip") ?? "";
  const [mac = "", ...others] = (values.get("mac") ?? "").split(/\s+/);
  const isOne = others.length === 0;
  const kept = reservation(line, addressIn(ip) === null ? "" : ip, isOne ? mac : "", values.get("name") ?? "");
  return isOne ? kept : { ...kept, note: `One of the network cards ${[mac, ...others].join(", ")}` };
}

/** What `export` of RouterOS prints: commands under the menu that they are of. */
function* ofMikrotik(text: string): Generator<Lease> {
  let isHere = false;
  let first = 0;
  let command = "";
  for (const [index, line] of text.split("\n").entries()) {
    if (command === "") first = index + 1;
    command += line.trim();
    if (command.endsWith("\\")) {
      command = command.slice(0, -1);
      continue;
    }
    const whole = command;
    command = "";
    if (whole.startsWith("/")) isHere = whole.startsWith("/ip dhcp-server lease");
    if (!isHere || !/(?:^| )add /.test(whole)) continue;
    const settings = new Map(
      [...whole.matchAll(SETTING)].map(([, key = "", quoted, bare = ""]) => [
        key,
        quoted?.replaceAll(/\\(.)/g, "$1") ?? bare,
      ]),
    );
    const found = reservation(first, settings.get("address") ?? "", settings.get("mac-address") ?? "", "");
    const fault = settings.get("disabled") === "yes" ? "it is disabled" : found.fault;
    yield { ...found, fault, note: settings.get("comment") ?? "" };
  }
}

function reservation(line: number, address: string, mac: string, hostname: string): Lease {
  const fault = address === "" ? "no address is kept for it" : null;
  return { line, address: address === "" ? hostname || mac : address, mac, hostname, endsMs: null, fault };
}

/** Reservations and leases anywhere in a value. @param at counts them */
function* ofKea(value: unknown, at: { line: number }, depth: number): Generator<Lease> {
  if (depth > MOST_DEPTH || typeof value !== "object" || value === null) return;
  if (isObject(value)) yield* ofObject(value, at);
  for (const member of Object.values(value)) yield* ofKea(member, at, depth + 1);
}

function* ofObject(entry: JsonObject, at: { line: number }): Generator<Lease> {
  const card = textAt(entry, "hw-address");
  const duid = textAt(entry, "duid");
  const addresses = [textAt(entry, "ip-address"), ...listAt(entry, "ip-addresses").map(String)].filter(
    (text) => text !== "",
  );
  const client = textAt(entry, "client-id");
  if ([card, duid, client, ...OTHER_IDENTITIES.map((name) => textAt(entry, name))].every((text) => text === "")) return;
  at.line++;
  if (addresses.length === 0) yield reservation(at.line, "", card || duid || client, textAt(entry, "hostname"));
  for (const address of addresses)
    yield {
      line: at.line,
      address,
      mac: card || (macOfDuid(duid) ?? macOfClient(client) ?? ""),
      hostname: textAt(entry, "hostname"),
      duid: duid || duidOfClient(client),
      endsMs: endOf(entry),
      fault: faultOf(entry),
    };
}

/** Of a lease: when it was last confirmed, and for how long. */
function endOf(entry: JsonObject): number | null {
  const since = memberOf(entry, "cltt");
  const seconds = memberOf(entry, "valid-lft");
  return typeof since === "number" && typeof seconds === "number" && seconds < 4_294_967_295
    ? (since + seconds) * 1_000
    : null;
}

function faultOf(entry: JsonObject): string | null {
  if (textAt(entry, "type") === "IA_PD") return "it is a prefix, not an address";
  const state = memberOf(entry, "state");
  return state === 1 ? "it was declined: something else has the address" : state === 2 ? "it has expired" : null;
}
