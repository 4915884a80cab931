import type { ImportFormat } from "@nts/shared/contract";
import { UNRECOGNIZED_FILE } from "@nts/shared/contract/import-formats";
import { validationFailed } from "@nts/shared/errors";
import type { FileLimits, Scan } from "../scan.rules.js";
import { ansibleFacts } from "./ansible-facts.js";
import { ansibleInventory } from "./ansible-inventory.js";
import { compose } from "./compose.js";
import { csv } from "./csv.js";
import { decoded } from "./decode.js";
import { dhcpLeases } from "./dhcp-leases.js";
import { docker } from "./docker.js";
import { etcHosts } from "./etc-hosts.js";
import { adviceFor } from "./foreign.js";
import { hasArpRows } from "./arp-tables.js";
import { arp, ipNeigh } from "./ip-neigh.js";
import { beginningOf } from "./lines.js";
import { kubernetes } from "./kubernetes.js";
import { lldp } from "./lldp.js";
import { lsof } from "./lsof.js";
import { netstat } from "./netstat.js";
import { nmap } from "./nmap.js";
import { masscan, naabu } from "./port-scans.js";
import { withoutPrompt } from "./prompt.js";
import { proxmox } from "./proxmox.js";
import { report } from "./report.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { snmpWalk } from "./snmp-walk.js";
import { ss } from "./ss.js";
import { withVisibleNames } from "./visible-names.js";

/** In the order of format detection. */
export const READERS: readonly Reader[] = [
  nmap,
  report,
  lldp,
  snmpWalk,
  ss,
  netstat,
  lsof,
  ipNeigh,
  arp,
  masscan,
  naabu,
  docker,
  compose,
  kubernetes,
  proxmox,
  ansibleInventory,
  ansibleFacts,
  dhcpLeases,
  etcHosts,
  csv,
];

export interface Given extends ReaderGiven {
  readonly format: ImportFormat | "nmap";
  readonly limits?: FileLimits;
}

/**
 * Reads a file in the given or detected format.
 *
 * @param file its blocks, each of which is let go when it has been read
 * @throws AppError `validation_failed` with the place
 */
export function readFile(file: Uint8Array[], given: Given): { format: string; scan: Scan } {
  const { blocks: written, guess } = decoded(file.splice(0));
  const { reader, blocks } = given.format === "auto" ? detected(written, given) : chosen(written, given);
  const scan = scanOf(reader, drained(blocks), given);
  if (guess !== null)
    scan.skipped.add(
      1,
      "the encoding",
      `it is not certain, and was taken for ${guess}: if names are wrong, save the file as UTF-8`,
    );
  return { format: reader.format, scan };
}

/**
 * Reads a text in UTF-8, in the given format.
 *
 * @param pieces which are made while it is read
 * @throws AppError `validation_failed` with the place
 */
export function readText(pieces: Iterable<Uint8Array>, given: Given): { format: string; scan: Scan } {
  const reader = readerOf(given);
  return { format: reader.format, scan: scanOf(reader, pieces, given) };
}

function scanOf(reader: Reader, pieces: Iterable<Uint8Array>, given: Given): Scan {
  return withReason(withVisibleNames(reader.read(pieces, given)));
}

function readerOf(given: Given): Reader {
  const reader = READERS.find(({ format }) => format === given.format);
  if (reader === undefined) throw new Error(`nothing reads ${given.format}`);
  return reader;
}

/** Blocks, which are removed as they are taken. */
function* drained(blocks: Uint8Array[]): Generator<Uint8Array> {
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) yield block;
}

/** A scan that says why there is nothing in it. */
function withReason(scan: Scan): Scan {
  const isEmpty = scan.hosts.every(
    ({ addresses, ports, hostname }) => addresses.length + ports.length === 0 && hostname === null,
  );
  if (isEmpty && scan.brokeOff === null && scan.skipped.count() === 0)
    scan.skipped.add(1, "the file", "there is no entry of a machine in it");
  return scan;
}

/** The reader of a file, and what it is to read: without the prompt before it, if only then it is known. */
interface Readable {
  readonly reader: Reader;
  readonly blocks: Uint8Array[];
}

function chosen(blocks: Uint8Array[], given: Given): Readable {
  const reader = readerOf(given);
  const bare = reader.looksLike(beginningOf(blocks), given) ? null : withoutPrompt(blocks);
  const isBetter = bare !== null && reader.looksLike(beginningOf(bare), given);
  return { reader, blocks: isBetter ? bare : blocks };
}

function detected(blocks: Uint8Array[], given: ReaderGiven): Readable {
  const beginning = beginningOf(blocks);
  const reader = readerFor(beginning, given);
  if (reader !== null) return { reader, blocks };
  const bare = withoutPrompt(blocks);
  const readerOfBare = bare === null ? null : readerFor(beginningOf(bare), given);
  if (bare !== null && readerOfBare !== null) return { reader: readerOfBare, blocks: bare };
  const known = READERS.map(({ format }) => format).join(", ");
  const message =
    beginning === ""
      ? "the file is empty"
      : `${UNRECOGNIZED_FILE} Supported: ${known}. If it is one of these, select its format. A table begins with a line of headings, such as ip_address and hostname; if they are called otherwise, select the format \`csv\`, and say what they mean.`;
  throw validationFailed({ path: "line 1, column 1", message });
}

/** @throws AppError `validation_failed` for a file that is known, and not read */
function readerFor(beginning: string, given: ReaderGiven): Reader | null {
  const advice = adviceFor(beginning);
  if (advice !== null) throw validationFailed({ path: "line 1, column 1", message: advice });
  return READERS.find(({ looksLike }) => looksLike(beginning, given)) ?? (hasArpRows(beginning) ? arp : null);
}
