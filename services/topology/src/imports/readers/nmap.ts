import type { ImportedScan } from "@nts/shared/contract";
import {
  createSkipped,
  MOST_ADDRESSES,
  MOST_INTERFACES_OF_HOST,
  MOST_OPEN_PORTS,
  MOST_SIGHTINGS,
  type Scan,
  type SeenAddress,
  type SeenHost,
  type SeenPort,
  type SeenService,
  type Skipped,
} from "../scan.rules.js";
import { isSynthetic } from "../../values/synthetic-names.rules.js";
import { copyOf } from "../copies.rules.js";
import { createPacker } from "../packed-hosts.js";
import { coveragesTogether } from "../coverage.rules.js";
import { createExamined, createNmapCoverage, type Examined, type NmapCoverage } from "./nmap-coverage.js";
import type { SaysOfPort } from "../observations.rules.js";
import { faultAt } from "./lines.js";
import { edgesIn } from "./nmap-targets.js";
import { newScript, READ_SCRIPTS, type ReadingScript, saidBy, takeText } from "./nmap-scripts.js";
import type { Reader } from "./reader.js";
import { addressIn, clip, hostnameIn, isOfOneCard, macIn, PROTOCOLS } from "./texts.js";
import { isOfRouters } from "../../values/mac-addresses.rules.js";
import { hostWithVisibleNames } from "./visible-names.js";
import { type Attributes, createXmlReader, type Ending } from "./xml.js";

// `nmap -oX`, and compatible output such as masscan's. What only tells how the scan went (progress, times, statistics) is
// ignored; what is said of machines and has no place here is listed as skipped, once per kind.

const MOST_PORT_ELEMENTS = 65_536;
const MOST_CPE = 5;
const LONGEST_CPE = 200;
/** Characters of a name, product or version. */
const LONGEST_TEXT = 100;
/** Listed scripts whose findings are not read. */
const MOST_SCRIPTS = 200;
/** What is said of services and not kept: attributes, in words. */
const UNUSED_OF_SERVICES: readonly (readonly [attribute: string, text: string])[] = [
  ["extrainfo", "further information of services"],
  ["devicetype", "kinds of device by services"],
  ["ostype", "operating systems by services"],
  ["hostname", "host names by services"],
  ["owner", "owners of services"],
  ["servicefp", "fingerprints of unknown services"],
  ["rpcnum", "numbers of RPC programs"],
  ["highver", "ranges of versions of RPC programs"],
];
/** What is said of hosts and not kept: elements, in words. */
const UNUSED_OF_HOSTS: ReadonlyMap<string, string> = new Map([
  ["nmaprun/host/os/osfingerprint", "fingerprints of unknown operating systems"],
  ["nmaprun/host/uptime", "uptimes of hosts"],
  ["nmaprun/host/distance", "distances of hosts"],
  ["nmaprun/host/trace", "routes to hosts"],
  ["nmaprun/host/tcpsequence", "TCP sequences of hosts"],
  ["nmaprun/host/ipidsequence", "IP ID sequences of hosts"],
  ["nmaprun/host/tcptssequence", "TCP timestamps of hosts"],
]);
/** Begins each document. */
const DECLARATION = "<?xml ";
/** Ends it, if it is whole. */
const END = "</nmaprun>";
/** Begins a document after the end of another. */
const BEGINNING = /<(?:\?xml |!DOCTYPE nmaprun|nmaprun[\s>])/;
/** Characters between documents that are looked at. */
const MOST_BETWEEN = 10_000;
/** More than any of these has. */
const MOST_CUT_OFF = 20;

/** A host being read. */
interface Reading {
  readonly line: number;
  isUp: boolean;
  /** It was not probed. */
  isUnknown: boolean;
  /** Assumed up by option, not because it responded. */
  isAssumed: boolean;
  /** As written; identifies the host where it is skipped. */
  named: string | null;
  readonly addresses: Set<string>;
  mac: string | null;
  vendor: string | null;
  hostname: string | null;
  portElements: number;
  readonly ports: SeenPort[];
  os: OperatingSystem | null;
  /** Several machines answered for it. */
  isBroadcast: boolean;
  /** The scan of it timed out. */
  readonly isCutShort: boolean;
  /** Its port states. */
  readonly examined: Examined;
}

/** A port being read. */
interface ReadingPort {
  readonly line: number;
  readonly attributes: Attributes;
  state: string;
  service: Attributes | null;
  readonly cpe: string[];
  says: SaysOfPort;
}

/** A match of the operating system being read. */
interface OperatingSystem {
  readonly name: string;
  readonly accuracy: number;
  kind: string;
  version: string | null;
  cpe: string | null;
}

/**
 * Reads scans; several that were appended to one file count as one.
 *
 * @throws AppError `validation_failed` with line and column if it is not XML, or not a scan
 */
export function readScan(bytes: Iterable<Uint8Array>): Scan {
  const scans: Scan[] = [];
  let document = createDocument(1);
  let foreign: number | null = null;
  let between = "";
  let betweenLine: number | null = null;
  for (const { text, isNext, line, isBetween } of piecesOf(bytes)) {
    if (isBetween === true) {
      between = between.slice(0, MOST_BETWEEN) + text;
      betweenLine ??= line;
      continue;
    }
    foreign ??= foreignLine(between, betweenLine ?? line);
    between = "";
    betweenLine = null;
    if (isNext) {
      if (document.hasText()) scans.push(document.end());
      document = createDocument(line);
    }
    document.write(text);
  }
  if (document.hasText() || scans.length === 0) scans.push(document.end());
  const scan = scansTogether(scans);
  foreign ??= foreignLine(between, betweenLine ?? 1);
  if (foreign !== null) scan.skipped.add(foreign, "text after a scan", "it belongs to no scan");
  return scan;
}

/** The line of the first text that is no comment; null if there is none. @param line on which it begins */
function foreignLine(between: string, line: number): number | null {
  const bare = between.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, " "));
  const at = bare.search(/\S/);
  return at === -1 ? null : line + bare.slice(0, at).split("\n").length - 1;
}

/** One document of a file. @param line on which it begins */
function createDocument(line: number) {
  const nmap = createNmapReader();
  const reader = createXmlReader("nmaprun", nmap, line);
  let hasText = false;
  return {
    hasText: () => hasText,
    write: (text: string): void => {
      hasText ||= text.trim() !== "";
      reader.write(text);
    },
    end: (): Scan => {
      const scan = nmap.scan(reader.end());
      if (scan === null) throw reader.faultHere("must be the whole root element");
      return scan;
    },
  };
}

interface Piece {
  readonly text: string;
  /** A document begins with it. */
  readonly isNext: boolean;
  readonly line: number;
  /** It is between documents, and belongs to none. */
  readonly isBetween?: boolean;
}

/** The text of a file, cut where a document begins: `nmap --append-output` writes one after another, as do people. */
function* piecesOf(bytes: Iterable<Uint8Array>): Generator<Piece> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let rest = "";
  let isNext = false;
  let isBetween = false;
  /** `rest` is the beginning of a document, whose declaration does not begin another. */
  let isBeginning = true;
  const take = (length: number): Piece => {
    const one = { text: rest.slice(0, length), isNext: isNext && !isBetween, line, isBetween };
    rest = rest.slice(length);
    line += one.text.split("\n").length - 1;
    if (!isBetween) isNext = false;
    return one;
  };
  for (const block of andTheEnd(bytes)) {
    try {
      rest += block === null ? decoder.decode() : decoder.decode(block, { stream: true });
    } catch {
      throw faultAt(line, "must be in UTF-8 from here on");
    }
    for (;;) {
      const next = isBetween ? rest.search(BEGINNING) : rest.indexOf(DECLARATION, isBeginning ? 1 : 0);
      const end = isBetween ? -1 : rest.indexOf(END);
      if (end !== -1 && (next === -1 || end < next)) {
        yield take(end + END.length);
        isBetween = true;
      } else if (next === -1) break;
      else {
        yield take(next);
        isBetween = false;
        isNext = true;
        isBeginning = true;
      }
    }
    const whole = block === null ? rest.length : rest.length - cutOffIn(rest);
    if (whole > 0) {
      yield take(whole);
      isBeginning &&= isBetween;
    }
  }
}

/** Blocks one by one, so that each is let go when it has been read, and null at last. */
function* andTheEnd(bytes: Iterable<Uint8Array>): Generator<Uint8Array | null> {
  yield* bytes;
  yield null;
}

/** Length of the beginning of a tag or declaration at the end of a text. */
function cutOffIn(text: string): number {
  const at = text.lastIndexOf("<");
  const length = text.length - at;
  return at !== -1 && length < MOST_CUT_OFF ? length : 0;
}

/** Several scans as one; what is said of the first is said of it. */
function scansTogether(scans: readonly Scan[]): Scan {
  const [first] = scans;
  if (first === undefined) throw new Error("there is no scan");
  if (scans.length === 1) return first;
  const skipped = createSkipped();
  for (const scan of scans) {
    for (const { line, what, reason } of scan.skipped.listed) skipped.add(line, what, reason);
    const unlisted = scan.skipped.count() - scan.skipped.listed.length;
    if (unlisted > 0) skipped.add(0, `${unlisted} further parts`, "they are not listed");
  }
  return {
    info: first.info,
    brokeOff: scans.find(({ brokeOff }) => brokeOff !== null)?.brokeOff ?? null,
    hosts: scans.flatMap(({ hosts }) => hosts),
    unanswered: scans.reduce((sum, { unanswered }) => sum + unanswered, 0),
    skipped,
    coverage: coveragesTogether(scans.flatMap(({ coverage }) => coverage ?? [])),
  };
}

export const nmap: Reader = { format: "nmap", looksLike: (beginning) => beginning.startsWith("<"), read: readScan };

/** The result of reading a scan. */
interface Taken {
  readonly hosts: SeenHost[];
  readonly pack: (host: SeenHost) => SeenHost;
  readonly skipped: Skipped;
  openPorts: number;
  addressCount: number;
  unanswered: number;
  readonly coverage: NmapCoverage;
  /** Network and broadcast addresses of the scanned blocks. */
  edges: ReadonlySet<string>;
}

/** Handles the elements of a scan. */
function createNmapReader() {
  const coverage = createNmapCoverage();
  const taken: Taken = {
    hosts: [],
    pack: createPacker(),
    skipped: createSkipped(),
    openPorts: 0,
    addressCount: 0,
    unanswered: 0,
    coverage,
    edges: new Set(),
  };
  const { hosts, skipped } = taken;
  let info: ImportedScan | null = null;
  let failure: Ending | null = null;
  let host: Reading | null = null;
  let port: ReadingPort | null = null;
  let script: ReadingScript | null = null;
  /** Scripts whose findings are not read, by name. */
  const unread = new Map<string, Occurrences>();
  /** What else is said and not kept, in words. */
  const unused = new Map<string, Occurrences>();

  return {
    opens: (path: string, attributes: Attributes, line: number): void => {
      if (path === "nmaprun") {
        info = infoOf(attributes);
        taken.edges = edgesIn(attributes["args"] ?? "");
      } else if (path === "nmaprun/host") host = newReading(line, attributes["timedout"] === "true");
      else if (path === "nmaprun/runstats/finished" && attributes["exit"] === "error")
        failure = {
          line,
          column: 1,
          reason: `the scanner failed: ${clip(attributes["errormsg"]) ?? "no reason given"}`,
        };
      else if (path === "nmaprun/runstats/hosts" && attributes["up"] === "0") {
        const { total = "0" } = attributes;
        if (total !== "0") skipped.add(line, "the scan", `it found 0 of ${total.slice(0, 15)} hosts up`);
      }
      if (host === null) coverage.opens(path, attributes);
      else {
        if (script !== null) script.keys.push(attributes["key"] ?? null);
        else if (path === "nmaprun/host/ports/port") port = newPort(line, attributes);
        else if (path.endsWith("/script") && !(port !== null && READ_SCRIPTS.has(attributes["id"] ?? ""))) {
          const id = (attributes["id"] ?? "").slice(0, 60);
          if (unread.has(id) || unread.size < MOST_SCRIPTS) note(unread, id, line);
        } else if (path === "nmaprun/host/ports/port/script") script = newScript(attributes);
        else if (port !== null && path === "nmaprun/host/ports/port/state") port.state = attributes["state"] ?? "";
        else if (port !== null && path === "nmaprun/host/ports/port/service") {
          port.service = attributes;
          noteUnused(unused, attributes, line);
        } else readPart(host, { path, attributes, line, skipped, unused });
      }
    },
    text: (path: string, text: string): void => {
      if (script !== null) takeText(script, text);
      else if (path === "nmaprun/host/ports/port/service/cpe") port?.cpe.push(text.slice(0, LONGEST_CPE));
      else if (path === "nmaprun/host/os/osmatch/osclass/cpe") takeCpe(host?.os ?? null, text);
    },
    closes: (path: string): void => {
      if (host === null) return;
      if (path === "nmaprun/host/ports/port/script" && script !== null) {
        if (port !== null) port.says = { ...port.says, ...saidBy(script) };
        script = null;
      } else if (script !== null) script.keys.pop();
      else if (path === "nmaprun/host/ports/port" && port !== null) {
        if (port.cpe.length > MOST_CPE) note(unused, "further CPE names of services", port.line);
        takePort(taken, port, host);
        port = null;
      } else if (path === "nmaprun/host") {
        takeHost(taken, host);
        host = null;
      }
    },
    /** The result; null if not even the root was read. */
    scan: (ending: Ending | null): Scan | null => {
      if (info === null) return null;
      for (const [id, { line, count }] of unread)
        skipped.add(
          line,
          `${count === 1 ? "output" : `${count} outputs`} of the script ${id}`,
          "nothing is made of what it says",
        );
      for (const [text, { line, count }] of unused)
        skipped.add(line, text, `nothing is made of them (${count} in the file)`);
      if (host !== null) skipped.add(host.line, `host ${host.named ?? ""}`.trim(), "the file ends inside it");
      const brokeOff = ending ?? failure;
      return {
        info,
        brokeOff,
        hosts,
        unanswered: taken.unanswered,
        skipped,
        coverage: coverage.end(brokeOff === null),
      };
    },
  };
}

/** Adds a host, or skips it with a reason. */
function takeHost(taken: Taken, read: Reading): void {
  const { hosts, skipped } = taken;
  const { line, isUp, isAssumed, named, addresses, mac, vendor, hostname, ports } = read;
  taken.coverage.host(read);
  if (!isUp) skipped.add(line, `host ${named ?? ""}`.trim(), "it is not up");
  else if (addresses.size === 0) skipped.add(line, `host ${named ?? ""}`.trim(), "it has no IP address");
  else if (isAssumed && mac === null && ports.length === 0) taken.unanswered++;
  else if (
    read.isBroadcast ||
    (mac === null && ports.length === 0 && [...addresses].every((ip) => taken.edges.has(ip)))
  )
    skipped.add(line, `host ${named ?? ""}`.trim(), "it is a network or broadcast address");
  else if (hosts.length === MOST_SIGHTINGS)
    skipped.add(line, `host ${named ?? ""}`, `an import reads at most ${MOST_SIGHTINGS} hosts`);
  else if (taken.addressCount + addresses.size > MOST_ADDRESSES)
    skipped.add(line, `host ${named ?? ""}`, `an import reads at most ${MOST_ADDRESSES} addresses`);
  else {
    taken.addressCount += addresses.size;
    const seen = [...addresses].map((ip): SeenAddress => ({
      ip,
      mac,
      ...(mac !== null && vendor !== null && { vendor }),
    }));
    const { os } = read;
    const says = { vendor, ...(os !== null && { os }) };
    const covered = taken.coverage.portsOf(read);
    const host = { line, addresses: seen, hostname, vendor, says, ports, covered };
    hosts.push(taken.pack(hostWithVisibleNames(host, skipped)));
  }
}

/** Adds a port of a host, or skips it with a reason. */
function takePort(taken: Taken, read: ReadingPort, on: Reading): void {
  const { line, attributes, state, service, cpe, says } = read;
  const { skipped } = taken;
  const { protocol: written = "", portid = "" } = attributes;
  const protocol = PROTOCOLS.get(written);
  const number = Number(portid);
  on.examined.port(protocol, number, state);
  const what = `port ${portid.slice(0, 10)}/${written.slice(0, 10)} of ${on.named ?? "a host"}`;
  const [ip] = on.addresses;
  if (++on.portElements > MOST_PORT_ELEMENTS) {
    if (on.portElements === MOST_PORT_ELEMENTS + 1)
      skipped.add(line, `ports of ${on.named ?? "a host"} from here on`, `more than ${MOST_PORT_ELEMENTS} are listed`);
  } else if (protocol === undefined) skipped.add(line, what, "only TCP and UDP ports are supported");
  else if (!/^\d{1,5}$/.test(portid) || number < 1 || number > 65_535)
    skipped.add(line, what, "its number is not from 1 to 65535");
  else if (state !== "open") skipped.add(line, what, state === "" ? "its state is missing" : `it is ${state}`);
  else if (taken.openPorts === MOST_OPEN_PORTS)
    skipped.add(line, what, `an import takes at most ${MOST_OPEN_PORTS} open ports`);
  else if (ip !== undefined && on.isUp) {
    taken.openPorts++;
    const seen = service === null ? null : serviceOf(service, cpe);
    on.ports.push({ line, ip, protocol, number, service: seen, ...(Object.keys(says).length > 0 && { says }) });
  }
}

interface Part {
  readonly path: string;
  readonly attributes: Attributes;
  readonly line: number;
  readonly skipped: Skipped;
  readonly unused: Map<string, Occurrences>;
}

/** Where the first of several is, and how many there are. */
interface Occurrences {
  readonly line: number;
  count: number;
}

/** @param attributes of a service */
function noteUnused(unused: Map<string, Occurrences>, attributes: Attributes, line: number): void {
  for (const [name, text] of UNUSED_OF_SERVICES) if ((attributes[name] ?? "").trim() !== "") note(unused, text, line);
  if (["name", "product", "version"].some((name) => (attributes[name] ?? "").trim().length > LONGEST_TEXT))
    note(unused, "ends of long names and versions of services", line);
}

function note(occurrences: Map<string, Occurrences>, text: string, line: number): void {
  const known = occurrences.get(text);
  if (known === undefined) occurrences.set(copyOf(text), { line, count: 1 });
  else known.count++;
}

/** @param isCutShort as of a host */
function newReading(line: number, isCutShort: boolean): Reading {
  const unknown = { named: null, mac: null, vendor: null, hostname: null };
  const examined = createExamined();
  return {
    line,
    isUp: true,
    isUnknown: false,
    isAssumed: false,
    ...unknown,
    addresses: new Set(),
    portElements: 0,
    ports: [],
    os: null,
    isBroadcast: false,
    isCutShort,
    examined,
  };
}

function readPart(host: Reading, part: Part): void {
  const { attributes, line, skipped, unused } = part;
  const text = UNUSED_OF_HOSTS.get(part.path);
  if (text !== undefined) note(unused, text, line);
  switch (part.path) {
    case "nmaprun/host/status":
      host.isUp = attributes["state"] === undefined || attributes["state"] === "up";
      host.isAssumed = attributes["reason"] === "user-set";
      host.isUnknown = attributes["state"] === "unknown";
      break;
    case "nmaprun/host/smurf":
      host.isBroadcast = true;
      break;
    case "nmaprun/host/address":
      readAddress(host, part);
      break;
    case "nmaprun/host/hostnames/hostname": {
      const given = hostnameIn(attributes["name"] ?? "");
      const what = `host name ${attributes["name"]?.slice(0, 100) ?? ""}`.trim();
      if (given === null && isSynthetic(attributes["name"] ?? "")) skipped.add(line, what, "many machines have it");
      else if (given === null) skipped.add(line, what, "it is not a text of 1 to 253 characters");
      else if (host.hostname === null) host.hostname = given;
      else if (host.hostname !== given) skipped.add(line, what, "only the first name of a host is imported");
      break;
    }
    case "nmaprun/host/os/osmatch":
      // The first match is the most certain.
      if (host.os === null) host.os = systemOf(attributes);
      else note(unused, "further matches of operating systems", line);
      break;
    case "nmaprun/host/os/osmatch/osclass":
      if (host.os?.kind === "") {
        host.os.kind = (attributes["type"] ?? "").slice(0, 50);
        host.os.version ??= clip(attributes["osgen"], 100);
      } else note(unused, "further classes of operating systems", line);
      break;
    case "nmaprun/host/ports/extraports/extrareasons":
      host.examined.reason(attributes);
      break;
    case "nmaprun/host/ports/extraports": {
      const { count = "", state = "" } = attributes;
      skipped.add(line, `${count.slice(0, 10)} ports of ${host.named ?? "a host"}`, `they are ${state.slice(0, 20)}`);
      host.examined.others(state);
      break;
    }
  }
}

function readAddress(host: Reading, { attributes, line, skipped }: Part): void {
  const { addr = "", addrtype = "ipv4", vendor } = attributes;
  const shown = addr.slice(0, 50);
  host.named ??= shown;
  const skip = (reason: string): void => {
    skipped.add(line, `address ${shown}`, reason);
  };
  if (addrtype === "mac") {
    const given = macIn(addr);
    if (given === null) skip("it is not a MAC address");
    else if (!isOfOneCard(given) || isOfRouters(given)) skip("it is not the MAC address of one network card");
    else if (host.mac !== null && host.mac !== given) skip("the host has another MAC address already");
    else {
      host.mac = given;
      host.vendor = clip(vendor, 500);
    }
    return;
  }
  if (addrtype !== "ipv4" && addrtype !== "ipv6") {
    skip(`an address of the type ${addrtype.slice(0, 20)} means nothing here`);
    return;
  }
  // A link-local address may contain the scanner's interface name.
  const ip = addressIn(addr);
  if (ip === null) skip("it is not an IP address");
  else if (host.addresses.size < MOST_INTERFACES_OF_HOST) host.addresses.add(copyOf(ip));
  else skip(`an import takes at most ${MOST_INTERFACES_OF_HOST} addresses of a host`);
}

function infoOf({ scanner, version, args, start }: Attributes): ImportedScan {
  const startedMs = /^\d{1,12}$/.test(start ?? "") ? Number(start) * 1_000 : null;
  return {
    scanner: clip(scanner) ?? "nmap",
    version: clip(version),
    args: clip(args),
    started_at: startedMs === null ? null : new Date(startedMs).toISOString(),
  };
}

function takeCpe(os: OperatingSystem | null, text: string): void {
  if (os !== null) os.cpe ??= text.slice(0, LONGEST_CPE);
}

/** A match of the operating system; null without a name. */
function systemOf({ name, accuracy = "" }: Attributes): OperatingSystem | null {
  const text = clip(name, 200);
  if (text === null) return null;
  const percent = /^\d{1,3}$/.test(accuracy) ? Math.min(100, Number(accuracy)) : 0;
  return { name: text, accuracy: percent, kind: "", version: null, cpe: null };
}

function newPort(line: number, attributes: Attributes): ReadingPort {
  return { line, attributes, state: "", service: null, cpe: [], says: {} };
}

function serviceOf({ name, product, version, tunnel, method }: Attributes, cpe: readonly string[]): SeenService {
  return {
    version: clip(version, LONGEST_TEXT),
    cpe: cpe.slice(0, MOST_CPE),
    name: clip(name, LONGEST_TEXT),
    product: clip(product, LONGEST_TEXT),
    isWrapped: tunnel === "ssl",
    isProbed: method === "probed",
  };
}
