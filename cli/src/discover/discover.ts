import { hostname, networkInterfaces } from "node:os";
import type { Surroundings } from "../terminal.js";
import { announcedBy, type Announcements, listenForDevices, listenForNames } from "./announcements.js";
import {
  addressesOf,
  blockIn,
  blocksOf,
  listOf,
  MOST_ADDRESSES,
  ownAddressesAmong,
  type OwnAddress,
} from "./blocks.rules.js";
import { namesOf } from "./names.js";
import { findNeighbours } from "./neighbours.js";
import { createPace } from "./pace.js";
import { answeringAmong, type PortsOf, portsOf, USUAL_PORTS } from "./ports.js";
import { type Found, reportOf } from "./report.rules.js";
import { answersOf } from "./services.js";

// Looks around in a network, without privileges and never faster than told.

export interface DiscoverOptions {
  /** Blocks such as `192.168.1.0/24`; the links of this machine if there are none. */
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  readonly ports: readonly number[] | null;
  readonly packetsPerSecond: number;
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

/** @param onProgress called with what is being done @throws the reason of the signal when it aborts */
export async function discover(
  options: DiscoverOptions,
  {
    run,
    signal,
    onProgress,
  }: Pick<Surroundings, "run"> & {
    readonly signal: AbortSignal;
    readonly onProgress: (text: string) => void;
  },
): Promise<Discovered> {
  const startedAt = new Date();
  const unread: string[] = [];
  const all = ownAddressesAmong(networkInterfaces());
  const excluded = options.excluded.flatMap((text) => blockIn(text) ?? []);
  const blocks = options.blocks.length === 0 ? blocksOf(all) : options.blocks.flatMap((text) => blockIn(text) ?? []);
  if (blocks.length === 0)
    return { report: "", unread: ["This machine has no link whose addresses could be looked at: name a block."] };
  const targets = addressesOf(blocks, excluded);
  if (targets === null)
    return { report: "", unread: [`At most ${MOST_ADDRESSES} addresses are looked at: name smaller blocks.`] };
  const pace = createPace(options.packetsPerSecond, signal);
  const wanted = new Set(targets);
  const own = all.filter(({ ip }) => wanted.has(ip));
  const isOwn = new Set(own.map(({ ip }) => ip));
  const links = listOf(all.map(({ block }) => block));
  const others = targets.filter((ip) => !isOwn.has(ip));
  const near = others.filter((ip) => links.check(ip));

  onProgress(`asking ${others.length} addresses`);
  const macs = await findNeighbours(near, { run, pace, signal });
  if (macs === null)
    unread.push("Neighbours are not known: the program ip is missing. Machines are looked for by their ports.");
  const far = macs === null ? others : others.filter((ip) => !links.check(ip));
  const answering = await answeringAmong(far, pace);
  const present = targets.filter((ip) => macs?.has(ip) === true || answering.has(ip));
  const ports = options.ports ?? USUAL_PORTS;
  const tried = await portsOf(present, ports, pace, (count) => {
    if (count % 100 === 0) onProgress(`${present.length} machines, ${count} of ${present.length * ports.length} ports`);
  });
  onProgress(`${present.length} machines, names and services`);
  const listening = all.filter(({ block }) => blocks.some((one) => listOf([one]).check(block.split("/", 1)[0] ?? "")));
  const announced: Announcements = new Map();
  const [names, answers, byName] = await Promise.all([
    namesOf([...present, ...isOwn]),
    answersOf(tried, pace),
    listenForNames(listening, signal),
    listenForDevices(listening, (ip) => wanted.has(ip), announced, signal),
  ]);
  for (const [ip, one] of byName) {
    const { name, model } = one;
    const machine = announcedBy(announced, ip);
    machine.hostname ??= one.hostname;
    machine.name ??= name;
    machine.model ??= model;
    for (const [key, service] of one.services) machine.services.set(key, service);
  }
  const found: Found[] = [
    ...ownMachine(own),
    ...tried.map((machine) => ({ ...machine, mac: macs?.get(machine.ip) ?? null })),
  ];
  const covered = macs === null ? [] : blocks.filter((block) => isOnLink(block, all));
  return {
    report: reportOf({
      startedAt,
      blocks,
      excluded,
      covered,
      ports,
      found,
      names,
      answers,
      announced,
      ownName: hostname(),
    }),
    unread,
  };
}

function ownMachine(own: readonly OwnAddress[]): (PortsOf & { readonly mac: string | null; readonly isOwn: true })[] {
  return own.map(({ ip, mac }) => ({ ip, mac, open: [], silent: [], isOwn: true }));
}

/** Whether every machine of a block would have answered the question for its MAC address. */
function isOnLink(block: string, own: readonly OwnAddress[]): boolean {
  const [first = "", prefix = ""] = block.split("/");
  return own.some((one) => listOf([one.block]).check(first) && Number(prefix) >= Number(one.block.split("/")[1]));
}
