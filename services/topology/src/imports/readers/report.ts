import type { ImportedScan, Role } from "@nts/shared/contract";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import {
  type CoveredPorts,
  type Coverage,
  coveragesTogether,
  COVERS_NOTHING,
  type PortRange,
  portRangesIn,
} from "../coverage.rules.js";
import type { SaysOfHost, SaysOfPort } from "../observations.rules.js";
import {
  createSkipped,
  MOST_INTERFACES_OF_HOST,
  MOST_PLACES_OF_HOST,
  type Scan,
  type SeenAddress,
  type SeenPort,
  type SeenService,
  type Skipped,
} from "../scan.rules.js";
import { createPacker } from "../packed-hosts.js";
import { isObject, type JsonObject, listAt, memberOf, objectAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { faultAt, linesOf } from "./lines.js";
import { targetsOf } from "./nmap-targets.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { createReportFiles, type ReportFiles, type ReportingMachine } from "./report-files.js";
import { createSightings } from "./sightings.js";
import { addressIn, clip, duidIn, hostnameIn, isOfOneCard, macIn, PROTOCOLS, reasonAgainst } from "./texts.js";
import { isOfRouters } from "../../values/mac-addresses.rules.js";

// What a collector has found by looking around: a line of JSON that begins the report, one for each machine, those of files that
// it has read, and one that ends it and says what was looked at. @see docs/discovery.md

const VERSION = 1;
/** Each is of one machine, and fewer are imported. */
const MOST_HOSTS = 40_000;
const LONGEST_NAME = 100;
const LONGEST_TITLE = 300;
const MOST_NAMES_OF_CERTIFICATE = 100;
const ROLES: ReadonlySet<string> = new Set(ROLE_NAMES);

/** What is read so far. */
interface Reading {
  readonly pack: ReturnType<typeof createPacker>;
  readonly sightings: ReturnType<typeof createSightings>;
  readonly mentioned: Set<string>;
  info: ImportedScan | null;
  /** The line of a report that has not ended yet; null if there is none. */
  open: number | null;
  /** The TCP ports that were tried on every machine. */
  tcp: string;
  tried: readonly PortRange[];
  /** Machines besides the one that has looked. */
  others: number;
  /** Of each report that has ended. */
  readonly coverages: Coverage[];
  readonly files: ReportFiles;
  /** The machine of the collector, as the report describes it. */
  own: ReportingMachine | null;
}

export const report: Reader = {
  format: "report",
  looksLike: (beginning) => /^\{\s*"report"\s*:\s*\d/.test(beginning),
  read: (bytes, given) => {
    const pack = createPacker();
    const reading: Reading = {
      pack,
      sightings: createSightings(createSkipped(), MOST_HOSTS),
      mentioned: new Set(),
      info: null,
      open: null,
      tcp: "",
      tried: [],
      others: 0,
      coverages: [],
      files: createReportFiles(pack),
      own: null,
    };
    for (const { number: line, text } of linesOf(bytes))
      if (text.trim() !== "") take(reading, line, valueIn(text, line));
    return scanOf(reading, given);
  },
};

/** Several reports that were appended to one file count as one. */
function scanOf(reading: Reading, given: ReaderGiven): Scan {
  const { sightings, info, coverages, others } = reading;
  if (info === null) throw faultAt(1, 'must begin with a line such as {"report":1}');
  noteOpen(reading);
  // Times in files are by the clock of the machine that has written them, which may be wrong.
  const nowMs = info.started_at === null ? given.nowMs : Date.parse(info.started_at);
  coverages.push(...reading.files.readInto(sightings, reading.own, { ...given, nowMs }));
  return sightings.scan(info, coverages.length === 0 ? COVERS_NOTHING : { ...coveragesTogether(coverages), others });
}

function noteOpen({ sightings, open }: Reading): void {
  if (open !== null)
    sightings.skipped.add(open, "the end of the report", "it is missing, so that nothing of it counts as not found");
}

function valueIn(text: string, line: number): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    if (isObject(value)) return value;
  } catch {
    // said below
  }
  throw faultAt(line, "must be an object of JSON on one line");
}

function take(reading: Reading, line: number, value: JsonObject): void {
  const { info, sightings } = reading;
  if (info === null || memberOf(value, "report") !== undefined) {
    noteOpen(reading);
    requireVersion(value, line);
    reading.info ??= infoIn(value);
    reading.open = line;
    reading.tcp = textAt(value, "tcp");
    reading.tried = portRangesIn(reading.tcp);
  } else if (isObject(memberOf(value, "host"))) takeHost(reading, line, objectAt(value, "host"));
  else if (isObject(memberOf(value, "file"))) reading.files.take(line, objectAt(value, "file"));
  else if (isObject(memberOf(value, "end"))) {
    reading.coverages.push(coverageIn(objectAt(value, "end"), reading));
    reading.open = null;
  } else sightings.skipped.add(line, `line ${line}`, "it is neither a host, nor a file, nor the end of the report");
}

function requireVersion(value: JsonObject, line: number): void {
  if (memberOf(value, "report") !== VERSION) throw faultAt(line, `must be a report of version ${VERSION}`);
}

function infoIn(value: JsonObject): ImportedScan {
  const [scanner = "", version = null] = textAt(value, "program").split(" ", 2);
  const startedAt = Date.parse(textAt(value, "started_at"));
  return {
    scanner: clip(scanner, LONGEST_NAME) ?? "report",
    version: clip(version ?? "", LONGEST_NAME),
    args: clip(textAt(value, "arguments")),
    started_at: Number.isNaN(startedAt) ? null : new Date(startedAt).toISOString(),
  };
}

function takeHost(reading: Reading, line: number, host: JsonObject): void {
  const { sightings, mentioned, tried, pack } = reading;
  const { skipped } = sightings;
  const addresses = addressesIn(host, line, skipped);
  const [first] = addresses;
  const written = hostnameIn(textAt(host, "hostname"));
  const what = `host ${first?.ip ?? written ?? ""}`.trim();
  if (first === undefined) {
    skipped.add(line, what, "it has no usable IP address");
    return;
  }
  for (const { ip } of addresses) mentioned.add(ip);
  const isCollector = memberOf(host, "is_collector") === true;
  if (isCollector) reading.own ??= { addresses, hostname: written };
  else reading.others += 1;
  const text = (of: JsonObject, name: string): string | null =>
    kept(textAt(of, name), LONGEST_NAME, { skipped, line, what: `${name} of ${what}` });
  const os = objectAt(host, "os");
  const system = text(os, "name");
  const vendor = text(host, "vendor");
  const role = textAt(host, "role");
  const says: SaysOfHost = {
    vendor,
    model: text(host, "model"),
    serial: text(host, "serial"),
    machine_id: text(host, "machine_id"),
    duid: duidIn(textAt(host, "duid")),
    ...(system !== null && { os: { name: system, version: text(os, "version"), cpe: null, accuracy: null } }),
  };
  const seen = {
    line,
    addresses,
    hostname: written,
    name: text(host, "name"),
    vendor,
    says,
    ...(ROLES.has(role) && { role: role as Role }),
    ports: portsIn(host, { line, what, skipped, addresses }),
    covered: isCollector ? [] : coveredIn(tried, textAt(host, "silent"), addresses),
  };
  sightings.add(seen, what, pack);
}

function addressesIn(host: JsonObject, line: number, skipped: Skipped): SeenAddress[] {
  const found: SeenAddress[] = [];
  for (const one of listAt(host, "addresses").filter(isObject)) {
    const written = textAt(one, "ip");
    const ip = addressIn(written);
    const reason = ip === null ? "it is not an IP address" : reasonAgainst(ip);
    const mac = macIn(textAt(one, "mac"));
    const vendor = clip(textAt(one, "vendor"), LONGEST_NAME);
    if (found.length === MOST_INTERFACES_OF_HOST)
      skipped.add(line, `address ${written.slice(0, 50)}`, `a host has at most ${MOST_INTERFACES_OF_HOST} addresses`);
    else if (ip === null || reason !== null) skipped.add(line, `address ${written.slice(0, 50)}`, reason ?? "");
    else if (found.every((other) => other.ip !== ip))
      found.push({
        ip,
        mac: mac !== null && isOfOneCard(mac) && !isOfRouters(mac) ? mac : null,
        ...(vendor !== null && { vendor }),
      });
  }
  return found;
}

interface Where {
  readonly line: number;
  readonly what: string;
  readonly skipped: Skipped;
  readonly addresses: readonly SeenAddress[];
}

function portsIn(host: JsonObject, { line, what, skipped, addresses }: Where): SeenPort[] {
  const found: SeenPort[] = [];
  for (const one of listAt(host, "ports").filter(isObject)) {
    const number = memberOf(one, "port");
    const protocol = PROTOCOLS.get(textAt(one, "protocol"));
    const name = `port ${String(number).slice(0, 10)}/${textAt(one, "protocol").slice(0, 10)} of ${what}`;
    const ip = addressIn(textAt(one, "ip")) ?? addresses[0]?.ip ?? null;
    if (!isPortNumber(number)) skipped.add(line, name, "its number is not from 1 to 65535");
    else if (protocol === undefined) skipped.add(line, name, "only TCP and UDP ports are supported");
    else if (found.length === MOST_PLACES_OF_HOST)
      skipped.add(line, name, `a host has at most ${MOST_PLACES_OF_HOST} open ports`);
    else found.push({ line, ip, protocol, number, ...saidOfPort(one, { line, what: name, skipped }) });
  }
  return found;
}

function isPortNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function saidOfPort(
  port: JsonObject,
  { line, what, skipped }: Omit<Where, "addresses">,
): Pick<SeenPort, "service" | "says"> {
  const text = (name: string, most = LONGEST_NAME): string | null =>
    kept(textAt(port, name), most, { skipped, line, what: `${name} of ${what}` });
  const certificate = certificateIn(objectAt(port, "certificate"));
  const title = text("title", LONGEST_TITLE);
  const name = text("service");
  const product = text("product");
  const service: SeenService | null =
    name === null && product === null
      ? null
      : {
          name,
          product,
          version: text("version"),
          isWrapped: certificate !== null,
          isProbed: memberOf(port, "answered") === true,
        };
  const says: SaysOfPort = { ...(title !== null && { title }), ...(certificate !== null && { certificate }) };
  return { service, ...(Object.keys(says).length > 0 && { says }) };
}

function certificateIn(value: JsonObject): (SaysOfPort["certificate"] & object) | null {
  const subject = clip(textAt(value, "subject"), 253);
  const until = timeIn(value, "not_after");
  if (subject === null && until === null) return null;
  const names = listAt(value, "names").flatMap((one) => (typeof one === "string" ? (clip(one, 253) ?? []) : []));
  const sha256 = textAt(value, "sha256").toLowerCase();
  return {
    subject: subject ?? "",
    issuer: clip(textAt(value, "issuer"), 253) ?? "",
    names: [...new Set(names)].slice(0, MOST_NAMES_OF_CERTIFICATE),
    not_before: timeIn(value, "not_before"),
    not_after: until,
    sha256: /^[0-9a-f]{64}$/.test(sha256) ? sha256 : null,
  };
}

function timeIn(value: JsonObject, name: string): string | null {
  const ms = Date.parse(textAt(value, name));
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** The ports whose state is known, at the first address: all that were tried, except those that did not answer. */
function coveredIn(ranges: readonly PortRange[], silent: string, [first]: readonly SeenAddress[]): CoveredPorts[] {
  if (first === undefined || ranges.length === 0) return [];
  return [{ ip: first.ip, protocol: "Tcp", ranges, except: portRangesIn(silent) }];
}

/** Addresses at which every machine would have answered: those that the collector reaches without a router. */
function coverageIn(end: JsonObject, { mentioned, tcp }: Pick<Reading, "mentioned" | "tcp">): Coverage {
  const texts = (name: string): string[] => listAt(end, name).filter((one) => typeof one === "string");
  const targets = targetsOf(texts("covered"), texts("excluded"));
  const reported = { addresses: targets?.texts ?? [], ports: tcp === "" ? [] : [`${tcp.slice(0, 1_000)}/tcp`] };
  return targets === null
    ? { ...COVERS_NOTHING, mentioned, reported: { ...reported, addresses: [] } }
    : { addresses: targets.ranges, absent: [], mentioned, reported };
}
