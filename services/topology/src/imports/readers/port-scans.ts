import type { Scan, SeenHost, SeenService } from "../scan.rules.js";
import { isObject, type JsonObject, jsonIn, listAt, memberOf, objectAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { beginningOf, faultAt, linesOf } from "./lines.js";
import { portNumberIn } from "./machine.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, clip, hostnameIn, PROTOCOLS, toolInfo } from "./texts.js";

// Open ports as fast scanners list them, an entry for each: masscan (`-oJ`, `-oD`, `-oL`) and naabu (`-json`, or plain). They
// list what they found, not what they looked for, so that nothing is missed by them. `masscan -oX` is read like nmap's.

/** An open port of an entry. */
interface Found {
  /** As written. */
  readonly address: string;
  /** As the scanner was given it; may be an address. */
  readonly host: string;
  readonly port: string;
  readonly protocol: string;
  readonly state: string;
  readonly service: SeenService | null;
  /** What the port answered, and of which kind that is, such as `title`. */
  readonly banner: { readonly kind: string; readonly text: string } | null;
}

/** `open tcp 80 10.0.0.1 1700000000`, or `banner tcp 22 10.0.0.1 1700000000 ssh SSH-2.0`. */
const LISTED =
  /^(open|closed|banner) (tcp|udp|sctp|icmp) (\d{1,5}) (\S{2,100}) \d{1,20}(?: (\S{1,100})(?: (.{1,2000}))?)?/;
/** `10.0.0.1:80` or `[2001:db8::1]:80`. */
const PLAIN = /^(?:\[([\da-f:]{2,45})\]|(\d{1,3}(?:\.\d{1,3}){3})):(\d{1,5})$/i;
const SAMPLE_LINES = 10;
const LONGEST_TITLE = 300;

export const masscan: Reader = {
  format: "masscan",
  looksLike: (beginning) =>
    /^#masscan\b/.test(beginning) ||
    /^\[?\s*\{\s*"ip"\s*:\s*"[^"]+",\s*"timestamp"/.test(beginning) ||
    beginning.split("\n", SAMPLE_LINES).some((line) => LISTED.test(line)),
  read: (bytes) => readEntries(bytes, "masscan", "must be the output of `masscan -oJ`, `-oD` or `-oL`"),
};

export const naabu: Reader = {
  format: "naabu",
  looksLike: (beginning) => {
    const [first = ""] = beginning.split("\n", 1);
    return isEntryOfNaabu(first) || PLAIN.test(first.trim());
  },
  read: (bytes) => readEntries(bytes, "naabu", "must be the output of `naabu -json`, or lines such as 10.0.0.1:80"),
};

/** An entry names its address and port; other files have them in objects within. */
function isEntryOfNaabu(line: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && typeof entry["ip"] === "string" && Object.hasOwn(entry, "port");
  } catch {
    return false;
  }
}

function readEntries(bytes: Iterable<Uint8Array>, tool: string, requirement: string): Scan {
  const blocks = [...bytes];
  const sightings = createSightings();
  let count = 0;
  let banners = 0;
  let firstBanner = 0;
  for (const { line, found } of entriesIn(blocks, sightings)) {
    count++;
    take(sightings, line, found);
    if (found.banner === null || found.banner.kind === "title" || productIn(found.banner) !== null) continue;
    if (banners++ === 0) firstBanner = line;
  }
  if (banners > 0)
    sightings.skipped.add(firstBanner, "banners of services", `nothing is made of them (${banners} in the file)`);
  if (count === 0 && !isEmptyList(blocks)) throw faultAt(1, requirement);
  return sightings.scan(toolInfo(tool));
}

/** A scan that found nothing. */
function isEmptyList(blocks: readonly Uint8Array[]): boolean {
  return /^(?:\[\s*\]?\s*$|#masscan)/.test(beginningOf(blocks).trimEnd());
}

function* entriesIn(blocks: readonly Uint8Array[], sightings: Sightings): Generator<{ line: number; found: Found }> {
  if (isFormatted(blocks)) yield* inList(jsonIn(blocks));
  else yield* inLines(blocks, sightings);
}

function* inList(values: unknown): Generator<{ line: number; found: Found }> {
  const entries = Array.isArray(values) ? (values as unknown[]) : [values];
  for (const [index, entry] of entries.entries()) {
    const ports = isObject(entry) ? inObject(entry) : [];
    for (const found of ports) yield { line: index + 1, found };
  }
}

function* inLines(blocks: readonly Uint8Array[], sightings: Sightings): Generator<{ line: number; found: Found }> {
  for (const { number: line, text } of linesOf(blocks)) {
    // masscan separates the entries of its list by commas, and older versions end it in a way that is not JSON.
    const entry = text.trim().replace(/^,/, "").replace(/,$/, "").trim();
    if (entry === "" || /^[[\]#]/.test(entry) || /^\{ ?finished: 1 ?\}$/.test(entry)) continue;
    const found = entry.startsWith("{") ? inLine(entry) : inText(entry);
    if (found === null) sightings.skipped.add(line, `line ${line}`, "it is not an open port");
    else for (const one of found) yield { line, found: one };
  }
}

/** True for JSON whose entries are laid out over several lines, as by `jq`. */
function isFormatted(blocks: readonly Uint8Array[]): boolean {
  const beginning = beginningOf(blocks);
  return /^(?:\[\s*)?\{\s*\n/.test(beginning) || /^\[[^\n]*\}, ?\{/.test(beginning);
}

function inLine(entry: string): readonly Found[] | null {
  try {
    const value = JSON.parse(entry) as unknown;
    return isObject(value) ? inObject(value) : null;
  } catch {
    return null;
  }
}

function inObject(entry: JsonObject): readonly Found[] {
  const address = textAt(entry, "ip");
  const host = textAt(entry, "host");
  const ports = listAt(entry, "ports");
  return (ports.length === 0 ? [entry] : ports).filter(isObject).map((port): Found => {
    const service = { ...objectAt(port, "service"), ...objectAt(port, "data") };
    const name = textAt(service, "name") || textAt(service, "service_name");
    return {
      address,
      host,
      port: numberText(memberOf(port, "port")),
      protocol: (textAt(port, "proto") || textAt(port, "protocol") || "tcp").toLowerCase(),
      state: textAt(port, "status") || textAt(service, "status") || "open",
      service: serviceOf(name),
      banner: bannerOf(name, textAt(service, "banner")),
    };
  });
}

/** Older versions of naabu write the port as an object. */
function numberText(port: unknown): string {
  const value = isObject(port) ? memberOf(port, "Port") : port;
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

function inText(entry: string): readonly Found[] | null {
  const [, state, protocol = "", port = "", address = "", name = "", text = ""] = LISTED.exec(entry) ?? [];
  if (state !== undefined)
    return [
      {
        address,
        host: "",
        port,
        protocol,
        state: state === "banner" ? "open" : state,
        service: serviceOf(name),
        banner: bannerOf(name, text),
      },
    ];
  const [, ipv6, ipv4, number = ""] = PLAIN.exec(entry) ?? [];
  const ip = ipv6 ?? ipv4;
  if (ip === undefined) return null;
  return [{ address: ip, host: "", port: number, protocol: "tcp", state: "open", service: null, banner: null }];
}

function bannerOf(kind: string, text: string): Found["banner"] {
  return text.trim() === "" ? null : { kind: kind.toLowerCase(), text };
}

/** Servers as they name themselves over HTTP, and as others name them. */
const SERVERS: ReadonlyMap<string, string> = new Map([
  ["apache", "Apache httpd"],
  ["microsoft-iis", "Microsoft IIS"],
]);

/** How SSH and HTTP servers name themselves, by the kind of what they answer. */
const NAMING: ReadonlyMap<string, RegExp> = new Map([
  ["ssh", /^SSH-[\d.]+-([a-z][a-z\d.-]{0,99}?)[_ -](\d\S{0,99})/i],
  ["http.server", /^([a-z][\w.-]{0,99})(?:\/(\S{1,100}))?/i],
  // Line ends are escaped in lists.
  ["http", /(?:\n|\\x0a|\\n)server: ?([a-z][\w.-]{0,99})(?:\/([^\s\\]{1,100}))?/i],
]);

/** Product and version in what an SSH or HTTP server says of itself: `SSH-2.0-OpenSSH_9.2p1`, `nginx/1.26.0`. */
function productIn(banner: NonNullable<Found["banner"]>): { product: string; version: string | null } | null {
  const [, written, version] = NAMING.get(banner.kind)?.exec(banner.text) ?? [];
  return written === undefined
    ? null
    : { product: SERVERS.get(written.toLowerCase()) ?? written, version: version ?? null };
}

/** masscan names protocols by what they answered: `http.server`, `ssh`, `X509`. */
function serviceOf(written: string): SeenService | null {
  const name = clip(written.split(".", 1)[0], 100);
  return name === null || /^(?:x509|title|unknown)$/i.test(name)
    ? null
    : { name, product: null, isWrapped: false, isProbed: true };
}

function take({ add, skipped }: Sightings, line: number, found: Found): void {
  const what = `port ${found.port.slice(0, 10)}/${found.protocol.slice(0, 10)} of ${found.address.slice(0, 50)}`;
  const ip = addressIn(found.address);
  const number = portNumberIn(found.port);
  const protocol = PROTOCOLS.get(found.protocol);
  if (ip === null) skipped.add(line, what, "it is not an IP address");
  else if (protocol === undefined) skipped.add(line, what, "only TCP and UDP ports are supported");
  else if (number === null) skipped.add(line, what, "its number is not from 1 to 65535");
  else if (found.state !== "open") skipped.add(line, what, `it is ${found.state.slice(0, 20)}`);
  else {
    const written = { skipped, line, what: `title of ${what}` };
    const title = found.banner?.kind === "title" ? kept(found.banner.text, LONGEST_TITLE, written) : null;
    const titled = title === null ? {} : { says: { title } };
    const product = found.banner === null ? null : productIn(found.banner);
    const service = found.service === null || product === null ? found.service : { ...found.service, ...product };
    const ports = [{ line, ip, protocol, number, service, ...titled }];
    const host: SeenHost = {
      line,
      addresses: [{ ip, mac: null }],
      hostname: hostnameIn(found.host),
      vendor: null,
      ports,
    };
    add(host, what);
  }
}
