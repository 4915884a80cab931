import { hostname, networkInterfaces } from "node:os";
import type { Surroundings } from "../terminal.js";
import { announcedBy, type Announcements, listenForDevices, listenForNames } from "./announcements.js";
import {
  addressesOf,
  blockIn,
  blocksOf,
  ipv6BlockIn,
  ipv6ListOf,
  isInside,
  listOf,
  MOST_ADDRESSES,
  ownAddressesAmong,
  ownIpv6Among,
  type OwnAddress,
} from "./blocks.js";
import { type Asking, findIpv6, type Ipv6Neighbour } from "./ipv6.js";
import type { ReportedFile } from "./files.rules.js";
import { heardByLldp } from "./lldp.js";
import { namesOf } from "./names.js";
import { findNeighbours, type Neighbours } from "./neighbours.js";
import { scanWithNmap } from "./nmap.js";
import { lookAtOwnMachine, type OwnMachine } from "./own.js";
import { createRate } from "./pace.js";
import { answeringAmong, type PortsOf, portsOf, USUAL_PORTS } from "./ports.js";
import { askProxmox } from "./proxmox.js";
import { type Found, reportOf } from "./report.rules.js";
import { createSenses, OWN_SENSES, type Sense, type SenseResult, type Senses } from "./senses.js";
import { answersOf, EXCHANGE_PACKETS } from "./services.js";
import { type SenseSettings, whyOff } from "./settings.js";
import { askBySnmp } from "./snmp.js";
import { askUnifi, type ToldMachine } from "./unifi.js";

// Looks around in a network, without privileges and never faster than told.

export interface DiscoverOptions {
  /** Blocks such as `192.168.1.0/24`; the links of this machine if there are none. */
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  readonly packetsPerSecond: number;
  readonly senses: ReadonlySet<Sense>;
  readonly settings: SenseSettings;
  /** Addresses that answered the last time, and are asked again if they do not; all of them if that is not known. */
  readonly expected?: ReadonlySet<string>;
  /** All senses together end by then; absent for no limit but their own. */
  readonly timeMs?: number;
}

export interface Discovered {
  /** Of the report for `POST /api/v1/imports/report`; none if nothing could be looked at. */
  readonly lines: readonly object[];
  /** For the next look; absent if that is not known. */
  readonly expected?: ReadonlySet<string>;
  readonly senses: readonly SenseResult[];
  /** Why nothing could be looked at, as a sentence. */
  readonly fault: string | null;
}

/** What is wrong with the options, as a sentence; null if nothing is. */
export function faultIn({
  blocks,
  excluded,
  packetsPerSecond,
}: Pick<DiscoverOptions, "blocks" | "excluded" | "packetsPerSecond">): string | null {
  const wrong = [...blocks, ...excluded].find((text) => blockIn(text) === null && ipv6BlockIn(text) === null);
  if (wrong !== undefined) return `${wrong} is not an address or block, such as 192.168.1.0/24.`;
  if (!(packetsPerSecond >= 1 && packetsPerSecond <= 10_000))
    return "The rate must be from 1 to 10000 packets a second.";
  return null;
}

/** What could not be done, as sentences with the names of senses. */
export function reasonsIn({ senses, fault }: Pick<Discovered, "senses" | "fault">): string[] {
  const failed = senses.filter(({ state, reason }) => state !== "off" && reason !== null);
  return [...(fault === null ? [] : [fault]), ...failed.map(({ name, reason }) => `${name}: ${reason ?? ""}`)];
}

type Looking = Pick<Surroundings, "run"> & {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
};

/** Milliseconds of a sense besides those that its packets take. */
const GRACE_MS = 60_000;
/** By multicast, and of other senses that are in front of them. */
const MOST_QUESTIONS = 1_000;
const PROGRAM_MS = 30_000;
const SYSTEM_MS = 300_000;
const NMAP_MS = 3_600_000;
const SNMP_MS = 600_000;
/** With more addresses that could not be asked, nothing counts as not found. */
const MOST_UNKNOWN = 500;

/** @param looking `onProgress` is called with what is being done @throws the reason of the signal when it aborts */
export async function discover(options: DiscoverOptions, looking: Looking): Promise<Discovered> {
  const startedAt = new Date();
  const interfaces = networkInterfaces();
  const own = ownAddressesAmong(interfaces);
  const { packetsPerSecond, timeMs = Infinity } = options;
  const untilMs = performance.now() + timeMs;
  const off = whyOff(options.settings);
  const wanted = new Set([...options.senses].filter((name) => !off.has(name)));
  const senses = createSenses(wanted, createRate(packetsPerSecond), { signal: looking.signal, untilMs });
  for (const [name, reason] of off) senses.leaveOut(name, reason);
  const targets = targetsOf(options, own);
  if (typeof targets === "string") return { lines: [], senses: senses.results(), fault: targets };
  const { blocks, excluded, addresses } = targets;
  const { run, onProgress } = looking;
  const about = await aboutOwnMachine(options, senses, run);
  const { machines, ports, macs, unknown, expected } = await findMachines(addresses, {
    ...{ options, own, senses },
    ...looking,
  });
  onProgress(`${machines.length} machines, names and services`);
  const ownFound = own.filter(({ ip }) => addresses.includes(ip));
  const [announced, names, answers, bySnmp, ipv6, told] = await Promise.all([
    listen(own, targets, { options, senses }),
    senses.use("names", budgetOf(options, addresses.length), ({ pace }) =>
      namesOf(
        [...ownFound, ...machines].map(({ ip }) => ip),
        pace,
      ),
    ),
    senses.use(
      "services",
      budgetOf(options, 2 * EXCHANGE_PACKETS * sumOf(machines, ({ open }) => open.length)),
      ({ pace }) => answersOf(machines, pace),
    ),
    senses.use("snmp", SNMP_MS, ({ pace }) =>
      askBySnmp(
        machines.map(({ ip }) => ip),
        options.settings.snmp,
        { pace, note: (reason) => senses.note("snmp", reason) },
      ),
    ),
    findIpv6Of(targets, { own, asking: ownIpv6Among(interfaces), macs, senses, run }),
    askSystems(options, senses),
  ]);
  const files = [...about.files, ...told.files, ...(await otherFiles(machines, { options, targets, senses, run }))];
  const found: Found[] = [
    ...ownFound.map(({ ip, mac }) => ({ ip, mac, open: [], silent: [], isOwn: true })),
    ...machines.map((machine) => ({ ...machine, mac: macs?.get(machine.ip) ?? null })),
  ];
  if (unknown.size > 0)
    senses.note(
      "neighbours",
      `${unknown.size} addresses could not be asked: the kernel's table of neighbours is full.`,
    );
  // Blocks in which every machine would have answered the question for its MAC address.
  const isCovering = macs !== null && unknown.size <= MOST_UNKNOWN;
  const covered = isCovering ? blocks.filter((block) => own.some((one) => isInside(block, one.block))) : [];
  const notAsked = isCovering ? [...unknown].filter((ip) => machines.every((one) => one.ip !== ip)) : [];
  const isAddress = new Set(addresses);
  const lines = reportOf({
    ...{ startedAt, blocks, covered, ports, found },
    excluded: [...excluded, ...targets.ipv6.excluded, ...notAsked],
    ...{ names: names ?? new Map(), answers: answers ?? new Map(), announced, bySnmp: bySnmp ?? new Map() },
    isTarget: (ip) => isAddress.has(ip),
    ownName: about.hostname,
    ownAddresses: about.addresses.filter(({ ip }) => !targets.isExcluded(ip)),
    ipv6: ipv6 ?? [],
    told: told.machines,
    files,
  });
  return { lines, ...(expected !== undefined && { expected }), senses: senses.results(), fault: null };
}

/** Twice the time that so many packets take. */
function budgetOf({ packetsPerSecond }: Pick<DiscoverOptions, "packetsPerSecond">, packets: number): number {
  return GRACE_MS + (2_000 * packets) / packetsPerSecond;
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

async function aboutOwnMachine(
  { senses: wanted, settings }: DiscoverOptions,
  senses: Senses,
  run: Surroundings["run"],
): Promise<OwnMachine> {
  const isAsked = [...OWN_SENSES].some((name) => wanted.has(name));
  return isAsked
    ? lookAtOwnMachine(senses, { run }, settings.leases)
    : { hostname: hostname(), addresses: [], files: [] };
}

interface Targets {
  /** Of IPv4. */
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  readonly addresses: readonly string[];
  readonly ipv6: { readonly blocks: readonly string[]; readonly excluded: readonly string[] };
  isExcluded(ip: string): boolean;
}

/** @returns a sentence if there is nothing to look at, or too much */
function targetsOf(options: DiscoverOptions, own: readonly OwnAddress[]): Targets | string {
  const inBlocks = (texts: readonly string[]): string[] => texts.flatMap((text) => blockIn(text) ?? []);
  const ipv6In = (texts: readonly string[]): string[] => texts.flatMap((text) => ipv6BlockIn(text) ?? []);
  const excluded = inBlocks(options.excluded);
  const ipv6 = { blocks: ipv6In(options.blocks), excluded: ipv6In(options.excluded) };
  const blocks = options.blocks.length === 0 ? blocksOf(own) : inBlocks(options.blocks);
  if (blocks.length + ipv6.blocks.length === 0)
    return "This machine has no link whose addresses could be looked at: name a block.";
  const addresses = addressesOf(blocks, excluded);
  if (addresses === null) return `At most ${MOST_ADDRESSES} addresses are looked at: name smaller blocks.`;
  const list = listOf(excluded);
  const isIpv6Excluded = ipv6ListOf(ipv6.excluded);
  const isExcluded = (ip: string): boolean => (ip.includes(":") ? isIpv6Excluded(ip) : list.check(ip));
  return { blocks, excluded, addresses, ipv6, isExcluded };
}

interface Finding extends Looking {
  readonly options: DiscoverOptions;
  readonly own: readonly OwnAddress[];
  readonly senses: Senses;
}

interface Machines {
  readonly machines: PortsOf[];
  readonly ports: readonly number[];
  /** Of those on the links of this machine; null if they are not known here. */
  readonly macs: ReadonlyMap<string, string> | null;
  /** Addresses on its links that could not be asked. */
  readonly unknown: ReadonlySet<string>;
  readonly expected: Discovered["expected"];
}

/** Machines with their ports, and MAC addresses of those on the links of this machine. */
async function findMachines(
  addresses: readonly string[],
  { options, own, senses, onProgress, run }: Finding,
): Promise<Machines> {
  const isOwn = new Set(own.map(({ ip }) => ip));
  const links = listOf(own.map(({ block }) => block));
  const others = addresses.filter((ip) => !isOwn.has(ip));
  onProgress(`asking ${others.length} addresses`);
  const neighboursAt = (near: readonly string[], expected: ReadonlySet<string>): Promise<Neighbours | null> =>
    senses.use("neighbours", budgetOf(options, 6 * near.length), (given) =>
      findNeighbours(near, expected, { run, ...given }),
    );
  const near = others.filter((ip) => links.check(ip));
  const asked = await neighboursAt(near, options.expected ?? new Set(near));
  const { macs = null, unknown = new Set<string>() } = asked ?? {};
  const far = macs === null ? others : others.filter((ip) => !links.check(ip) || unknown.has(ip));
  const answering = await senses.use("ports", budgetOf(options, 8 * far.length), ({ pace }) =>
    answeringAmong(far, pace),
  );
  const present = others.filter((ip) => macs?.has(ip) === true || answering?.has(ip) === true);
  const ports = senses.isWanted("ports") ? (options.settings.ports ?? USUAL_PORTS) : [];
  const tried =
    (await senses.use("ports", budgetOf(options, 2 * present.length * ports.length), ({ pace }) =>
      portsOf(present, ports, pace, (count) => {
        if (count % 100 === 0)
          onProgress(`${present.length} machines, ${count} of ${present.length * ports.length} ports`);
      }),
    )) ?? present.map((ip) => ({ ip, open: [], silent: [] }));
  // A machine that has just left is remembered for half a minute: whoever answered nothing is asked once more.
  const quiet = tried.filter(({ ip, silent }) => macs?.has(ip) === true && silent.length === ports.length);
  const doubtful = quiet.map(({ ip }) => ip);
  const still = quiet.length === 0 ? asked : await neighboursAt(doubtful, new Set(doubtful));
  const isGone = (ip: string): boolean => still !== null && !still.macs.has(ip) && !still.unknown.has(ip);
  const gone = new Set(quiet.filter(({ ip }) => isGone(ip)));
  const machines = tried.filter((machine) => !gone.has(machine));
  const expected = asked === null ? options.expected : nextExpected(options.expected, near, machines);
  return { machines, ports, macs, unknown, expected };
}

/** Those that answered now, and those that were not asked. */
function nextExpected(
  before: ReadonlySet<string> = new Set(),
  asked: readonly string[],
  machines: readonly PortsOf[],
): ReadonlySet<string> {
  const without = new Set(asked);
  const found = machines.flatMap(({ ip }) => (without.has(ip) ? [ip] : []));
  const others = [...before].filter((ip) => !without.has(ip));
  return new Set([...found, ...others].slice(0, MOST_ADDRESSES));
}

/** What machines on the links of the targets announce. */
async function listen(
  own: readonly OwnAddress[],
  { blocks, addresses }: Targets,
  { options, senses }: Pick<Finding, "options" | "senses">,
): Promise<Announcements> {
  const links = own.filter(({ block }) => blocks.some((one) => isInside(one, block) || isInside(block, one)));
  const mayLookAt = new Set(addresses);
  const devices: Announcements = new Map();
  const [names] = await Promise.all([
    senses.use("mdns", budgetOf(options, MOST_QUESTIONS), (asking) => listenForNames(links, asking)),
    senses.use("ssdp", budgetOf(options, MOST_QUESTIONS), (asking) =>
      listenForDevices(links, (ip) => mayLookAt.has(ip), devices, asking),
    ),
  ]);
  for (const [ip, { hostname: name, name: called, model, services }] of names ?? []) {
    const machine = announcedBy(devices, ip);
    machine.hostname ??= name;
    machine.name ??= called;
    machine.model ??= model;
    for (const [key, service] of services) machine.services.set(key, service);
  }
  return devices;
}

interface FindingIpv6 extends Pick<Looking, "run"> {
  readonly own: readonly OwnAddress[];
  readonly asking: readonly Asking[];
  readonly macs: Machines["macs"];
  readonly senses: Senses;
}

/** IPv6 addresses of machines that were found, and those in blocks that are named. Only the links of targets are asked. */
async function findIpv6Of(
  { blocks, ipv6, isExcluded }: Targets,
  { own, asking, macs, senses, run }: FindingIpv6,
): Promise<Ipv6Neighbour[] | null> {
  const isNamed = ipv6ListOf(ipv6.blocks);
  const links = new Set(
    own
      .filter(({ block }) => blocks.some((one) => isInside(one, block) || isInside(block, one)))
      .map(({ link }) => link),
  );
  const known = new Set([...(macs?.values() ?? [])].map((mac) => mac.toLowerCase()));
  const found = await senses.use("ipv6", GRACE_MS, (given) =>
    findIpv6(
      asking.filter(({ ip, link }) => links.has(link) || isNamed(ip)),
      { run, ...given },
    ),
  );
  return (found ?? []).filter(({ ip, mac }) => (isNamed(ip) || known.has(mac.toLowerCase())) && !isExcluded(ip));
}

/** Systems that know other machines. Each of them may be away. */
async function askSystems(
  { settings }: DiscoverOptions,
  senses: Senses,
): Promise<{ readonly files: readonly ReportedFile[]; readonly machines: readonly ToldMachine[] }> {
  const files: ReportedFile[] = [];
  const machines: ToldMachine[] = [];
  for (const system of settings.proxmox) {
    const note = (reason: string): void => senses.note("proxmox", reason);
    const file = await senses.use("proxmox", SYSTEM_MS, (given) => askProxmox(system, { ...given, note }));
    if (file !== null) files.push(file);
  }
  for (const system of settings.unifi)
    machines.push(...((await senses.use("unifi", SYSTEM_MS, (given) => askUnifi(system, given))) ?? []));
  return { files, machines };
}

/** What programs of this machine find out. `nmap` is alone then, because it keeps to the rate by itself. */
async function otherFiles(
  machines: readonly PortsOf[],
  {
    options: { settings, packetsPerSecond },
    targets,
    senses,
    run,
  }: Pick<Finding, "options" | "senses" | "run"> & { readonly targets: Targets },
): Promise<ReportedFile[]> {
  const heard = await senses.use("lldp", PROGRAM_MS, ({ signal }) => heardByLldp(run, signal));
  const { excluded } = targets;
  const addresses = machines.map(({ ip }) => ip);
  const scanned = await senses.use("nmap", NMAP_MS, ({ signal }) =>
    settings.nmap === undefined
      ? Promise.resolve(null)
      : scanWithNmap({ ...settings.nmap, addresses, excluded, packetsPerSecond }, run, signal),
  );
  return [heard, scanned].filter((file) => file !== null);
}
