import { AppError } from "@nts/shared/errors";
import type { Coverage } from "../coverage.rules.js";
import { hostWith, isPacked } from "../packed-hosts.rules.js";
import type { SeenAddress, SeenHost, Skipped } from "../scan.rules.js";
import { dhcpLeases } from "./dhcp-leases.js";
import { docker } from "./docker.js";
import { ipNeigh } from "./ip-neigh.js";
import { type JsonObject, memberOf, textAt } from "./json.js";
import { kubernetes } from "./kubernetes.js";
import { lldp } from "./lldp.js";
import { nmap } from "./nmap.js";
import { proxmox } from "./proxmox.js";
import type { Reader, ReaderGiven } from "./reader.js";
import type { Sightings } from "./sightings.js";
import type { MachineKeys } from "../wiring/wiring.rules.js";
import { snmpWalk } from "./snmp-walk.js";
import { ss } from "./ss.js";

// Files of other formats inside of a report: what a collector has read on its machine, or was told by other programs. A file is
// cut into parts, one on a line. One of which a part is missing is left out as a whole, because it would seem to say that the
// rest is gone.

const READERS: ReadonlyMap<string, Reader> = new Map(
  [ss, docker, dhcpLeases, ipNeigh, kubernetes, lldp, nmap, proxmox, snmpWalk].map((reader) => [reader.format, reader]),
);
const MOST_FILES = 1_000;
const MOST_PARTS = 10_000;
const LONGEST_NAME = 100;

/** The machine on which the collector runs. */
export interface ReportingMachine {
  readonly addresses: readonly SeenAddress[];
  readonly hostname: string | null;
}

interface Parts {
  readonly line: number;
  readonly format: string;
  readonly name: string;
  readonly count: number;
  readonly texts: string[];
}

export interface ReportFiles {
  /** Takes a part of a file. */
  take(line: number, file: JsonObject): void;
  /** Reads the files. @param own the machine that those about one machine are about @returns what they cover */
  readInto(sightings: Sightings, own: ReportingMachine | null, given: ReaderGiven): Coverage[];
}

/** @param pack makes hosts small */
export function createReportFiles(pack: (host: SeenHost) => SeenHost): ReportFiles {
  const files: Parts[] = [];
  const faults: { readonly line: number; readonly what: string; readonly reason: string }[] = [];
  return {
    take: (line, file) => {
      const format = textAt(file, "format").slice(0, LONGEST_NAME);
      const name = (textAt(file, "name") || format).slice(0, LONGEST_NAME);
      const part = memberOf(file, "part") ?? 1;
      const count = memberOf(file, "of") ?? 1;
      const what = `file ${name}`;
      const last = files.at(-1);
      if (!isCount(count) || !isCount(part)) faults.push({ line, what, reason: "its part has no number" });
      else if (part === 1 && files.length === MOST_FILES)
        faults.push({ line, what, reason: `a report has at most ${MOST_FILES} files` });
      else if (part === 1) files.push({ line, format, name, count, texts: [textAt(file, "text")] });
      else if (last?.name === name && last.texts.length === part - 1) last.texts.push(textAt(file, "text"));
      else faults.push({ line, what, reason: `its part ${part - 1} is missing` });
    },
    readInto: (sightings, own, given) => {
      for (const { line, what, reason } of faults) sightings.skipped.add(line, what, reason);
      return files.flatMap((file) => coverageOf(file, { sightings, pack, own, given }) ?? []);
    },
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_PARTS;
}

interface Into {
  readonly sightings: Sightings;
  readonly pack: (host: SeenHost) => SeenHost;
  readonly own: ReportingMachine | null;
  readonly given: ReaderGiven;
}

/** Adds the hosts of a file. @returns what it covers; null if nothing */
function coverageOf(
  { line, format, name, count, texts }: Parts,
  { sightings, pack, own, given }: Into,
): Coverage | null {
  const what = `file ${name}`;
  const skip = (reason: string): null => {
    sightings.skipped.add(line, what, reason);
    return null;
  };
  const reader = READERS.get(format);
  if (reader === undefined) return skip(`files of the format ${format || "without a name"} are not read from reports`);
  if (texts.length < count) return skip(`only ${texts.length} of its ${count} parts are here`);
  try {
    const scan = reader.read([Buffer.from(texts.splice(0).join(""))], given);
    noteSkipped(sightings.skipped, scan.skipped, line, what);
    if (scan.brokeOff !== null) skip(`it ends early: ${scan.brokeOff.reason}`);
    for (const host of scan.hosts) {
      const seen = host.isNamed === true ? ofMachine(host, own) : host;
      if (seen === null) skip("the report does not say which machine it is about");
      else sightings.add(hostWith(seen, { line }), what, isPacked(seen) ? pack : undefined);
    }
    for (const device of scan.devices ?? []) {
      const { machine } = device;
      if (machine.isNamed !== true) sightings.wire({ ...device, line });
      else if (own !== null) sightings.wire({ ...device, line, machine: keysOf(own) });
    }
    return scan.coverage;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return skip(faultOf(error));
  }
}

/** What is skipped of a file, at the line of the report. */
function noteSkipped(skipped: Skipped, inside: Skipped, line: number, what: string): void {
  for (const one of inside.listed) skipped.add(line, `${one.what} (${what})`, one.reason);
}

/** The host of a file about one machine, as that of the collector. */
function ofMachine(host: SeenHost, own: ReportingMachine | null): SeenHost | null {
  if (own === null) return null;
  const others = host.addresses.filter(({ ip }) => own.addresses.every((one) => one.ip !== ip));
  return hostWith(host, { isNamed: false, hostname: own.hostname, addresses: [...own.addresses, ...others] });
}

function keysOf({ addresses, hostname }: ReportingMachine): MachineKeys {
  return { macs: addresses.flatMap(({ mac }) => mac ?? []), ips: addresses.map(({ ip }) => ip), name: hostname };
}

function faultOf({ params }: AppError): string {
  const [first] = (params["errors"] ?? []) as readonly { readonly path?: string; readonly message?: string }[];
  return first === undefined ? "it cannot be read" : `${first.path ?? ""}: ${first.message ?? "it cannot be read"}`;
}
