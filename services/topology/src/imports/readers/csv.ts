import { type CellFault, type CsvResource, UNKNOWN_MAC } from "@nts/shared/contract/import-formats";
import type { Protocol } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import { together } from "../merge.rules.js";
import { MOST_SIGHTINGS, type Scan, type SeenAddress, type SeenHost, type SeenPort, type SeenService } from "../scan.rules.js"; // prettier-ignore
import { faultAt } from "./lines.js";
import { portNumberIn } from "./machine.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { rowsOf, separatorOf } from "./rows.js";
import { createSightings } from "./sightings.js";
import {
  type Columns,
  type Column,
  columnsIn,
  isOfPorts,
  requireColumns,
  resourceOf,
  type TableRow,
  tableRow,
} from "./table.js";
import { addressIn, cardOf, clip, hostnameIn, isGroup, isLinkLocal, isLoopback, macIn, PROTOCOLS, toolInfo } from "./texts.js"; // prettier-ignore

// CSV tables with a row per host, interface, port or service. Hosts are recognized by address; rows with the same host
// name belong to one host.

/** Maximum addresses per cell. */
const MOST_ADDRESSES_OF_A_ROW = 100;
/** Headings of a column with a MAC address per address. */
const PER_ADDRESS = /(?:addresses|macs)$/i;
const YES: ReadonlySet<string> = new Set(["1", "true", "yes", "y", "x", "all"]);
/** Maximum length of a heading line. */
const MOST_HEADINGS = 200;

export const csv: Reader = { format: "csv", looksLike, read: readTable };

/** Sample columns of a heading line. */
function looksLike(beginning: string): boolean {
  const [heading = ""] = beginning.replace(/^\uFEFF/, "").split(/\r?\n/, 1);
  const columns = columnsIn(heading.split(separatorOf(heading), MOST_HEADINGS).map((cell) => cell.replaceAll('"', "")));
  return columns.has("address") && columns.size > 1;
}

function readTable(bytes: Iterable<Uint8Array>, given: ReaderGiven): Scan {
  const sightings = createSightings();
  let columns: Columns | null = null;
  let resource: CsvResource = "hosts";
  let taken = 0;
  /** By host name in the rows. */
  const named = new Map<string, SeenHost[]>();
  for (const row of rowsOf(bytes)) {
    if (columns === null) {
      columns = columnsIn(row.cells);
      resource = given.resource ?? resourceOf(columns);
      requireColumns(columns, resource, row.line);
      continue;
    }
    const entry = tableRow(row, columns);
    const host = hostOf(entry, resource);
    const what = `row ${clip(entry.of("name") || entry.of("hostname") || entry.of("host") || entry.of("address"), 60) ?? "without a name"}`; // prettier-ignore
    const key = resource === "hosts" ? "" : entry.of("host").toLowerCase();
    const skip = ({ reason, column, code }: Fault): void => {
      sightings.skipped.add(row.line, what, reason, { column: entry.heading(column), code });
    };
    for (const fault of macFaults(entry)) skip(fault);
    if ("reason" in host) skip(host);
    else if (++taken > MOST_SIGHTINGS)
      skip({ reason: `an import reads at most ${MOST_SIGHTINGS} rows`, column: "address", code: "too_many_rows" });
    else if (key === "") sightings.add(host, what);
    else putUnder(named, key, host);
  }
  if (columns === null) throw faultAt(1, "must begin with a line of headings", 1, "missing_headings");
  for (const rows of named.values()) sightings.add(together(rows), `host ${rows[0]?.name ?? ""}`);
  return sightings.scan(toolInfo("CSV"), null);
}

/** A fault of a row. */
interface Fault {
  readonly reason: string;
  /** Its column. */
  readonly column: Column;
  readonly code: CellFault;
}

/** MAC addresses that are invalid, or of no certain address; the row still counts without them. */
function macFaults(row: TableRow): Fault[] {
  const written = wordsIn(row.all("mac"));
  const wrong = written.filter((word) => word !== UNKNOWN_MAC && macIn(word) === null);
  const faults: Fault[] = wrong.map((word) => ({ reason: `${word.slice(0, 50)} is not a MAC address`, column: "mac", code: "not_a_mac_address" })); // prettier-ignore
  const { length } = wordsIn(row.all("address"));
  if (length === 0 || macsOf(row, length) !== null) return faults;
  const reason = `${written.length} MAC addresses for ${length} addresses: there must be one for each, or ${UNKNOWN_MAC} if it is unknown`; // prettier-ignore
  return [...faults, { reason, column: "mac", code: "unassigned_mac_addresses" }];
}

/**
 * The MAC address of each of so many addresses; null if it is uncertain which has which. Tables exported earlier listed
 * each known one once, so that a single one need not be that of all.
 */
function macsOf({ all, heading }: TableRow, count: number): readonly (string | null)[] | null {
  const macs = wordsIn(all("mac")).map((text) => macIn(text));
  const [first = null] = macs;
  if (macs.length === count) return macs;
  const isOfAll = macs.length === 1 && !PER_ADDRESS.test(heading("mac"));
  if (isOfAll || macs.every((mac) => mac === null)) return Array.from({ length: count }, () => first);
  return null;
}

/** The host of a row, or why it is skipped. */
function hostOf(row: TableRow, resource: CsvResource): SeenHost | Fault {
  const { line, of } = row;
  const found = addressesOf(row);
  if ("reason" in found) return found;
  const { addresses } = found;
  const port = isOfPorts(resource) ? portOf(row, resource, addresses) : { ports: [] };
  if ("reason" in port) return port;
  const isOfHosts = resource === "hosts";
  const name = clip((isOfHosts && of("name")) || of("host"), 100);
  const description = isOfHosts ? clip(of("description"), 500) : null;
  const vendor = description ?? found.vendor;
  return { line, addresses, hostname: hostnameIn(of("hostname")), name, vendor, ports: port.ports };
}

/** The addresses of a row, each with its MAC address; or why there are none. */
function addressesOf(row: TableRow): { addresses: SeenAddress[]; vendor: string | null } | Fault {
  const written = wordsIn(row.all("address"));
  const fault = (code: CellFault, reason: string): Fault => ({ reason, column: "address", code });
  if (written.length === 0) return fault("missing_address", "it has no address");
  if (written.length > MOST_ADDRESSES_OF_A_ROW)
    return fault("too_many_addresses", `a row may have at most ${MOST_ADDRESSES_OF_A_ROW} addresses`);
  const macs = macsOf(row, written.length);
  const addresses: SeenAddress[] = [];
  let vendor: string | null = null;
  for (const [index, text] of written.entries()) {
    // The prefix length may follow the address.
    const ip = addressIn(text.split("/", 1)[0] ?? "");
    if (ip === null) return fault("not_an_address", `${text.slice(0, 50)} is not an IP address`);
    if (isLoopback(ip) || isGroup(ip)) return fault("unusable_address", `${ip} is not the address of a machine`);
    if (isLinkLocal(ip)) return fault("unusable_address", `${ip} is link-local`);
    const card = cardOf(macs?.[index] ?? null, ip);
    vendor ??= card.vendor;
    addresses.push({ ip, mac: card.mac });
  }
  return { addresses, vendor };
}

function wordsIn(cell: string): string[] {
  return cell.split(/[\s,;|]+/, 2 * MOST_ADDRESSES_OF_A_ROW).filter((word) => word !== "");
}

/** The port of a row at each of its addresses, or at all of its host. */
function portOf(
  { line, of }: TableRow,
  resource: CsvResource,
  addresses: readonly SeenAddress[],
): { ports: SeenPort[] } | Fault {
  const [digits = "", suffix = ""] = of("port").split("/", 2);
  const number = portNumberIn(digits.trim());
  if (number === null)
    return { reason: "its port is not a number from 1 to 65535", column: "port", code: "not_a_port" };
  const written = (of("protocol") || suffix || "tcp").trim().toLowerCase();
  const protocol: Protocol | undefined = PROTOCOLS.get(written);
  if (protocol === undefined)
    return { reason: "only TCP and UDP ports are supported", column: of("protocol") === "" ? "port" : "protocol", code: "unknown_protocol" }; // prettier-ignore
  const service = resource === "services" ? serviceOf(of) : null;
  const isEverywhere = YES.has(of("everywhere").toLowerCase());
  const places = isEverywhere ? [null] : addresses.map(({ ip }) => ip);
  const isListed = resource === "ports";
  return { ports: places.map((ip) => ({ line, ip, protocol, number, service, isListed })) };
}

/** The definition given by a person is not a guess. */
function serviceOf(of: TableRow["of"]): SeenService | null {
  const definition = clip(of("definition"), 100);
  const name = clip(of("name") || of("service"), 100) ?? definition;
  if (name === null) return null;
  return { name, product: name, definition, isWrapped: false, isProbed: true };
}
