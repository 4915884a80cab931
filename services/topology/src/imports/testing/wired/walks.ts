import { type Cable, type End, type Machine, protocolOf, type WiredNetwork } from "./network.js";
import type { Random } from "./random.js";

// What is told of a network: walks of its devices and what lldpd of some machines has heard, of which a part is missing or out of
// date; and what can be derived from that.

export interface ToldFile {
  readonly format: "snmp-walk" | "lldp";
  readonly name: string;
  readonly text: string;
}

export interface Told {
  readonly files: readonly ToldFile[];
  /** Cables that somebody tells of, and nobody contradicts. */
  readonly derivable: ReadonlySet<Cable>;
}

const NOISE = 0.2;
/** Machines that have moved while a table still has them where they were. */
const STALE = 0.04;
const MUTE_ENTRIES = 0.05;

interface Noise {
  /** Whom a machine no longer hears, and whom it has not learnt, as `machine machine`. */
  readonly unheard: ReadonlySet<string>;
  readonly unlearnt: ReadonlySet<string>;
  /** Out of date: of a switch, at which port it still has whom. */
  readonly stale: readonly { readonly at: Machine; readonly port: string; readonly machine: Machine }[];
}

const key = (one: Machine, other: Machine, port = ""): string => `${one.name} ${other.name} ${port}`.trim();

export function toldOf(network: WiredNetwork, random: Random): Told {
  const noise = noiseIn(network, random);
  const walked = network.machines.filter(({ isWalked }) => isWalked);
  const files = walked.map((machine): ToldFile => ({
    format: "snmp-walk",
    name: machine.name,
    text: walkOf(machine, network, { noise, random }),
  }));
  const withLldpd = network.machines.filter(
    ({ kind, speech }) => ["host", "hypervisor"].includes(kind) && speech === "lldp" && random.chance(0.5),
  );
  const heard = withLldpd.flatMap((machine): ToldFile[] => {
    const text = lldpctlOf(machine, network);
    return text === null ? [] : [{ format: "lldp", name: machine.name, text }];
  });
  const all = new Set(heard.map(({ name }) => name));
  const derivable = new Set(network.cables.filter((cable) => isDerivable(cable, network, { noise, withLldpd: all })));
  return { files: [...files, ...heard], derivable };
}

function noiseIn({ machines, cables }: WiredNetwork, random: Random): Noise {
  const unheard = new Set<string>();
  const unlearnt = new Set<string>();
  const behind = new Set(cables.filter(({ isInside }) => isInside === true).map(({ ends }) => ends[0].machine));
  for (const { ends } of cables)
    for (const [here, there] of [ends, [...ends].reverse()] as [End, End][]) {
      // A device that nobody hears, with others behind it, looks like an unmanaged switch.
      const mustBeHeard = !there.machine.isWalked && (there.machine.kind === "switch" || behind.has(there.machine));
      if (!mustBeHeard && random.chance(NOISE)) unheard.add(key(here.machine, there.machine, here.port ?? ""));
    }
  const atUnmanaged = new Set(
    cables.filter(({ ends }) => ends[0].machine.kind === "unmanaged").map(({ ends }) => ends[1].machine),
  );
  for (const device of machines)
    for (const other of machines) {
      const isDevice = other.kind === "switch" || other.kind === "router";
      if (device.kind === "switch" && !atUnmanaged.has(other) && random.chance(isDevice ? MUTE_ENTRIES : NOISE / 2))
        unlearnt.add(key(device, other));
    }
  const switches = machines.filter(({ kind, isWalked }) => kind === "switch" && isWalked);
  const above = (machine: Machine): Machine | undefined =>
    cables.find(({ ends }) => ends[1].machine === machine)?.ends[0].machine;
  const stale = machines
    .filter(({ kind }) => kind === "host")
    .filter(() => random.chance(STALE))
    .flatMap((machine) => {
      const at = random.pick(switches);
      const next = above(machine);
      const home = next?.kind === "unmanaged" ? above(next) : next;
      // A cable that is pulled is forgotten at once, and what has moved was learnt since where it is now.
      if (home === undefined || home === at || !home.isWalked || home.kind !== "switch") return [];
      unlearnt.delete(key(home, machine));
      return [{ at, machine, port: random.pick(at.ports) }];
    });
  return { unheard, unlearnt, stale };
}

/** The cable by which a machine reaches each other one. */
function directionsFrom(from: Machine, { cables }: WiredNetwork): ReadonlyMap<Machine, End> {
  const found = new Map<Machine, End>();
  const queue: (readonly [machine: Machine, through: End | null])[] = [[from, null]];
  const both = cables.flatMap(({ ends }) => [ends, [...ends].reverse()] as [End, End][]);
  for (const [machine, through] of queue)
    for (const [here, there] of both) {
      if (here.machine !== machine || there.machine === from || found.has(there.machine)) continue;
      found.set(there.machine, through ?? here);
      queue.push([there.machine, through ?? here]);
    }
  return found;
}

const hex = (mac: string): string => `Hex-STRING: ${mac.replaceAll(":", " ")} `;
const numbers = (mac: string): string =>
  mac
    .split(":")
    .map((byte) => parseInt(byte, 16))
    .join(".");

/** The MAC address of a port. */
function portMac(machine: Machine, port: string): string {
  const place = machine.ports.indexOf(port);
  return place === -1
    ? machine.mac
    : `00:1C:73:${machine.mac.slice(12)}:${(place + 1).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Some say the MAC address of a port instead of that of the bridge. */
function chassisOf(machine: Machine): string {
  const [, , third] = machine.ports;
  return machine.name.endsWith("3") && third !== undefined ? portMac(machine, third) : machine.mac;
}

interface Writing {
  readonly noise: Noise;
  readonly random: Random;
}

function walkOf(machine: Machine, network: WiredNetwork, { noise, random }: Writing): string {
  const lines: string[] = [];
  const say = (oid: string, value: string): void => void lines.push(`.${oid} = ${value}`);
  const own = network.cables.flatMap(({ ends }) => ends.filter((end) => end.machine === machine));
  const lags = [...new Set(own.flatMap(({ lag }) => lag ?? []))];
  const indexOf = new Map([
    ...machine.ports.map((port, place) => [port, place + 1] as const),
    ...lags.map((lag, place) => [lag, 1_000 + place] as const),
  ]);
  say("1.3.6.1.2.1.1.1.0", `STRING: "A ${machine.kind}, version 1"`);
  say("1.3.6.1.2.1.1.5.0", `STRING: "${machine.name}"`);
  for (const [port, index] of indexOf) {
    const isLag = lags.includes(port);
    say(`1.3.6.1.2.1.2.2.1.2.${index}`, `STRING: "${port.replace("Gi", "GigabitEthernet")}"`);
    say(`1.3.6.1.2.1.2.2.1.3.${index}`, `INTEGER: ${isLag ? 161 : 6}`);
    say(`1.3.6.1.2.1.2.2.1.6.${index}`, hex(isLag ? machine.mac : portMac(machine, port)));
    say(`1.3.6.1.2.1.31.1.1.1.1.${index}`, `STRING: "${port}"`);
    say(`1.3.6.1.2.1.31.1.1.1.15.${index}`, "Gauge32: 1000");
  }
  say("1.3.6.1.2.1.2.2.1.2.2000", 'STRING: "Vlan1"');
  say("1.3.6.1.2.1.2.2.1.3.2000", "INTEGER: 136");
  say("1.3.6.1.2.1.2.2.1.6.2000", hex(machine.mac));
  say(`1.3.6.1.2.1.4.20.1.2.${machine.ip}`, "INTEGER: 2000");
  for (const { port, lag } of own)
    if (port !== null && lag !== undefined)
      say(`1.2.840.10006.300.43.1.2.1.1.13.${indexOf.get(port) ?? 0}`, `INTEGER: ${indexOf.get(lag) ?? 0}`);
  if (machine.kind === "router")
    for (const { ip, mac, kind } of network.machines)
      if (kind !== "unmanaged") say(`1.3.6.1.2.1.4.22.1.2.2000.${ip}`, hex(mac));
  if (machine.kind === "switch") sayTable(say, { machine, network, noise, indexOf, isByVlan: random.chance(0.5) });
  let remote = 0;
  for (const cable of network.cables)
    for (const [here, there] of [cable.ends, [...cable.ends].reverse()] as [End, End][]) {
      if (here.machine !== machine || here.port === null || cable.isInside === true) continue;
      if (
        protocolOf(there.machine.speech) === "none" ||
        protocolOf(machine.speech) !== protocolOf(there.machine.speech)
      )
        continue;
      if (noise.unheard.has(key(machine, there.machine, here.port))) continue;
      sayNeighbour(say, { here, there, index: indexOf.get(here.port) ?? 0, remote: ++remote });
    }
  if (protocolOf(machine.speech) === "lldp") {
    say("1.0.8802.1.1.2.1.3.2.0", hex(chassisOf(machine)));
    for (const port of machine.ports) {
      say(`1.0.8802.1.1.2.1.3.7.1.2.${indexOf.get(port) ?? 0}`, "INTEGER: 5");
      say(`1.0.8802.1.1.2.1.3.7.1.3.${indexOf.get(port) ?? 0}`, `STRING: "${port}"`);
    }
  }
  return `${lines.join("\n")}\n`;
}

type Say = (oid: string, value: string) => void;

interface Table {
  readonly machine: Machine;
  readonly network: WiredNetwork;
  readonly noise: Noise;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly isByVlan: boolean;
}

function sayTable(say: Say, { machine, network, noise, indexOf, isByVlan }: Table): void {
  const bases = [...indexOf.values()];
  for (const [place, index] of bases.entries()) say(`1.3.6.1.2.1.17.1.4.1.2.${place + 1}`, `INTEGER: ${index}`);
  say("1.3.6.1.2.1.17.1.1.0", hex(machine.mac));
  const base = (port: string): number => bases.indexOf(indexOf.get(port) ?? 0) + 1;
  const column = isByVlan ? "1.3.6.1.2.1.17.7.1.2.2.1.2.10" : "1.3.6.1.2.1.17.4.3.1.2";
  const status = isByVlan ? "1.3.6.1.2.1.17.7.1.2.2.1.3.10" : "1.3.6.1.2.1.17.4.3.1.3";
  const entry = (mac: string, port: number): void => {
    say(`${column}.${numbers(mac)}`, `INTEGER: ${port}`);
    say(`${status}.${numbers(mac)}`, "INTEGER: 3");
  };
  const written = new Set<Machine>();
  for (const { at, port, machine: moved } of noise.stale)
    if (at === machine && !written.has(moved)) {
      written.add(moved);
      entry(moved.mac, base(port));
    }
  for (const [other, { port, lag }] of directionsFrom(machine, network)) {
    const isThere = !written.has(other) && !noise.unlearnt.has(key(machine, other));
    if (other.kind !== "unmanaged" && port !== null && isThere) entry(other.mac, base(lag ?? port));
  }
}

interface Neighbour {
  readonly here: End;
  readonly there: End;
  readonly index: number;
  readonly remote: number;
}

/** Abilities, as the first byte of their bits. */
const ABLE: ReadonlyMap<Machine["kind"], string> = new Map([
  ["switch", "20"],
  ["router", "08"],
  ["access point", "30"],
  ["phone", "24"],
]);

function sayNeighbour(say: Say, { here, there, index, remote }: Neighbour): void {
  const { machine } = there;
  const port = there.port ?? "eth0";
  if (here.machine.speech === "cdp") {
    const at = (column: number): string => `1.3.6.1.4.1.9.9.23.1.2.1.1.${column}.${index}.${remote}`;
    say(
      at(4),
      `Hex-STRING: ${machine.ip
        .split(".")
        .map((byte) => Number(byte).toString(16).padStart(2, "0"))
        .join(" ")}`,
    );
    say(at(6), `STRING: "${machine.name}"`);
    say(at(7), `STRING: "${port.replace("Gi", "GigabitEthernet")}"`);
    return;
  }
  const isSecond = here.machine.speech === "lldp2";
  const table = isSecond ? "1.3.111.2.802.1.1.13.1.4.1.1" : "1.0.8802.1.1.2.1.4.1.1";
  const row = isSecond ? `0.${index}.1.${remote}` : `0.${index}.${remote}`;
  const say1 = (column: number, value: string): void => {
    say(`${table}.${column + (isSecond ? 1 : 0)}.${row}`, value);
  };
  const isByMac = machine.kind !== "switch" && machine.kind !== "router";
  say1(4, "INTEGER: 4");
  say1(5, hex(chassisOf(machine)));
  say1(6, `INTEGER: ${isByMac ? 3 : 5}`);
  say1(7, isByMac ? hex(machine.mac) : `STRING: "${port}"`);
  say1(8, `STRING: "${isByMac ? port : ""}"`);
  say1(9, `STRING: "${machine.name}"`);
  say1(10, `STRING: "${machine.kind}"`);
  say1(12, `Hex-STRING: ${ABLE.get(machine.kind) ?? "01"} 00`);
  const address = isSecond ? "1.3.111.2.802.1.1.13.1.4.2.1.3" : "1.0.8802.1.1.2.1.4.2.1.3";
  if (!machine.name.endsWith("7")) say(`${address}.${row}.1.4.${machine.ip}`, "INTEGER: 2");
}

/** What lldpd of a machine has heard; null if that is nobody. */
function lldpctlOf(machine: Machine, { cables }: WiredNetwork): string | null {
  const up = cables.find(({ ends }) => ends[1].machine === machine)?.ends[0];
  if (up === undefined || protocolOf(up.machine.speech) !== "lldp" || up.port === null) return null;
  const told = (one: Machine): object => ({
    id: [{ type: "mac", value: chassisOf(one) }],
    name: [{ value: one.name }],
    "mgmt-ip": [{ value: one.ip }],
  });
  const port = [{ id: [{ type: "ifname", value: up.port }], descr: [{ value: up.port }] }];
  const card = { name: "eth0", via: "LLDP", chassis: [told(up.machine)], port };
  return [{ "local-chassis": [{ chassis: [told(machine)] }] }, { lldp: [{ interface: [card] }] }]
    .map((document) => JSON.stringify(document))
    .join("\n");
}

interface Known {
  readonly noise: Noise;
  /** Names of machines with a file of lldpd. */
  readonly withLldpd: ReadonlySet<string>;
}

function isDerivable(cable: Cable, network: WiredNetwork, { noise, withLldpd }: Known): boolean {
  const [upper, lower] = cable.ends;
  if (cable.isInside === true) return false;
  if (upper.machine.kind === "unmanaged") {
    const above = network.cables.find(({ ends }) => ends[1].machine === upper.machine);
    return above !== undefined && isDerivable(above, network, { noise, withLldpd });
  }
  const isDisturbed = noise.stale.some(
    ({ at, port, machine }) => machine === lower.machine || (at === upper.machine && port === upper.port),
  );
  if (lower.machine.kind === "unmanaged") {
    const members = network.cables
      .filter(({ ends }) => ends[0].machine === lower.machine)
      .map(({ ends }) => ends[1].machine);
    const isAnyStale = noise.stale.some(({ machine }) => members.includes(machine));
    return upper.machine.isWalked && !isDisturbed && !isAnyStale;
  }
  if (withLldpd.has(lower.machine.name)) return true;
  const hears = (here: End, there: End): boolean =>
    here.machine.isWalked &&
    protocolOf(here.machine.speech) === protocolOf(there.machine.speech) &&
    protocolOf(there.machine.speech) !== "none" &&
    !noise.unheard.has(key(here.machine, there.machine, here.port ?? ""));
  if (hears(upper, lower) || (lower.machine.ports.length > 0 && hears(lower, upper))) return true;
  const learns = (here: Machine, there: Machine): boolean =>
    here.isWalked && here.kind === "switch" && !noise.unlearnt.has(key(here, there));
  if (lower.machine.kind === "switch" || upper.machine.kind === "router")
    // Of the cables of an aggregate, the tables tell one.
    return (
      upper.machine.kind === "switch" &&
      upper.lag === undefined &&
      learns(upper.machine, lower.machine) &&
      learns(lower.machine, upper.machine) &&
      !noise.stale.some(
        ({ at, port }) =>
          (at === upper.machine && port === upper.port) || (at === lower.machine && port === lower.port),
      )
    );
  return learns(upper.machine, lower.machine) && !isDisturbed;
}
