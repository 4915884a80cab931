import { ATTRIBUTE_COLUMN, type CellFault, type CsvResource, UNKNOWN_MAC } from "@nts/shared/contract/import-formats";
import type { AttributeValue, ImportedColumn, Role } from "@nts/shared/contract";
import { ATTRIBUTE_LIMIT, MOST_ATTRIBUTES, writtenAttribute } from "@nts/shared/contract/attributes.rules";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import { marksOf } from "@nts/shared/contract/marks.rules";
import { putUnder } from "@nts/shared/groups";
import { isSynthetic } from "../../values/synthetic-names.rules.js";
import { blockAround, parseAddress, parseBlock } from "../../values/addresses.js";
import { copyOf } from "../copies.rules.js";
import { together } from "../merge.rules.js";
import { createPacker } from "../packed-hosts.js";
import { hostWith } from "../packed-hosts.rules.js";
import type { SaysOfHost } from "../observations.rules.js";
import {
  MOST_SIGHTINGS,
  type Scan,
  type SeenAddress,
  type SeenHost,
  type SeenPort,
  type SeenService,
  type Skipped,
} from "../scan.rules.js";
import { reasonAgainstPort, reasonAgainstState, type Said, saidOf, type Column } from "./headings.rules.js";
import { alignedRows } from "./aligned-rows.js";
import { hasJsonRows, jsonRows } from "./json-rows.js";
import { macOfClient } from "./leases.js";
import { beginningOf, faultAt, withFirst } from "./lines.js";
import { type Plug, wirePlugs } from "./plugs.js";
import { isPortOfSwitch, portsInCell } from "./port-cells.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { BLANKS, type Row, rowsOf } from "./rows.js";
import { createSightings, type Sightings } from "./sightings.js";
import {
  beginningOfTable,
  cellAsWritten,
  type Columns,
  columnsIn,
  columnsText,
  hasHeadings,
  isOfPorts,
  requireColumns,
  resourceOf,
  type TableRow,
  tableRow,
  takenColumns,
  unusedText,
} from "./table.js";
import {
  addressIn,
  cardOf,
  clip,
  duidIn,
  hostnameIn,
  isGroup,
  isGroupMac,
  isLinkLocal,
  isLoopback,
  macIn,
  toolInfo,
} from "./texts.js";
import { hasVisibleNames } from "./visible-names.js";

// Tables with a row per host, interface, port or service, as CSV or JSON. Hosts are recognized by address; rows with the
// same host belong to one.

/** Maximum addresses per cell. */
const MOST_ADDRESSES_OF_A_ROW = 100;
/** Maximum network cards without an address per row. */
const MOST_CARDS = 16;
/** Characters of a tag, and of a cell of tags. */
const LONGEST_TAG = 50;
const LONGEST_TAGS = 10_000;
/** Different names of networks that are looked at. */
const MOST_NETWORKS = 10_000;
/** Blocks in which headings are looked for. */
const MOST_FIRST_BLOCKS = 20;
const WITHOUT_ROWS =
  'must have objects with an address and a name or MAC address, such as {"hostname": "nas", "ip": "10.0.0.5"}';
/** Headings of a column with a MAC address per address. */
const PER_ADDRESS = /(?:addresses|macs)$/i;
/** What programs call devices, besides the names of roles. */
const ROLES_CALLED: readonly (readonly [string, Role])[] = [
  ["ap", "AccessPoint"],
  ["desktop", "Computer"],
  ["laptop", "Computer"],
  ["notebook", "Computer"],
  ["pc", "Computer"],
  ["workstation", "Computer"],
  ["smartphone", "Mobile"],
  ["tablet", "Mobile"],
  ["television", "Media"],
  ["tv", "Media"],
];
const ROLE_OF: ReadonlyMap<string, Role> = new Map([
  ...ROLE_NAMES.map((role) => [role.toLowerCase(), role] as const),
  ...ROLES_CALLED,
]);
/** Roles of addresses that several machines take turns to have. */
const MOVING = /^(?:vip|vrrp|hsrp|glbp|carp)$/i;
/** What Windows calls an address that something else has, which is to get no lease. */
const DECLINED = /^bad_address$/i;
/** What people call an address that no machine has. */
const FREE =
  /^(?:free|available|unused|not used|unassigned|frei|unbenutzt|nicht (?:belegt|benutzt|verwendet)|unbelegt|libre|disponible|inutilisée?|non utilisée?|sin usar|libero|non usato|livre|vrij|niet gebruikt)$/i;
/** What NetAlertX writes for the way out, at the public address. */
const INTERNET = /^internet$/i;
const YES: ReadonlySet<string> = new Set(["1", "true", "yes", "y", "x", "all"]);

const OBSERVED =
  "what sources have observed is taken from sources and archives only; to take it as the table's own words, say what the columns mean";

/** Columns that mean nothing in rows of a kind. */
const NOT_OF_ROWS: Readonly<Record<CsvResource, readonly Column[]>> = {
  hosts: ["port", "protocol", "service", "definition", "version", "everywhere", "interface"],
  interfaces: [
    "switch",
    "plug",
    "description",
    "role",
    "tags",
    "port",
    "protocol",
    "service",
    "definition",
    "version",
    "everywhere",
    "interface",
  ],
  ports: ["switch", "plug", "role", "tags", "service", "definition", "version", "interface"],
  services: ["switch", "plug", "description", "role", "tags", "interface"],
};
/** Characters that are kept of texts. */
const LONGEST: readonly (readonly [Column, number])[] = [
  ["host", 100],
  ["description", 500],
  ["vendor", 200],
  ["model", 200],
  ["serial", 200],
  ["machine_id", 100],
  ["os", 200],
  ["os_version", 100],
  ["version", 100],
  ["definition", 100],
  ["service", 100],
  ["name", 100],
];

export const csv: Reader = {
  format: "csv",
  looksLike: (beginning, given) => {
    const meanings = saidOf(given?.columns);
    return hasHeadings(beginning, meanings) || hasJsonRows(beginning, meanings);
  },
  read: readTable,
};

/** The rows of a table, and the line of the one with the headings. */
interface Table {
  readonly rows: Iterable<Row>;
  readonly line: number;
  readonly isJson: boolean;
}

function tableIn(bytes: Iterable<Uint8Array>, meanings: Said): Table {
  const { first, blocks } = withFirst(bytes, MOST_FIRST_BLOCKS);
  if (hasJsonRows(beginningOf(first), meanings)) return { rows: jsonRows(blocks, meanings), line: 1, isJson: true };
  const beginning = beginningOfTable(first, meanings);
  const isAligned = beginning.separator === BLANKS;
  const rows = isAligned ? alignedRows(blocks, beginning) : rowsOf(blocks, beginning);
  return { rows, line: beginning.line, isJson: false };
}

/** A row that has been read. Whether it is taken depends on the rows behind it, if they may be of several networks. */
interface ReadRow {
  readonly line: number;
  /** It, in `skipped`. */
  readonly what: string;
  /** The name of its network; empty if it has none. */
  readonly network: string;
  /** Of the host to which several rows belong; empty if it has none. */
  readonly key: string;
  /** Null if it has none. */
  readonly host: SeenHost | null;
  readonly faults: readonly Fault[];
  /** Where its machine is plugged in. */
  readonly plug: Pick<Plug, "of" | "port"> | null;
}

function readTable(bytes: Iterable<Uint8Array>, given: ReaderGiven): Scan {
  const sightings = createSightings();
  const { skipped } = sightings;
  const meanings = saidOf(given.columns);
  const { rows, line: beginning, isJson } = tableIn(bytes, meanings);
  let reading: ReturnType<typeof readingOf> | null = null;
  for (const row of rows)
    if (row.line < beginning) skipped.add(row.line, `line ${row.line}`, "it precedes the headings");
    else if (row.fault !== undefined) skipped.add(row.line, `line ${row.line}`, row.fault);
    else if (reading === null) {
      if (isJson && row.cells.length === 0) throw faultAt(1, WITHOUT_ROWS);
      reading = readingOf(row, meanings, given, sightings);
    } else reading.take(row);
  if (reading === null) throw faultAt(1, "must begin with a line of headings", 1, "missing_headings");
  const columns = reading.end();
  return { ...sightings.scan(toolInfo(isJson ? "JSON" : "CSV"), null), columns };
}

/** Reads the rows under headings. */
function readingOf(headings: Row, meanings: Said, given: ReaderGiven, sightings: Sightings) {
  const { skipped } = sightings;
  const columns = columnsIn(headings.cells, meanings);
  const resource = given.resource ?? resourceOf(columns);
  requireColumns(columns, resource, headings.line);
  const unused = unusedText(columns, NOT_OF_ROWS[resource]);
  if (unused !== null) skipped.add(headings.line, unused, "nothing is made of what such a column says");
  const pack = createPacker();
  const observed = createObserved(columns);
  const networks = given.network === undefined ? null : createNetworks(headings, columns, given.network);
  const switches = createSwitches(columns);
  const isGuessed = (given.resource ?? null) === null;
  /** Rows that wait for what others say. */
  const waiting: ReadRow[] | null = networks === null && switches === null ? null : [];
  const read = { ours: 0, others: 0 };
  let taken = 0;
  const hosts: SeenHost[] = [];
  const plugs: Plug[] = [];
  /** By host name in the rows. */
  const named = new Map<string, SeenHost[]>();

  /** @param isFull so many were read that no host of it is taken */
  function rowOf(row: Row, isFull: boolean): ReadRow {
    const entry = tableRow(row, columns);
    const { line, of } = entry;
    const key = copyOf(of("host").toLowerCase());
    const name = clip(of("name") || of("hostname") || of("host") || of("address"), 60) ?? "without a name";
    const against = isFull ? TOO_MANY_ROWS : (stateOf(row, columns, resource) ?? againstRow(entry));
    const found = against ?? hostOf(entry, { resource, isGuessed });
    const own = against === null ? [...macFaults(entry), ...givenFaults(entry, resource)] : [];
    const faults = [...own, ...("reason" in found ? [found] : found.faults)];
    const host = "reason" in found ? null : found.host;
    // Those that are merged are needed whole.
    const isHeld = waiting !== null && key === "";
    return {
      line,
      what: `row ${name}`,
      network: networks === null ? "" : copyOf(of("network")),
      key,
      host: host !== null && isHeld && hasVisibleNames(host) ? pack(host) : host,
      faults: faults.length === 0 ? NO_FAULTS : faults,
      plug: resource === "hosts" ? plugIn(entry) : null,
    };
  }

  function settle({ line, what, network, key, host: found, faults, plug }: ReadRow, ownNetwork: string | null): void {
    const skip = ({ reason, column, code }: Fault): void => {
      const heading = isAttribute(column) ? column : (columns.of.get(column)?.[0]?.text ?? column);
      skipped.add(line, what, reason, { column: heading, ...(code !== undefined && { code }) });
    };
    const against = elsewhere(network, ownNetwork);
    for (const fault of against === null ? faults : [against]) skip(fault);
    if (found === null || against !== null) return;
    const host = switches === null ? found : asSwitch(found, switches.names);
    if (switches !== null) hosts.push(host);
    if (plug !== null) plugs.push({ line, ...plug, machine: host });
    if (++taken > MOST_SIGHTINGS) skip(TOO_MANY_ROWS);
    else if (key === "") sightings.add(host, what, pack);
    else putUnder(named, key, host);
  }

  return {
    take: (row: Row): void => {
      observed.take(row);
      switches?.take(row);
      const isOurs = networks?.take(row) ?? true;
      const one = rowOf(row, (isOurs ? read.ours : read.others) === MOST_SIGHTINGS);
      if (one.host !== null) read[isOurs ? "ours" : "others"]++;
      if (waiting === null) settle(one, null);
      else waiting.push(one);
    },
    /** @returns what the columns were taken for */
    end: (): ImportedColumn[] => {
      const ownNetwork = networks?.own(skipped) ?? null;
      for (const one of waiting ?? []) settle(one, ownNetwork);
      for (const ones of named.values()) sightings.add(together(ones, skipped), `host ${ones[0]?.name ?? ""}`, pack);
      wirePlugs(plugs, hosts, sightings);
      const left = columnsText(observed.said());
      if (left !== null) skipped.add(headings.line, left, OBSERVED);
      return takenColumns(columns, NOT_OF_ROWS[resource]);
    },
  };
}

/** Finds the columns of our own tables that say what sources have observed, in any row. */
function createObserved({ observed }: Columns) {
  const said = new Set<string>();
  return {
    take: ({ cells }: Row): void => {
      for (const { index, text } of observed) if ((cells[index] ?? "") !== "") said.add(text);
    },
    said: (): readonly string[] => [...said],
  };
}

/** In lower case, what rows call the switches that machines are plugged in; null if no column says so. */
function createSwitches(columns: Columns) {
  if (!columns.of.has("switch")) return null;
  const names = new Set<string>();
  return {
    names,
    take: (row: Row): void => {
      const name = cellAsWritten(row, columns, "switch").toLowerCase();
      if (!names.has(name)) names.add(copyOf(name));
    },
  };
}

/** A row may be of such a switch. */
function asSwitch(host: SeenHost, switches: ReadonlySet<string>): SeenHost {
  const isOne = [host.name ?? null, host.hostname].some((name) => name !== null && switches.has(name.toLowerCase()));
  return isOne && (host.role ?? null) === null ? hostWith(host, { role: "Switch" }) : host;
}

/** Where the machine of a row is plugged in; null if the row does not say so. */
function plugIn({ of }: TableRow): ReadRow["plug"] {
  const name = clip(of("switch"), 100);
  const port = clip(of("plug"), 100);
  return name === null || port === null ? null : { of: name, port };
}

/** Why a row is of no machine, by what it says of its state; null if it may be of one. */
function stateOf(row: Row, columns: Columns, resource: CsvResource): Fault | null {
  const isNamed = (["name", "hostname", "host", "mac"] as const).some(
    (column) => columns.of.has(column) && cellAsWritten(row, columns, column) !== "",
  );
  for (const { index, text } of columns.of.get("state") ?? []) {
    const cell = row.cells[index] ?? "";
    const reason = (isOfPorts(resource) ? reasonAgainstPort(cell) : null) ?? reasonAgainstState(text, cell, isNamed);
    if (reason !== null) return { reason, column: "state", code: "unusable_address" };
  }
  return null;
}

/** Why a row is of no machine, by what it is called; null if it may be of one. */
function againstRow({ of }: TableRow): Fault | null {
  const role = of("role");
  if (MOVING.test(role))
    return { reason: `${role} addresses move between machines`, column: "role", code: "unusable_address" };
  if (DECLINED.test(of("hostname") || of("name")))
    return { reason: "it was declined: something else has the address", column: "name", code: "unusable_address" };
  const free = of("hostname") || of("name");
  if (of("mac") === "" && FREE.test(free))
    return { reason: `the row says that it is ${free}`, column: "name", code: "unusable_address" };
  if (!INTERNET.test(of("mac"))) return null;
  return { reason: "it stands for the internet", column: "mac", code: "unusable_address" };
}

/** Finds out whether a table has rows of the network among those of others; null if no column says so. */
function createNetworks({ cells }: Row, columns: Columns, network: string) {
  if (!columns.of.has("network")) return null;
  const own = network.toLowerCase();
  const headings = cells.join();
  const names = new Set<string>();
  let first = 0;
  return {
    /** @returns whether the row is of the network */
    take: (row: Row): boolean => {
      const name = row.cells.join() === headings ? "" : cellAsWritten(row, columns, "network").trim().toLowerCase();
      if (name !== "") first ||= row.line;
      const isWanted = name !== "" && (name === own || names.size <= MOST_NETWORKS);
      if (isWanted && !names.has(name)) names.add(copyOf(name));
      return name === own;
    },
    /** The network whose rows are taken; null if all are, because the table is of another network, or its column says something else. */
    own: (skipped: Skipped): string | null => {
      if (names.has(own)) return own;
      if (names.size > 1)
        skipped.add(
          first,
          "column network",
          "rows of several networks are taken, none of which is called like this one",
        );
      return null;
    },
  };
}

/** Why a row is of another network than the one whose rows are taken; null if it may be of that. */
function elsewhere(named: string, network: string | null): Fault | null {
  if (named === "" || network === null || named.toLowerCase() === network) return null;
  return {
    reason: `it is of the network ${named.slice(0, 60)}; to take such rows, ignore the column`,
    column: "network",
  };
}

/** A fault of a row. */
interface Fault {
  readonly reason: string;
  /** Its column; of an attribute, the heading. */
  readonly column: Column | `${typeof ATTRIBUTE_COLUMN}${string}`;
  readonly code?: CellFault;
}

const NO_FAULTS: readonly Fault[] = [];
const TOO_MANY_ROWS: Fault = {
  reason: `an import reads at most ${MOST_SIGHTINGS} rows`,
  column: "address",
  code: "too_many_rows",
};

/** What spreadsheets make of twelve digits. */
const SHORTENED = /^\d(?:[.,]\d{1,15})?E[+-]?\d{1,3}$/i;

/** MAC addresses that are invalid, or of no certain address; the row still counts without them. */
function macFaults(row: TableRow): Fault[] {
  const written = wordsIn(row.all("mac"));
  const wrong = written.filter((word) => word !== UNKNOWN_MAC && cardIn(word) === null);
  const shortened = SHORTENED.exec(row.all("mac").trim());
  const reasons =
    shortened === null
      ? wrong.map((word) => `${word.slice(0, 50)} is not a MAC address`)
      : [`a spreadsheet has made the number ${shortened[0]} of a MAC address: format the column as text before`];
  const faults = reasons.map((reason): Fault => ({ reason, column: "mac", code: "not_a_mac_address" }));
  const words = addressWords(row);
  const usable = words.filter((word) => !isLinkLocalWord(word));
  const { length } = words;
  if (usable.length === 0 || [length, usable.length].some((count) => macsOf(row, count) !== null)) return faults;
  const reason = `${written.length} MAC addresses for ${length} addresses: there must be one for each, or ${UNKNOWN_MAC} if it is unknown`;
  return [...faults, { reason, column: "mac", code: "unassigned_mac_addresses" }];
}

/** A MAC address, also after the type of Ethernet as DHCP clients say theirs: `01-00-15-5D-0A-0B-0C`; null for other texts. */
function cardIn(text: string): string | null {
  return macIn(macOfClient(text) ?? text);
}

/**
 * The MAC address of each of so many addresses; null if it is uncertain which has which. Tables exported earlier listed
 * each known one once, so that a single one need not be that of all.
 */
function macsOf({ all, heading }: TableRow, count: number): readonly (string | null)[] | null {
  const macs = wordsIn(all("mac")).map((text) => cardIn(text));
  const [first = null] = macs;
  if (macs.length === count) return macs;
  const isOfAll = macs.length === 1 && !PER_ADDRESS.test(heading("mac"));
  if (isOfAll || macs.every((mac) => mac === null)) return Array.from({ length: count }, () => first);
  return null;
}

/** What is known of the rows of a table. */
interface Rows {
  readonly resource: CsvResource;
  /** Nobody has said that they are ports or services, so that one may be of a machine without any. */
  readonly isGuessed: boolean;
}

/** The host of a row with what is left out of it, or why the row is skipped. */
function hostOf(row: TableRow, { resource, isGuessed }: Rows): { host: SeenHost; faults: readonly Fault[] } | Fault {
  const { line, of } = row;
  const found = addressesOf(row, resource);
  if ("reason" in found) return found;
  const { addresses } = found;
  const isMaybeWithout = isGuessed && resource === "ports";
  const isPlug = isMaybeWithout && isPortOfSwitch(of("port"));
  const isWithoutPort = !isOfPorts(resource) || isPlug || (isMaybeWithout && of("port") === "");
  const port = isWithoutPort ? { ports: [] } : portOf(row, resource, addresses);
  if ("reason" in port) return port;
  const isOfHosts = resource === "hosts" || resource === "ports";
  const name = clip((isOfHosts && of("name")) || of("host"), 100);
  const description = isOfHosts ? clip(of("description"), 500) : null;
  const vendor = description ?? clip(of("vendor"), 500) ?? found.vendor;
  const ofInterface = resource === "interfaces" ? attributesIn(row) : {};
  const host = {
    line,
    addresses: addresses.map((one) => ({ ...one, ...ofInterface })),
    ...(found.cards !== undefined && { cards: found.cards }),
    ...(found.isOnlyKnown === true && { isOnlyKnown: true }),
    hostname: hostnameIn(of("hostname")),
    name,
    vendor,
    says: saysOf(row),
    ...givenIn(row, resource),
    ports: port.ports,
  };
  const plug: Fault = {
    reason: `${of("port").slice(0, 50)} is the port of a switch`,
    column: "port",
    code: "not_a_port",
  };
  return { host, faults: [...found.faults, ...(isPlug ? [plug] : []), ...versionFaults(row), ...textFaults(row)] };
}

/** A version of no named operating system. */
function versionFaults({ of }: TableRow): Fault[] {
  if (of("os_version") === "" || of("os") !== "") return [];
  return [{ reason: "a version says nothing without the name of the operating system", column: "os_version" }];
}

/** Texts that are too long, or no names. */
function textFaults({ of }: TableRow): Fault[] {
  const cut = LONGEST.filter(([column, most]) => [...of(column)].length > most).map(([column, most]): Fault => ({
    reason: `only its first ${most} characters are kept`,
    column,
  }));
  const hostname = of("hostname");
  if (hostname === "" || isSynthetic(hostname) || hostnameIn(hostname) !== null) return cut;
  return [...cut, { reason: "its host name is not a text of 1 to 253 characters", column: "hostname" }];
}

/** What a row says of the device. */
function saysOf({ of }: TableRow): SaysOfHost {
  const os = clip(of("os"), 200);
  const duid = duidIn(of("duid"));
  const id = clip(of("machine_id"), 100);
  return {
    os: os === null ? null : { name: os, version: clip(of("os_version"), 100), cpe: null, accuracy: null },
    vendor: clip(of("vendor"), 200),
    model: clip(of("model"), 200),
    serial: clip(of("serial"), 200),
    ...(duid !== null && { duid }),
    ...(id !== null && { machine_id: id }),
  };
}

/** What a row says of its host, as people do. */
function givenIn(row: TableRow, resource: CsvResource): Pick<SeenHost, "role" | "tags" | "attributes"> {
  if (resource !== "hosts") return {};
  const tags = tagsIn(row);
  return { role: roleIn(row.of("role")), ...(tags.length > 0 && { tags: tags.filter(isTag) }), ...attributesIn(row) };
}

/** The tags of a row by name, separated by semicolons as in exports, or by commas as other programs do. */
function tagsIn({ of }: TableRow): string[] {
  const written = of("tags").slice(0, LONGEST_TAGS);
  const names = [...written.matchAll(/(?:[^;,\\]|\\.)+/g)].map(([name]) => name.replaceAll(/\\(.)/g, "$1"));
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}

function isTag(name: string): boolean {
  return clip(name, LONGEST_TAG) === name;
}

/** The attributes of what a row is about. */
function attributesIn(row: TableRow): Pick<SeenHost, "attributes"> {
  const values = row.attributes.flatMap(({ key, cell }) => {
    const value = attributeIn(cell);
    return value === null ? [] : [[key, value] as const];
  });
  return values.length === 0 ? {} : { attributes: Object.fromEntries(values.slice(0, MOST_ATTRIBUTES)) };
}

/** What is lost of that. */
function givenFaults(row: TableRow, resource: CsvResource): Fault[] {
  const faults = row.attributes.flatMap(({ key, cell }, index): Fault[] => {
    const reason = reasonAgainstAttribute(cell, index, resource);
    return reason === null ? [] : [{ reason, column: `${ATTRIBUTE_COLUMN}${key}` }];
  });
  if (resource !== "hosts") return faults;
  for (const name of tagsIn(row).filter((one) => !isTag(one)))
    faults.push({ reason: `a tag has at most ${LONGEST_TAG} characters: ${name.slice(0, 20)} …`, column: "tags" });
  const role = row.of("role");
  if (role === "" || roleIn(role) !== null) return faults;
  return [{ reason: `${role.slice(0, 50)} is not a role`, column: "role" }, ...faults];
}

/** Why an attribute is not read; null if it is. @param index among those of its row */
function reasonAgainstAttribute(cell: string, index: number, resource: CsvResource): string | null {
  if (resource === "ports") return "ports have no attributes";
  if (index >= MOST_ATTRIBUTES) return `it has at most ${MOST_ATTRIBUTES} attributes`;
  return attributeIn(cell) === null
    ? `an attribute has at most ${ATTRIBUTE_LIMIT} characters, none of them a control character`
    : null;
}

function isAttribute(column: Fault["column"]): column is `${typeof ATTRIBUTE_COLUMN}${string}` {
  return column.startsWith(ATTRIBUTE_COLUMN);
}

/** A role as people write it, such as `access point` or `Core Switch`; null for other texts. */
function roleIn(written: string): Role | null {
  const words = written
    .toLowerCase()
    .replace(/\(.*/, "")
    .split(/[\s_-]+/)
    .filter((word) => word !== "");
  const tails = [words, words.slice(-2), words.slice(-1)].map((tail) => ROLE_OF.get(tail.join("")));
  return tails.find((role) => role !== undefined) ?? null;
}

/** The value of an attribute's cell; null if it is too long. */
function attributeIn(cell: string): AttributeValue | null {
  const value = writtenAttribute(cell);
  return typeof value !== "string" || (clip(value, ATTRIBUTE_LIMIT) ?? "") === value ? value : null;
}

/** What is read of the addresses of a row. */
interface Addresses {
  readonly addresses: readonly SeenAddress[];
  /** MAC addresses of no certain address. */
  readonly cards?: readonly string[];
  /** It has no address. */
  readonly isOnlyKnown?: boolean;
  /** Of the network cards. */
  readonly vendor: string | null;
  /** Why others are left out. */
  readonly faults: readonly Fault[];
}

/** The addresses of a row, each with its MAC address; or why there are none. */
function addressesOf(row: TableRow, resource: CsvResource): Addresses | Fault {
  const written = addressWords(row);
  const fault = (code: CellFault, reason: string): Fault => ({ reason, column: "address", code });
  if (written.length === 0) {
    const isTold = resource === "hosts" && marksOf(saysOf(row)).length + cardsIn(row).length > 0;
    const ofDevice: Addresses = { addresses: [], cards: cardsIn(row), isOnlyKnown: true, vendor: null, faults: [] };
    return isTold ? ofDevice : fault("missing_address", "it has no address");
  }
  if (written.length > MOST_ADDRESSES_OF_A_ROW)
    return fault("too_many_addresses", `a row may have at most ${MOST_ADDRESSES_OF_A_ROW} addresses`);
  const usable = written.filter((word) => !isLinkLocalWord(word));
  const isOfUsable = usable.length > 0 && usable.length < written.length && macsOf(row, written.length) === null;
  const macs = isOfUsable ? macsOf(row, usable.length) : macsOf(row, written.length);
  const cardAt = (index: number, text: string): string | null =>
    macs?.[isOfUsable ? usable.indexOf(text) : index] ?? null;
  const isNameless = row.of("name") === "" && row.of("hostname") === "" && row.of("host") === "";
  const addresses: SeenAddress[] = [];
  const faults: Fault[] = [];
  let vendor: string | null = null;
  for (const [index, text] of written.entries()) {
    const found = addressOf(text, row.of("mask"));
    if ("reason" in found) {
      faults.push(found);
      continue;
    }
    if (addresses.some(({ ip }) => ip === found.ip)) continue;
    const mac = cardAt(index, text);
    if (mac !== null && isGroupMac(mac) && isNameless) {
      faults.push({
        reason: `${found.ip} is not the address of a machine: ${mac} is not unicast`,
        column: "mac",
        code: "unusable_address",
      });
      continue;
    }
    const card = cardOf(mac, found.ip);
    vendor ??= card.vendor;
    addresses.push({ ip: found.ip, mac: card.mac });
  }
  const [first] = faults;
  if (addresses.length === 0 && first !== undefined) return first;
  const cards = macs === null && resource === "hosts" ? cardsIn(row) : [];
  return { addresses, ...(cards.length > 0 && { cards }), vendor, faults };
}

/** The address of a machine, or why it is none. @param mask of the row; may be empty */
function addressOf(text: string, mask: string): { ip: string } | Fault {
  const fault = (code: CellFault, reason: string): Fault => ({ reason, column: "address", code });
  const [bare = "", ownMask = mask] = text.split("/", 2);
  const ip = addressIn(bare);
  if (ip === null) return fault("not_an_address", `${text.slice(0, 50)} is not an IP address`);
  if (isLoopback(ip) || isGroup(ip)) return fault("unusable_address", `${ip} is not the address of a machine`);
  if (isLinkLocal(ip)) return fault("unusable_address", `${ip} is link-local`);
  const against = reasonAgainstBlock(ip, bitsIn(ownMask));
  return against === null ? { ip } : fault("unusable_address", against);
}

/** The prefix length that a mask such as `24`, `/24` or `255.255.255.0` stands for; NaN if it is none. */
function bitsIn(mask: string): number {
  const written = mask.trim().replace(/^\//, "");
  if (/^\d{1,3}$/.test(written)) return Number(written);
  const bytes = /^(?:\d{1,3}\.){3}\d{1,3}$/.test(written) ? written.split(".").map(Number) : [];
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return /^1{1,32}0*$/.test(bits) && bits.length === 32 ? bits.replaceAll("0", "").length : NaN;
}

/** Why an address in a block is not that of a machine; null if it may be. @param bits of the prefix; NaN if unknown */
function reasonAgainstBlock(ip: string, bits: number): string | null {
  const isIpv6 = ip.includes(":");
  // The two addresses of a point-to-point link are those of machines.
  if (!(bits <= (isIpv6 ? 126 : 30))) return null;
  const block = parseBlock(blockAround(ip, bits), "address");
  const { key } = parseAddress(ip);
  if (key === block.first) return `${block.text} is a network`;
  return !isIpv6 && key === block.last ? `${ip} is the broadcast address of ${block.text}` : null;
}

/** An address that every card has, which lists of addresses often contain. */
function isLinkLocalWord(word: string): boolean {
  const ip = addressIn(word.split(/[/%]/, 1)[0] ?? "");
  return ip !== null && isLinkLocal(ip);
}

/** The MAC addresses of the network cards of a row. */
function cardsIn({ all }: TableRow): string[] {
  const macs = wordsIn(all("mac")).flatMap((text) => cardIn(text) ?? []);
  return [...new Set(macs.flatMap((mac) => cardOf(mac, "").mac ?? []))].slice(0, MOST_CARDS);
}

/**
 * Programs add the name of the interface, as in `10.0.0.5 (eth0)`, or of the network, as in `lan=10.0.0.5, fd00::5` and
 * `{'lan': ['10.0.0.5']}`.
 */
function addressWords({ all }: TableRow): string[] {
  const bare = all("address").replaceAll(/\([^()]*\)|'[^']*':|(?<![\w.-])[\w.-]{1,100}=/g, " ");
  return wordsIn(bare.replaceAll(/[{}[\]'"]/g, " "));
}

function wordsIn(cell: string): string[] {
  return cell.split(/[\s,;|]+/, 2 * MOST_ADDRESSES_OF_A_ROW).filter((word) => !/^[/&+-]*$/.test(word));
}

/** The ports of a row at each of its addresses, or at all of its host. */
function portOf(
  row: TableRow,
  resource: CsvResource,
  addresses: readonly SeenAddress[],
): { ports: SeenPort[] } | Fault {
  const { line, of } = row;
  const written = of("port");
  const found = portsInCell(written, of("protocol"));
  if ("reason" in found) {
    const isOfProtocol = found.code === "unknown_protocol" && of("protocol") !== "";
    return { ...found, column: isOfProtocol ? "protocol" : "port" };
  }
  if (found.length === 0)
    return { reason: "its port is not a number from 1 to 65535", column: "port", code: "not_a_port" };
  const isEverywhere = YES.has(of("everywhere").toLowerCase());
  const places = isEverywhere ? [null] : addresses.map(({ ip }) => ip);
  const isListed = resource === "ports";
  const ports = found.flatMap(({ number, protocol, name }) => {
    const service = resource === "services" ? (serviceOf(row) ?? namedService(name)) : namedService(name);
    return places.map((ip): SeenPort => ({
      line,
      ip,
      protocol,
      number,
      service,
      isListed: isListed && service === null,
    }));
  });
  return { ports };
}

/** What a cell calls a port is worth as much as the name that a scan reports. */
function namedService(name: string | null): SeenService | null {
  return name === null ? null : { name, product: null, isWrapped: false, isProbed: false };
}

/** The definition given by a person is not a guess. */
function serviceOf(row: TableRow): SeenService | null {
  const { of } = row;
  const definition = clip(of("definition"), 100);
  const name = clip(of("name") || of("service"), 100) ?? definition;
  if (name === null) return null;
  const version = clip(of("version"), 100);
  return { name, product: name, definition, version, isWrapped: false, isProbed: true, ...attributesIn(row) };
}
