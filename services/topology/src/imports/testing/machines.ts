/** Machines whose identities are known, and what sources see of them, for the tests of recognition. */
import fc from "fast-check";
import type { FileGiven } from "../session.js";

export interface Card {
  mac: string;
  /** At present; null if it is not connected. */
  ip: string | null;
}

export interface Machine {
  readonly id: string;
  readonly kind: Kind;
  name: string | null;
  readonly cards: Card[];
  readonly serial: string | null;
  readonly machineId: string | null;
  readonly duid: string | null;
}

type Kind = (typeof KINDS)[number];
const KINDS = ["server", "laptop", "phone", "copy", "pi", "printer", "container"] as const;

/** How a source sees machines. */
type Source = (typeof SOURCES)[number];
const SOURCES = ["arp", "scan", "leases", "leases6", "facts", "assets"] as const;

/** What a source sees at a moment: every machine of which the number is set. */
export interface Look {
  readonly source: Source;
  readonly mask: number;
}

export interface Day {
  readonly events: readonly (readonly [what: Event, machine: number, by: number])[];
  readonly looks: readonly Look[];
}

type Event = (typeof EVENTS)[number];
const EVENTS = ["renumber", "swap", "rename", "reconnect", "new mac", "replace"] as const;

export interface World {
  readonly machines: Machine[];
  readonly days: readonly Day[];
  /** Which machine sources have last seen at an address, and whether its host there has its serial number. */
  readonly lastAt: Map<string, { readonly machine: Machine; readonly isMarked: boolean }>;
  /** Network cards that were seen together with a serial number. */
  readonly marked: Set<string>;
  /** And at which without its network card. */
  readonly cardlessAt: Map<string, Machine>;
  /** What each machine has shown so far. */
  readonly shown: Map<Machine, Set<string>>;
}

/** A file, and the truth about it. */
export interface Observation {
  readonly file: string;
  readonly given: Partial<FileGiven>;
  readonly ownerOf: ReadonlyMap<string, Machine>;
  /** What each sighting shows by which its machine must be recognized, by address. */
  readonly shownAt: ReadonlyMap<string, readonly string[]>;
}

const PLACEHOLDERS = ["To Be Filled By O.E.M.", "Default string", "0", "System Serial Number", "123456789"];
const IMAGE = "5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f";
const IMAGE_DUID = "00:02:00:00:ab:11:5f:0c:2d:7a:9b:1e:4c:3d";

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, "0");
const macOf = (prefix: string, n: number): string =>
  `${prefix}:${hex(n >> 16, 2)}:${hex((n >> 8) & 255, 2)}:${hex(n & 255, 2)}`.toUpperCase();
/** Digits that look random. */
const digest = (n: number): string => hex(Math.imul(n + 1, 2_654_435_761) >>> 0, 8);
const idOf = (n: number): string => [n, n + 1_000, n + 2_000, n + 3_000].map(digest).join("");

const aDay: fc.Arbitrary<Day> = fc.record({
  events: fc.array(fc.tuple(fc.constantFrom(...EVENTS), fc.nat(15), fc.nat(15)), { maxLength: 4 }),
  looks: fc.array(fc.record({ source: fc.constantFrom(...SOURCES), mask: fc.nat(65_535) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

/** Made anew for each use, because it changes. */
export const aWorld: fc.Arbitrary<() => World> = fc
  .tuple(
    fc.array(fc.constantFrom(...KINDS), { minLength: 2, maxLength: 8 }),
    fc.array(aDay, { minLength: 1, maxLength: 6 }),
  )
  .map(([kinds, days]) => () => ({
    ...{ machines: kinds.map(newMachine), days },
    ...{ lastAt: new Map(), marked: new Set(), cardlessAt: new Map(), shown: new Map() },
  }));

let made = 0;

function newMachine(kind: Kind, at: number): Machine {
  const n = ++made;
  const card = (prefix: string, more = 0): Card => ({ mac: macOf(prefix, n * 8 + more), ip: addressOf(at * 4 + more) });
  const own = { id: `${kind} ${n}`, kind, name: `${kind}-${n}`, serial: null, machineId: null, duid: null };
  const serial = `SN${digest(n)}X`;
  switch (kind) {
    case "server":
      return {
        ...own,
        cards: [card("7C:2F:80"), card("7C:2F:80", 1), card("7C:2F:80", 2)],
        serial,
        machineId: idOf(n),
      };
    case "laptop": {
      const cards = [card("7C:2F:80"), { ...card("3C:22:FB", 1), ip: null }];
      return { ...own, cards, serial, machineId: idOf(n), duid: `00:04:${pairs(idOf(n + 500))}` };
    }
    case "phone":
      return { ...own, cards: [card("5A:11:22")], name: n % 2 === 0 ? "iphone" : own.name };
    case "copy": {
      const name = n % 2 === 0 ? "ubuntu" : n % 3 === 0 ? "worker" : own.name;
      const placeholder = PLACEHOLDERS[n % PLACEHOLDERS.length] ?? "";
      return { ...own, cards: [card("52:54:00")], name, machineId: IMAGE, duid: IMAGE_DUID, serial: placeholder };
    }
    case "pi":
      return { ...own, cards: [card("B8:27:EB")], name: "raspberrypi", machineId: IMAGE, duid: IMAGE_DUID };
    case "printer":
      return { ...own, cards: [card("00:1B:A9")], serial };
    case "container":
      return { ...own, cards: [card("6E:00:00")], name: null };
  }
}

function pairs(digits: string): string {
  return (digits.match(/../g) ?? []).join(":");
}

function addressOf(n: number): string {
  return `10.0.0.${10 + n}`;
}

/** Lets a day pass. */
export function passed(world: World, { events }: Day): void {
  const { machines } = world;
  for (const [what, at, by] of events) {
    const machine = machines[at % machines.length];
    const other = machines[by % machines.length];
    if (machine === undefined || other === undefined) continue;
    happen(world, what, { machine, other, by });
  }
}

function happen(
  world: World,
  what: Event,
  { machine, other, by }: { machine: Machine; other: Machine; by: number },
): void {
  const { machines } = world;
  const taken = new Set(machines.flatMap(({ cards }) => cards.flatMap(({ ip }) => ip ?? [])));
  const free = (): string =>
    Array.from({ length: 200 }, (_, n) => addressOf(n + by)).find((ip) => !taken.has(ip)) ?? "";
  const [first, second] = machine.cards;
  const [theirs] = other.cards;
  switch (what) {
    case "renumber":
      if (first !== undefined && first.ip !== null) first.ip = free();
      return;
    case "swap":
      if (first !== undefined && theirs !== undefined && first.ip !== null && theirs.ip !== null)
        [first.ip, theirs.ip] = [theirs.ip, first.ip];
      return;
    case "rename":
      if (machine.kind === "server" || machine.kind === "printer") machine.name = `renamed-${++made}`;
      return;
    case "reconnect":
      // From cable to Wi-Fi and back.
      if (machine.kind === "laptop" && first !== undefined && second !== undefined) {
        const ip = free();
        [first.ip, second.ip] = first.ip === null ? [ip, null] : [null, ip];
      }
      return;
    case "new mac":
      if (first !== undefined && (machine.kind === "phone" || machine.kind === "container")) {
        first.mac = macOf(machine.kind === "phone" ? "5A:33:44" : "6E:55:66", ++made);
        first.ip = free();
      }
      return;
    case "replace":
      // New hardware with the old name and address.
      if (machine.kind !== "printer" || first === undefined) return;
      machines[machines.indexOf(machine)] = replacementOf(machine, first.ip);
  }
}

function replacementOf({ name }: Machine, ip: string | null): Machine {
  const next = newMachine("printer", 0);
  next.name = name;
  for (const card of next.cards) card.ip = ip;
  return next;
}

/** What a source writes. */
export function observed(world: World, { source, mask }: Look): Observation {
  const { machines, lastAt, marked, cardlessAt, shown: before } = world;
  const seen = machines.filter((machine, at) => ((mask >> at) & 1) === 1 && isSeenBy(machine, source));
  const ownerOf = new Map<string, Machine>();
  const shownAt = new Map<string, string[]>();
  const rows: string[] = [];
  const facts: object[] = [];
  const seenAt: World["lastAt"] = new Map();
  for (const machine of seen) {
    const { name, serial, duid } = machine;
    const own: string[] = [];
    const showsSerial = (source === "facts" || source === "assets") && isTelling(machine) && serial !== null;
    if (showsSerial) own.push(serial);
    if (source.startsWith("leases") && machine.kind === "laptop" && duid !== null) own.push(duid);
    const all: string[] = [];
    const isWhole = source === "facts";
    for (const [at, { ip, mac }] of machine.cards.entries()) {
      // Neighbours and leases see any of the cards.
      const isShown = isWhole || source === "assets" ? ip !== null : ip !== null && ((mask >> (at + 3)) & 1) === 0;
      if (ip === null || !isShown) continue;
      const address = source === "leases6" ? sixOf(machine) : ip;
      // Where another machine was, nobody can tell a machine without its card, unless both show serial numbers.
      const last = lastAt.get(address) ?? null;
      const isAlone = last === null || last.machine === machine || (showsSerial && last.isMarked);
      const isWithCard = source !== "leases6" && (source !== "assets" || !isAlone || ((mask >> 9) & 1) === 1);
      // Nor can anybody tell whether the one that was there without its card is gone, unless this one is known.
      const isKnown = showsSerial || (isWithCard && before.get(machine)?.has(mac) === true);
      if (!isKnown && (cardlessAt.get(address) ?? machine) !== machine) continue;
      if (isWithCard) cardlessAt.delete(address);
      else cardlessAt.set(address, machine);
      if (isWithCard && showsSerial) marked.add(mac);
      seenAt.set(address, { machine, isMarked: showsSerial || (isWithCard && marked.has(mac)) });
      ownerOf.set(address, machine);
      const shown = [...own, ...(isWithCard ? [mac] : []), ...(source === "assets" && !isWithCard ? [address] : [])];
      if (isWhole) all.push(...shown);
      shownAt.set(address, isWhole ? all : shown);
      if (source === "arp") rows.push(`${ip} dev eth0 lladdr ${mac.toLowerCase()} REACHABLE`);
      if (source === "scan") rows.push(nmapHost(ip, mac, name));
      if (source === "leases")
        rows.push(
          `4102444800 ${mac.toLowerCase()} ${ip} ${name ?? "*"} ${duid === null ? "*" : `ff:00:00:00:0${at}:${duid}`}`,
        );
      if (source === "leases6") rows.push(`4102444800 77${at} ${address} ${name ?? "*"} ${duid ?? "*"}`);
      if (source === "assets") rows.push([name, ip, isWithCard ? mac : "", serial].join(","));
    }
    if (all.length > 0) facts.push(factsOf(machine));
  }
  for (const [ip, one] of seenAt) lastAt.set(ip, one);
  return { file: fileOf(source, rows, facts), given: { format: FORMATS[source] }, ownerOf, shownAt };
}

const FORMATS: Readonly<Record<Source, FileGiven["format"]>> = {
  arp: "ip-neigh",
  scan: "nmap",
  leases: "dhcp-leases",
  leases6: "dhcp-leases",
  facts: "ansible-facts",
  assets: "csv",
};

function isSeenBy({ kind, cards }: Machine, source: Source): boolean {
  if (cards.every(({ ip }) => ip === null)) return false;
  if (source === "facts") return kind === "server" || kind === "laptop" || kind === "copy" || kind === "pi";
  if (source === "assets") return kind === "server" || kind === "laptop" || kind === "printer";
  return source !== "leases6" || kind === "laptop";
}

function isTelling({ kind }: Machine): boolean {
  return kind !== "copy";
}

/** Of a client of IPv6, which keeps it for its DUID. */
function sixOf({ id }: Machine): string {
  const n = Number(id.replace(/\D/g, ""));
  return `2001:db8::1:${(n >> 16) + 1}:${hex(n & 65_535, 1)}`;
}

function nmapHost(ip: string, mac: string, name: string | null): string {
  const named = name === null ? "" : `<hostnames><hostname name="${name}"/></hostnames>`;
  return `<host><address addr="${ip}" addrtype="ipv4"/><address addr="${mac}" addrtype="mac"/>${named}</host>`;
}

function factsOf({ name, cards, serial, machineId }: Machine): object {
  const links = cards.map(({ ip, mac }, at) => {
    const link = { device: `eth${at}`, macaddress: mac.toLowerCase(), ...(ip !== null && { ipv4: { address: ip } }) };
    return [`ansible_eth${at}`, link] as const;
  });
  const interfaces = links.map(([, { device }]) => device);
  const own = { ansible_hostname: name, ansible_machine_id: machineId, ansible_product_serial: serial };
  return { ansible_facts: { ansible_interfaces: interfaces, ...own, ...Object.fromEntries<object>(links) } };
}

function fileOf(source: Source, rows: readonly string[], facts: readonly object[]): string {
  if (source === "scan") return `<nmaprun>${rows.join("")}</nmaprun>`;
  if (source === "facts") return facts.map((one) => JSON.stringify(one)).join("\n");
  if (source === "assets") return ["Name,IP Address,MAC Address,Serial Number", ...rows, ""].join("\n");
  return `${rows.join("\n")}\n`;
}
