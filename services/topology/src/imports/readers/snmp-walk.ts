import { HOSTNAME_LIMIT } from "@nts/shared/contract/formats";
import { putUnder } from "@nts/shared/groups";
import type { SeenAddress } from "../scan.rules.js";
import type { WiredDevice, WiredNeighbour, WiredPort } from "../wiring/wiring.rules.js";
import { faultAt, linesOf } from "./lines.js";
import { type Ability, hostOfNeighbour, type Introduced, keysOfNeighbour } from "./neighbours.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { isRecord, type Recorded } from "./snmp-records.js";
import {
  ipv4In,
  macAtEnd,
  macOf,
  numberIn,
  octetsIn,
  placesIn,
  textIn,
  typedIn,
  type Walked,
  walkedIn,
} from "./snmp-values.js";
import { addressIn, cardOf, clip, hostnameIn, macIn, reasonAgainst, toolInfo } from "./texts.js";

// What `snmpwalk` prints, or snmpsim has recorded, of one device: its interfaces, whom it hears by LLDP and CDP, and at which ports
// it has learnt which MAC addresses. @see docs/links.md

/** Rows that are read, and continuation lines of a value. */
const MOST_ROWS = 300_000;
const MOST_CONTINUED = 200;
const MOST_PORTS = 5_000;
const MOST_CARDS = 64;
/** A MAC address with more addresses than this is a proxy. */
const MOST_OF_A_CARD = 16;
const LONGEST = 100;

const C = {
  description: "1.3.6.1.2.1.1.1",
  name: "1.3.6.1.2.1.1.5",
  ifDescr: "1.3.6.1.2.1.2.2.1.2",
  ifType: "1.3.6.1.2.1.2.2.1.3",
  ifSpeed: "1.3.6.1.2.1.2.2.1.5",
  ifMac: "1.3.6.1.2.1.2.2.1.6",
  ifName: "1.3.6.1.2.1.31.1.1.1.1",
  ifHighSpeed: "1.3.6.1.2.1.31.1.1.1.15",
  ifAlias: "1.3.6.1.2.1.31.1.1.1.18",
  ifStack: "1.3.6.1.2.1.31.1.2.1.3",
  ownAddress: "1.3.6.1.2.1.4.20.1.2",
  arp: "1.3.6.1.2.1.4.22.1.2",
  bridge: "1.3.6.1.2.1.17.1.1",
  basePort: "1.3.6.1.2.1.17.1.4.1.2",
  fdbPort: "1.3.6.1.2.1.17.4.3.1.2",
  fdbStatus: "1.3.6.1.2.1.17.4.3.1.3",
  qFdbPort: "1.3.6.1.2.1.17.7.1.2.2.1.2",
  qFdbStatus: "1.3.6.1.2.1.17.7.1.2.2.1.3",
  vlanEgress: "1.3.6.1.2.1.17.7.1.4.2.1.4",
  vlanName: "1.3.6.1.2.1.17.7.1.4.3.1.1",
  vlanStaticEgress: "1.3.6.1.2.1.17.7.1.4.3.1.2",
  pvid: "1.3.6.1.2.1.17.7.1.4.5.1.1",
  lag: "1.2.840.10006.300.43.1.2.1.1.13",
  lldpChassis: "1.0.8802.1.1.2.1.3.2",
  lldpName: "1.0.8802.1.1.2.1.3.3",
  lldpPortType: "1.0.8802.1.1.2.1.3.7.1.2",
  lldpPort: "1.0.8802.1.1.2.1.3.7.1.3",
  lldpPortDesc: "1.0.8802.1.1.2.1.3.7.1.4",
  lldp2Chassis: "1.3.111.2.802.1.1.13.1.3.2",
  cdpAddress: "1.3.6.1.4.1.9.9.23.1.2.1.1.4",
  cdpDevice: "1.3.6.1.4.1.9.9.23.1.2.1.1.6",
  cdpPort: "1.3.6.1.4.1.9.9.23.1.2.1.1.7",
  cdpPlatform: "1.3.6.1.4.1.9.9.23.1.2.1.1.8",
  partClass: "1.3.6.1.2.1.47.1.1.1.1.5",
  partSerial: "1.3.6.1.2.1.47.1.1.1.1.11",
  partMaker: "1.3.6.1.2.1.47.1.1.1.1.12",
  partModel: "1.3.6.1.2.1.47.1.1.1.1.13",
} as const;

/** The remote tables of both versions of LLDP: a column in front of which the second has one more, and one more index. */
const REMOTE = [
  { table: "1.0.8802.1.1.2.1.4.1.1", first: 4, addresses: "1.0.8802.1.1.2.1.4.2.1.3", indexes: 3, isByIndex: false },
  {
    table: "1.3.111.2.802.1.1.13.1.4.1.1",
    first: 5,
    addresses: "1.3.111.2.802.1.1.13.1.4.2.1.3",
    indexes: 4,
    isByIndex: true,
  },
] as const;

/** Places of the columns after the first. */
const REMOTE_COLUMNS = {
  chassisType: 0,
  chassis: 1,
  portType: 2,
  port: 3,
  portDesc: 4,
  name: 5,
  description: 6,
  enabled: 8,
};

/** Scalars that two devices do not share. */
const IDENTIFYING = new Set<string>([`${C.name}.0`, `${C.bridge}.0`, `${C.lldpChassis}.0`, `${C.lldp2Chassis}.0`]);

const COLUMNS: ReadonlySet<string> = new Set([
  ...Object.values(C),
  ...REMOTE.flatMap(({ table, first, addresses }) => [
    addresses,
    ...Object.values(REMOTE_COLUMNS).map((place) => `${table}.${first + place}`),
  ]),
]);
const SHORTEST = 7;

const IS_LINE =
  /^(?:\.?(?:iso|1)(?:\.\d+){4,}|(?:[A-Z][\w-]*::)?[a-z]\w*(?:\.\d+)+) = (?:[A-Za-z][A-Za-z-]{2,}\d*:|"|No Such)/;

export const snmpWalk: Reader = {
  format: "snmp-walk",
  looksLike: (beginning) => beginning.split("\n", 10).some((line) => IS_LINE.test(line) || isRecord(line)),
  read: (bytes) => {
    const sightings = createSightings();
    readWalk(tablesIn(bytes, sightings), sightings);
    return sightings.scan(toolInfo("snmpwalk"));
  },
};

/** The rows of a column, by their index. */
type Rows = ReadonlyMap<string, Walked>;
type Tables = (column: string) => Rows;
const NONE: Rows = new Map();

function tablesIn(bytes: Iterable<Uint8Array>, { skipped }: Sightings): Tables {
  const tables = new Map<string, Map<string, Walked>>();
  let rows = 0;
  let lines = 0;
  let others = 0;
  let computed = 0;
  const keep = ({ oid, rest, line, isComputed = false }: Open): void => {
    const column = columnOf(oid);
    if (column === null) return;
    if (isComputed) {
      computed += 1;
      return;
    }
    const found: Walked = { line, oid, ...typedIn(rest) };
    const known = tables.get(column) ?? new Map<string, Walked>();
    tables.set(column, known);
    const index = oid.slice(column.length + 1);
    const before = known.get(index);
    if (before !== undefined && before.value !== found.value && IDENTIFYING.has(oid))
      throw faultAt(
        line,
        "must be of one device: another one begins here; import a file for each, all of them together",
      );
    if (before === undefined && ++rows > MOST_ROWS)
      throw faultAt(line, `an import reads at most ${MOST_ROWS} rows of a device`);
    known.set(index, found);
  };
  let open: Open | null = null;
  for (const { number, text } of linesOf(bytes)) {
    const walked = walkedIn(text);
    if (walked === null) {
      if (open !== null && isContinued(open, text)) {
        open.rest += `${isHex(open) ? " " : "\n"}${text}`;
        open.continued += 1;
      } else if (text.trim() !== "" && !isEnd(text)) others += 1;
      if (text.startsWith("Timeout: No Response"))
        skipped.add(number, "the rest of the walk", "the device no longer answered");
      continue;
    }
    if (open !== null) keep(open);
    lines += 1;
    open = walked === undefined ? null : { ...walked, line: number, continued: 0 };
  }
  if (open !== null) keep(open);
  if (lines === 0)
    throw faultAt(1, "must be rows as `snmpwalk -On` prints them, such as `.1.3.6.1.2.1.1.5.0 = STRING: sw1`");
  if (others > 0) skipped.add(1, `${others} lines`, "they are no rows of snmpwalk");
  if (computed > 0) skipped.add(1, `${computed} values`, "snmpsim computes them, so that they are not in the file");
  return (column) => tables.get(column) ?? NONE;
}

interface Open extends Recorded {
  readonly line: number;
  rest: string;
  continued: number;
}

function isHex({ rest }: Open): boolean {
  return rest.startsWith("Hex-STRING:");
}

function isContinued(open: Open, text: string): boolean {
  if (open.continued >= MOST_CONTINUED) return false;
  if (isHex(open)) return /^[\dA-Fa-f]{2}(?: [\dA-Fa-f]{2})* *$/.test(text);
  return /^(?:STRING: )?"/.test(open.rest) && !/[^\\]"$/.test(open.rest.replace(/^(?:STRING: )?"/, " "));
}

function isEnd(text: string): boolean {
  return /^(?:No more variables|End of MIB|Timeout: |#)/.test(text.trim()) || /= No (?:Such|more)/.test(text);
}

/** The column that an OID is in; null for what is not read. */
function columnOf(oid: string): string | null {
  let end = -1;
  for (let parts = 0; parts < SHORTEST - 1; parts++) {
    end = oid.indexOf(".", end + 1);
    if (end === -1) return null;
  }
  for (let parts = SHORTEST; parts < 18; parts++) {
    end = oid.indexOf(".", end + 1);
    if (end === -1) return null;
    const column = oid.slice(0, end);
    if (COLUMNS.has(column)) return column;
  }
  return null;
}

/** An interface of the device. */
interface Card {
  readonly index: string;
  /** Its place among the ports. */
  readonly place: number;
  readonly name: string;
  readonly descr: string;
  readonly alias: string;
  readonly type: number;
  readonly mac: string | null;
}

function readWalk(tables: Tables, sightings: Sightings): void {
  const cards = cardsIn(tables);
  const byIndex = new Map(cards.map((card) => [card.index, card]));
  const portOfBase = (port: number): Card | undefined =>
    byIndex.get(String(numberOf(tables(C.basePort).get(String(port))) ?? ""));
  const locals = localPorts(tables, cards, portOfBase);
  const ports = portsIn(tables, cards, locals, portOfBase);
  const first = [...tables(C.name).values(), ...tables(C.description).values(), ...tables(C.ifDescr).values()][0];
  const line = first?.line ?? 1;
  const written = textOf(tables(C.name).get("0")) || textOf(tables(C.lldpName).get("0"));
  const own = ownMacs(tables, cards);
  const addresses = ownAddresses(tables, byIndex);
  const name = hostnameIn(written.slice(0, HOSTNAME_LIMIT));
  const table = tableIn(tables, portOfBase);
  const what = `device ${name ?? addresses[0]?.ip ?? own[0] ?? ""}`.trim();
  if (name === null && addresses.length === 0 && own.length === 0) {
    sightings.skipped.add(line, what, "nothing identifies it: walk sysName.0, the addresses and the interfaces, too");
    return;
  }
  const { skipped } = sightings;
  for (const missing of missingIn(tables)) skipped.add(line, what, missing);
  const isSwitch = table !== null && new Set(table.map(({ port }) => port)).size > 1;
  sightings.add(
    {
      line,
      addresses,
      hostname: name,
      vendor: clip(textOf(tables(C.description).get("0")).split("\n", 1)[0], 200),
      cards: own,
      says: partIn(tables),
      ...(isSwitch && { role: "Switch" as const }),
      ports: [],
    },
    what,
  );
  const neighbours: WiredNeighbour[] = [];
  const meet = (one: Introduced, at: Omit<WiredNeighbour, "machine" | "line">): void => {
    const host = hostOfNeighbour(one);
    const whom = `neighbour ${one.name || (one.macs[0] ?? one.ips[0] ?? "")} of ${what}`.trim();
    if (host === null) {
      skipped.add(one.line, whom, "nothing identifies it");
      return;
    }
    sightings.add(host, whom);
    neighbours.push({ ...at, line: one.line, machine: keysOfNeighbour(one) });
  };
  readLldp(tables, { locals, byIndex, skipped }, meet);
  readCdp(tables, byIndex, meet);
  addArp(tables, sightings);
  const vlans = [...tables(C.vlanName)].flatMap(([vid, row]) => {
    const number = Number(vid);
    return isVid(number) ? [{ vid: number, name: clip(textIn(row), LONGEST) }] : [];
  });
  const device: WiredDevice = {
    line,
    name: what,
    machine: { macs: own, ips: addresses.map(({ ip }) => ip), name: name ?? null },
    ports,
    neighbours,
    table,
    vlans,
  };
  sightings.wire(device);
}

function isVid(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= 4_094;
}

/** Parts without which less can be told. */
function missingIn(tables: Tables): string[] {
  const hasTable = tables(C.fdbPort).size + tables(C.qFdbPort).size > 0;
  return hasTable && tables(C.basePort).size === 0
    ? [
        "its MAC addresses are at bridge ports, but the walk does not say which interfaces these are (dot1dBasePortIfIndex)",
      ]
    : [];
}

function textOf(row: Walked | undefined): string {
  return row === undefined ? "" : textIn(row);
}

function numberOf(row: Walked | undefined): number | null {
  return row === undefined ? null : numberIn(row);
}

function macIn6(row: Walked | undefined): string | null {
  return row === undefined ? null : macOf(octetsIn(row));
}

function cardsIn(tables: Tables): Card[] {
  const indexes = [...new Set([...tables(C.ifDescr).keys(), ...tables(C.ifName).keys()])].slice(0, MOST_PORTS);
  const taken = new Set<string>();
  return indexes.map((index, place): Card => {
    const descr = textOf(tables(C.ifDescr).get(index));
    const given = textOf(tables(C.ifName).get(index)) || descr || index;
    // Names must tell ports apart.
    const name = clip(taken.has(given.toLowerCase()) ? `${given} ${index}` : given, LONGEST) ?? index;
    taken.add(name.toLowerCase());
    return {
      index,
      place,
      name,
      descr,
      alias: textOf(tables(C.ifAlias).get(index)),
      type: numberOf(tables(C.ifType).get(index)) ?? 0,
      mac: macIn6(tables(C.ifMac).get(index)),
    };
  });
}

/** A port by which LLDP numbers it. */
interface LocalPort {
  readonly card: Card | null;
  /** What neighbours are told. */
  readonly told: readonly string[];
  readonly name: string;
  place: number;
}

function localPorts(
  tables: Tables,
  cards: readonly Card[],
  portOfBase: (port: number) => Card | undefined,
): ReadonlyMap<string, LocalPort> {
  const byName = new Map<string, Card>();
  for (const card of [...cards].reverse())
    for (const name of [card.alias, card.descr, card.name]) if (name !== "") byName.set(name.toLowerCase(), card);
  const macs = new Map<string, Card[]>();
  for (const card of cards) if (card.mac !== null) putUnder(macs, card.mac, card);
  const byIndex = new Map(cards.map((card) => [card.index, card]));
  const numbers = new Set([
    ...tables(C.lldpPort).keys(),
    ...[...tables(`${REMOTE[0].table}.5`).keys()].map((index) => index.split(".")[1] ?? ""),
  ]);
  const locals = new Map<string, LocalPort>();
  let place = cards.length;
  for (const number of numbers) {
    const row = tables(C.lldpPort).get(number);
    const desc = textOf(tables(C.lldpPortDesc).get(number));
    const mac = numberOf(tables(C.lldpPortType).get(number)) === 3 ? macIn6(row) : null;
    const id = mac === null ? textOf(row) : "";
    const ofMac = mac === null ? [] : (macs.get(mac) ?? []);
    const card =
      byName.get(id.toLowerCase()) ??
      (ofMac.length === 1 ? ofMac[0] : undefined) ??
      byName.get(desc.toLowerCase()) ??
      byIndex.get(number) ??
      portOfBase(Number(number)) ??
      null;
    const told = [id, desc].filter((text) => text !== "");
    const name = clip(card?.name ?? told[0] ?? number, LONGEST) ?? number;
    locals.set(number, { card, told, name, place: card?.place ?? place++ });
  }
  return locals;
}

/** Loopback, tunnels, VLAN interfaces and bridges. */
const VIRTUAL_TYPES: ReadonlySet<number> = new Set([24, 131, 135, 136, 150, 209]);
const AGGREGATE = 161;
const SUBINTERFACE = 135;
const VIRTUAL_NAMES =
  /^(?:lo\d*$|veth|tap|vnet|virbr|docker|br-|fwpr|fwln|fwbr|vmbr|cali|flannel|cni|tun|wg|vlan|vl\d|null|nu\d|loopback|irb|cpu)/i;
const AGGREGATE_NAMES = /^(?:po|port-?channel|ae|trk|bond|lag|bridge-aggregation|team)\d/i;

function portsIn(
  tables: Tables,
  cards: readonly Card[],
  locals: ReadonlyMap<string, LocalPort>,
  portOfBase: (port: number) => Card | undefined,
): WiredPort[] {
  const byIndex = new Map(cards.map((card) => [card.index, card]));
  const byName = new Map(cards.flatMap((card) => [card.name, card.descr].map((name) => [name.toLowerCase(), card])));
  const lags = new Map<string, number>();
  const carriers = new Map<string, number>();
  for (const [member, row] of tables(C.lag)) {
    const aggregate = byIndex.get(String(numberOf(row) ?? ""));
    if (aggregate !== undefined && aggregate.index !== member) lags.set(member, aggregate.place);
  }
  for (const key of tables(C.ifStack).keys()) {
    const [higher, lower] = key.split(".").map((index) => byIndex.get(index));
    if (higher === undefined || lower === undefined) continue;
    if (higher.type === AGGREGATE || AGGREGATE_NAMES.test(higher.name)) lags.set(lower.index, higher.place);
    else if (higher.type === SUBINTERFACE && !VIRTUAL_NAMES.test(higher.name)) carriers.set(higher.index, lower.place);
  }
  for (const { name, index } of cards) {
    const carrier = byName.get(/^(.+)[.:]\d{1,5}$/.exec(name)?.[1]?.toLowerCase() ?? "");
    if (carrier !== undefined && carrier.index !== index) carriers.set(index, carrier.place);
  }
  const vids = vidsIn(tables, portOfBase);
  const told = new Map<number, string[]>();
  for (const local of locals.values())
    if (local.card !== null) told.set(local.place, [...(told.get(local.place) ?? []), ...local.told]);
  const ports = cards.map((card): WiredPort => {
    const { index, place, name, descr, alias, type, mac } = card;
    const isPart = carriers.has(index);
    return {
      name,
      called: [...new Set([name, descr, alias, ...(told.get(place) ?? [])])].filter((text) => text !== ""),
      mac,
      speedMbps: speedIn(tables, index),
      lag: lags.get(index) ?? null,
      carrier: carriers.get(index) ?? null,
      isVirtual: !isPart && !AGGREGATE_NAMES.test(name) && (VIRTUAL_TYPES.has(type) || VIRTUAL_NAMES.test(name)),
      vids: [...(vids.get(index) ?? [])].sort((a, b) => a - b),
    };
  });
  const others = [...locals.values()].filter(({ card }) => card === null);
  const bare = { mac: null, speedMbps: null, lag: null, carrier: null, isVirtual: false, vids: [] };
  return [...ports, ...others.map(({ name, told: called }) => ({ name, called, ...bare }))];
}

const FASTEST_MBPS = 10_000_000;

function speedIn(tables: Tables, index: string): number | null {
  const high = numberOf(tables(C.ifHighSpeed).get(index)) ?? 0;
  const bits = numberOf(tables(C.ifSpeed).get(index)) ?? 0;
  const speed = high > 0 ? high : Math.floor(bits / 1e6);
  return speed > 0 && speed <= FASTEST_MBPS ? speed : null;
}

/** The VLANs of interfaces, by index. */
function vidsIn(tables: Tables, portOfBase: (port: number) => Card | undefined): ReadonlyMap<string, Set<number>> {
  const vids = new Map<string, Set<number>>();
  const add = (port: number, vid: number): void => {
    const index = portOfBase(port)?.index;
    if (index === undefined || !isVid(vid)) return;
    vids.set(index, (vids.get(index) ?? new Set<number>()).add(vid));
  };
  const current = tables(C.vlanEgress);
  for (const [index, row] of current.size > 0 ? current : tables(C.vlanStaticEgress))
    for (const port of placesIn(octetsIn(row))) add(port, Number(index.split(".").at(-1)));
  if (current.size + tables(C.vlanStaticEgress).size === 0)
    for (const [port, row] of tables(C.pvid)) add(Number(port), numberIn(row) ?? 0);
  return vids;
}

const CHASSIS = 3;

/** What the ENTITY MIB says of the chassis, or the first part. */
function partIn(tables: Tables): { vendor?: string | null; model?: string | null; serial?: string | null } {
  const classes = [...tables(C.partClass)];
  const index =
    classes.find(([, row]) => numberIn(row) === CHASSIS)?.[0] ??
    [...tables(C.partModel)].find(([, row]) => textIn(row) !== "")?.[0] ??
    "";
  const text = (column: string): string | null => clip(textOf(tables(column).get(index)), LONGEST);
  return { vendor: text(C.partMaker), model: text(C.partModel), serial: text(C.partSerial) };
}

function ownMacs(tables: Tables, cards: readonly Card[]): string[] {
  const chassis = [C.bridge, C.lldpChassis, C.lldp2Chassis].map((column) => macIn6(tables(column).get("0")));
  const ofCards = cards.filter(({ name }) => !VIRTUAL_NAMES.test(name) || /^(?:vl|irb|cpu)/i.test(name));
  const macs = [...chassis, ...ofCards.map(({ mac }) => mac)].flatMap((mac) => mac ?? []);
  return [...new Set(macs)].filter((mac) => cardOf(mac, "").mac !== null).slice(0, MOST_CARDS);
}

function ownAddresses(tables: Tables, byIndex: ReadonlyMap<string, Card>): SeenAddress[] {
  return [...tables(C.ownAddress)].flatMap(([index, row]) => {
    const ip = addressIn(index);
    if (ip === null || reasonAgainst(ip) !== null) return [];
    const mac = byIndex.get(String(numberIn(row) ?? ""))?.mac ?? null;
    return [{ ip, mac: cardOf(mac, ip).mac }];
  });
}

const LEARNED = 3;

/** At which interfaces which MAC addresses were learnt; null if the walk does not say. */
function tableIn(
  tables: Tables,
  portOfBase: (port: number) => Card | undefined,
): { port: number; mac: string }[] | null {
  const found = new Map<string, { port: number; mac: string }>();
  for (const [column, statuses] of [
    [C.qFdbPort, C.qFdbStatus],
    [C.fdbPort, C.fdbStatus],
  ] as const)
    for (const [index, row] of tables(column)) {
      const status = numberOf(tables(statuses).get(index)) ?? LEARNED;
      const mac = macAtEnd(index);
      const card = portOfBase(numberIn(row) ?? 0);
      if (status !== LEARNED || mac === null || card === undefined || cardOf(mac, "").mac === null) continue;
      found.set(`${mac} ${card.place}`, { port: card.place, mac });
    }
  return tables(C.basePort).size === 0 ? null : [...found.values()];
}

interface Where {
  readonly locals: ReadonlyMap<string, LocalPort>;
  readonly byIndex: ReadonlyMap<string, Card>;
  readonly skipped: Sightings["skipped"];
}

type Meet = (one: Introduced, at: Omit<WiredNeighbour, "machine" | "line">) => void;

function readLldp(tables: Tables, { locals, byIndex, skipped }: Where, meet: Meet): void {
  for (const { table, first, addresses, indexes, isByIndex } of REMOTE) {
    const rows = (name: keyof typeof REMOTE_COLUMNS): Rows => tables(`${table}.${first + REMOTE_COLUMNS[name]}`);
    const ips = managementAddresses(tables(addresses), indexes);
    for (const [index, chassis] of rows("chassis")) {
      const number = index.split(".")[1] ?? "";
      const place = isByIndex ? byIndex.get(number)?.place : locals.get(number)?.place;
      const name = textOf(rows("name").get(index));
      if (place === undefined) {
        skipped.add(chassis.line, `neighbour ${name}`.trim(), `the walk does not say which port ${number} is`);
        continue;
      }
      const type = numberOf(rows("chassisType").get(index));
      const portRow = rows("port").get(index);
      const portType = numberOf(rows("portType").get(index));
      const portMac = portType === 3 ? macIn6(portRow) : null;
      const ofChassis = type === 4 ? macOf(octetsIn(chassis)) : null;
      const ofAddress = type === 5 ? networkAddress(octetsIn(chassis)) : null;
      const description = textOf(rows("description").get(index));
      meet(
        {
          line: chassis.line,
          macs: [...new Set([ofChassis, portMac].flatMap((mac) => (mac === null ? [] : (cardOf(mac, "").mac ?? []))))],
          ips: [...new Set([...(ips.get(index) ?? []), ...(ofAddress === null ? [] : [ofAddress])])],
          name: name || (type === 7 ? textIn(chassis) : ""),
          description,
          abilities: abilitiesIn(rows("enabled").get(index)),
        },
        {
          by: "lldp",
          port: place,
          portNames: portNames(portType, portRow, textOf(rows("portDesc").get(index))),
          portMac,
        },
      );
    }
  }
}

/** What a neighbour calls its port, best first. */
function portNames(type: number | null, row: Walked | undefined, description: string): string[] {
  const id = type === 3 || row === undefined ? "" : textIn(row);
  const names = type === 7 && /^\d+$/.test(id) ? [description, id] : [id, description];
  return [...new Set(names.flatMap((name) => clip(name, LONGEST) ?? []))];
}

/** Addresses by the index of their neighbour: they follow it in their own index. */
function managementAddresses(rows: Rows, indexes: number): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const index of rows.keys()) {
    const parts = index.split(".");
    const [type, length, ...numbers] = parts.slice(indexes);
    const ip =
      type === "1" && length === "4" ? ipv4In(numbers) : type === "2" && length === "16" ? ipv6In(numbers) : null;
    if (ip !== null) putUnder(found, parts.slice(0, indexes).join("."), ip);
  }
  return found;
}

function ipv6In(numbers: readonly string[]): string | null {
  const hex = Buffer.from(numbers.map(Number)).toString("hex");
  return addressIn((hex.match(/.{4}/g) ?? []).join(":"));
}

function networkAddress(octets: Buffer): string | null {
  return octets.length === 5 && octets.readUInt8(0) === 1 ? ipv4In([...octets.subarray(1)].map(String)) : null;
}

const ABILITIES: readonly (readonly [bit: number, ability: Ability])[] = [
  [2, "bridge"],
  [3, "wlan"],
  [4, "router"],
  [5, "phone"],
];

/** Bits from the first of the first byte: other, repeater, bridge, access point, router, telephone. */
function abilitiesIn(row: Walked | undefined): ReadonlySet<Ability> {
  if (row === undefined) return new Set();
  const [first = 0] = octetsIn(row);
  return new Set(ABILITIES.flatMap(([bit, ability]) => ((first >> (7 - bit)) & 1 ? ability : [])));
}

function readCdp(tables: Tables, byIndex: ReadonlyMap<string, Card>, meet: Meet): void {
  for (const [index, row] of tables(C.cdpDevice)) {
    const card = byIndex.get(index.split(".", 1)[0] ?? "");
    if (card === undefined) continue;
    const device = textIn(row).replace(/\([^()]*\)$/, "");
    const mac = macIn(device);
    const address = tables(C.cdpAddress).get(index);
    const octets = address === undefined ? Buffer.alloc(0) : octetsIn(address);
    const ip = octets.length === 4 ? ipv4In([...octets].map(String)) : null;
    meet(
      {
        line: row.line,
        macs: mac === null ? [] : [mac],
        ips: ip === null ? [] : [ip],
        name: mac === null ? device : "",
        description: textOf(tables(C.cdpPlatform).get(index)),
        abilities: new Set(),
      },
      { by: "cdp", port: card.place, portNames: portNames(null, tables(C.cdpPort).get(index), ""), portMac: null },
    );
  }
}

/** Machines that the device knows by ARP. */
function addArp(tables: Tables, sightings: Sightings): void {
  const byMac = new Map<string, Set<string>>();
  const rows = [...tables(C.arp)].flatMap(([index, row]) => {
    const ip = addressIn(index.slice(index.indexOf(".") + 1));
    const mac = macOf(octetsIn(row));
    if (ip === null || mac === null) return [];
    byMac.set(mac, (byMac.get(mac) ?? new Set<string>()).add(ip));
    return [{ ip, mac, line: row.line }];
  });
  for (const { ip, mac, line } of rows) {
    const what = `neighbour ${ip}`;
    const count = byMac.get(mac)?.size ?? 0;
    const fault = reasonAgainst(ip) ?? (count > MOST_OF_A_CARD ? `${mac} responds for ${count} addresses` : null);
    if (fault !== null) sightings.skipped.add(line, what, fault);
    else {
      const { mac: card, vendor } = cardOf(mac, ip);
      sightings.add({ line, addresses: [{ ip, mac: card }], hostname: null, vendor, ports: [] }, what);
    }
  }
}
