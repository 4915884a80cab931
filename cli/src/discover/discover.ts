import { hostname, networkInterfaces } from "node:os";
import type { Surroundings } from "../terminal.js";
import { announcedBy, type Announcements, listenForDevices, listenForNames } from "./announcements.js";
import {
  addressesOf,
  blockIn,
  blocksOf,
  isInside,
  listOf,
  MOST_ADDRESSES,
  ownAddressesAmong,
  type OwnAddress,
} from "./blocks.js";
import { namesOf } from "./names.js";
import { findNeighbours } from "./neighbours.js";
import { createPace, type Pace } from "./pace.js";
import { answeringAmong, type PortsOf, portsOf, USUAL_PORTS } from "./ports.js";
import { type Found, reportOf } from "./report.rules.js";
import { answersOf } from "./services.js";
import { askBySnmp } from "./snmp.js";
import { readSnmpCredentials } from "./snmp-credentials.js";

// Looks around in a network, without privileges and never faster than told.

export interface DiscoverOptions {
  /** Blocks such as `192.168.1.0/24`; the links of this machine if there are none. */
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  readonly ports: readonly number[] | null;
  readonly packetsPerSecond: number;
  /** A file with credentials for SNMP; without one, nobody is lists. */
  readonly snmp: string | null;
}

export interface Discovered {
  /** For `POST /api/v1/imports/report`. */
  readonly report: string;
  /** What could not be done, as sentences. */
  readonly unread: readonly string[];
}

/** What is wrong with the options, as a sentence; null if nothing is. */
export function faultIn({ blocks, excluded, packetsPerSecond }: DiscoverOptions): string | null {
  const wrong = [...blocks, ...excluded].find((text) => blockIn(text) === null);
  if (wrong !== undefined) return `${wrong} is not an IPv4 address or block, such as 192.168.1.0/24.`;
  if (!(packetsPerSecond >= 1 && packetsPerSecond <= 10_000))
    return "The rate must be from 1 to 10000 packets a second.";
  return null;
}

type Looking = Pick<Surroundings, "run"> & {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
};

/** @param looking `onProgress` is called with what is being done @throws the reason of the signal when it aborts */
export async function discover(options: DiscoverOptions, looking: Looking): Promise<Discovered> {
  const startedAt = new Date();
  const own = ownAddressesAmong(networkInterfaces());
  const targets = targetsOf(options, own);
  if (typeof targets === "string") return { report: "", unread: [targets] };
  const { blocks, excluded, addresses } = targets;
  const pace = createPace(options.packetsPerSecond, looking.signal);
  const { machines, ports, macs } = await findMachines(addresses, { options, own, pace, ...looking });
  looking.onProgress(`${machines.length} machines, names and services`);
  const ownFound = own.filter(({ ip }) => addresses.includes(ip));
  const credentials = options.snmp === null ? [] : await readSnmpCredentials(options.snmp);
  const isRefused = typeof credentials === "string";
  const [names, answers, announced, bySnmp] = await Promise.all([
    namesOf([...ownFound, ...machines].map(({ ip }) => ip)),
    answersOf(machines, pace),
    listen(own, targets, looking.signal),
    askBySnmp(
      machines.map(({ ip }) => ip),
      isRefused ? [] : credentials,
      pace,
    ),
  ]);
  const found: Found[] = [
    ...ownFound.map(({ ip, mac }) => ({ ip, mac, open: [], silent: [], isOwn: true })),
    ...machines.map((machine) => ({ ...machine, mac: macs?.get(machine.ip) ?? null })),
  ];
  // Blocks in which every machine would have answered the question for its MAC address.
  const covered = macs === null ? [] : blocks.filter((block) => own.some((one) => isInside(block, one.block)));
  const wanted = new Set(addresses);
  const isTarget = (ip: string): boolean => wanted.has(ip);
  const seen = { startedAt, blocks, excluded, covered, ports, found, names, answers, announced, bySnmp, isTarget };
  const missing = "Neighbours are not known: the program ip is missing. Machines are looked for by their ports.";
  const unread = [...(macs === null ? [missing] : []), ...(isRefused ? [`SNMP: ${credentials}`] : [])];
  return { report: reportOf({ ...seen, ownName: hostname() }), unread };
}

interface Targets {
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  readonly addresses: readonly string[];
}

/** @returns a sentence if there is nothing to look at, or too much */
function targetsOf(options: DiscoverOptions, own: readonly OwnAddress[]): Targets | string {
  const inBlocks = (texts: readonly string[]): string[] => texts.flatMap((text) => blockIn(text) ?? []);
  const excluded = inBlocks(options.excluded);
  const blocks = options.blocks.length === 0 ? blocksOf(own) : inBlocks(options.blocks);
  if (blocks.length === 0) return "This machine has no link whose addresses could be looked at: name a block.";
  const addresses = addressesOf(blocks, excluded);
  return addresses === null
    ? `At most ${MOST_ADDRESSES} addresses are looked at: name smaller blocks.`
    : { blocks, excluded, addresses };
}

interface Finding extends Looking {
  readonly options: DiscoverOptions;
  readonly own: readonly OwnAddress[];
  readonly pace: Pace;
}

/** @returns machines with their ports, and MAC addresses of those on the links of this machine, null if they are not known here */
async function findMachines(
  addresses: readonly string[],
  { options, own, pace, onProgress, ...looking }: Finding,
): Promise<{ machines: PortsOf[]; ports: readonly number[]; macs: ReadonlyMap<string, string> | null }> {
  const isOwn = new Set(own.map(({ ip }) => ip));
  const links = listOf(own.map(({ block }) => block));
  const others = addresses.filter((ip) => !isOwn.has(ip));
  onProgress(`asking ${others.length} addresses`);
  const macs = await findNeighbours(
    others.filter((ip) => links.check(ip)),
    { pace, ...looking },
  );
  const far = macs === null ? others : others.filter((ip) => !links.check(ip));
  const answering = await answeringAmong(far, pace);
  const present = others.filter((ip) => macs?.has(ip) === true || answering.has(ip));
  const ports = options.ports ?? USUAL_PORTS;
  const tried = await portsOf(present, ports, pace, (count) => {
    if (count % 100 === 0) onProgress(`${present.length} machines, ${count} of ${present.length * ports.length} ports`);
  });
  // A machine that has just left is remembered for half a minute: whoever answered nothing is lists once more.
  const quiet = tried.filter(({ ip, silent }) => macs?.has(ip) === true && silent.length === ports.length);
  const still = await findNeighbours(
    quiet.map(({ ip }) => ip),
    { pace, ...looking },
  );
  const gone = new Set(quiet.filter(({ ip }) => still?.has(ip) !== true));
  return { machines: tried.filter((machine) => !gone.has(machine)), ports, macs };
}

/** What machines on the links of the targets announce. */
async function listen(
  own: readonly OwnAddress[],
  { blocks, addresses }: Targets,
  signal: AbortSignal,
): Promise<Announcements> {
  const links = own.filter(({ block }) => blocks.some((one) => isInside(one, block) || isInside(block, one)));
  const mayLookAt = new Set(addresses);
  const devices: Announcements = new Map();
  const [names] = await Promise.all([
    listenForNames(links, signal),
    listenForDevices(links, (ip) => mayLookAt.has(ip), devices, signal),
  ]);
  for (const [ip, { hostname: name, name: called, model, services }] of names) {
    const machine = announcedBy(devices, ip);
    machine.hostname ??= name;
    machine.name ??= called;
    machine.model ??= model;
    for (const [key, service] of services) machine.services.set(key, service);
  }
  return devices;
}
