import { folded } from "@nts/shared/contract/folding.rules";
import { putUnder } from "@nts/shared/groups";
import { isMachineOfHypervisor } from "./hypervisor-macs.rules.js";
import type {
  Hub,
  Machines,
  ResolvedEnd,
  ResolvedLink,
  Unclear,
  WiredDevice,
  WiredNeighbour,
  WiredPort,
  Wiring,
} from "./wiring.rules.js";

// Decides which links there are. A false one is worse than none: where what devices say contradicts itself, or fits several
// arrangements, there is no link, and it is said why. First what devices hear of each other by LLDP and CDP, unless something
// is between them; then what the tables of switches tell of each other; finally who is alone at a port, or at an unmanaged
// switch there. @see docs/links.md "How links are found"

/** A port of a device, or an aggregate of ports. */
interface Port {
  readonly key: string;
  readonly machine: string;
  readonly of: WiredPort;
  /** The aggregate; itself if it is no member of one. */
  bundle: Port;
  /** Machines that were learnt here, also as part of an aggregate, with their MAC addresses. Unknown ones by these. */
  readonly learnt: Map<string, Set<string>>;
  line: number;
}

/** A device, or several files about it. */
interface Device {
  readonly machine: string;
  readonly name: string;
  readonly ports: Map<string, Port>;
  hasTable: boolean;
  /** Where it has learnt other machines: null if at several places. */
  readonly placeOf: Map<string, Port | null>;
}

/** One end that hears, and the other one as far as it is known. */
interface Claim {
  readonly line: number;
  readonly here: Port;
  readonly machine: string;
  readonly there: Port | null;
  /** The name of the port there, if the device is not among those that were read. */
  readonly portName: string | null;
}

const UNKNOWN = "mac ";

export function wiringOf(read: readonly WiredDevice[], machines: Machines): Wiring {
  const unclear: Unclear[] = [];
  const devices = devicesOf(read, machines, unclear);
  const note = (line: number, port: Port, reason: string): void => {
    unclear.push({ line, what: `port ${port.of.name} of ${machines.nameOf(port.machine)}`, reason });
  };
  const told = claimsIn(read, devices, machines, note);
  const heard = decideClaims(told, devices, machines, note);
  const between = linksOfTables(devices, heard.taken);
  const atEdges = edgesOf(devices, machines, {
    taken: new Set([...heard.taken, ...between.taken]),
    between: between.links,
    ...{ heard, note },
  });
  return {
    links: [...heard.links, ...between.links, ...atEdges.links],
    hubs: [...heard.hubs, ...atEdges.hubs],
    unclear,
  };
}

function devicesOf(read: readonly WiredDevice[], machines: Machines, unclear: Unclear[]): ReadonlyMap<string, Device> {
  const devices = new Map<string, Device>();
  for (const one of read) {
    const machine = machines.of(one.machine);
    if (machine === null) {
      unclear.push({ line: one.line, what: one.name, reason: "no host is known for it" });
      continue;
    }
    const device: Device = devices.get(machine) ?? {
      machine,
      name: one.name,
      ports: new Map(),
      hasTable: false,
      placeOf: new Map(),
    };
    devices.set(machine, device);
    const ports = one.ports.map((port) => portIn(device, port, one.line));
    for (const [place, { lag }] of one.ports.entries()) {
      const aggregate = lag === null ? undefined : ports[lag];
      const port = ports[place];
      if (port !== undefined && aggregate !== undefined) port.bundle = aggregate;
    }
    learn(one, ports, device, machines);
  }
  return devices;
}

function portIn(device: Device, of: WiredPort, line: number): Port {
  const name = folded(of.name);
  const there = device.ports.get(name);
  if (there !== undefined) return there;
  const port = { key: `${device.machine}\n${name}`, machine: device.machine, of, learnt: new Map(), line };
  const made: Port = Object.assign(port, { bundle: port as unknown as Port });
  device.ports.set(name, made);
  return made;
}

function learn(
  { table, ports: written }: WiredDevice,
  ports: readonly Port[],
  device: Device,
  machines: Machines,
): void {
  if (table === null) return;
  device.hasTable = true;
  for (const { port: place, mac } of table) {
    const port = carrierOf(ports, written, place)?.bundle;
    if (port === undefined) continue;
    const machine = machines.ofMac(mac) ?? `${UNKNOWN}${mac}`;
    if (machine === device.machine) continue;
    const macs = port.learnt.get(machine) ?? new Set();
    port.learnt.set(machine, macs.add(mac));
    const before = device.placeOf.get(machine);
    device.placeOf.set(machine, before === undefined || before === port ? port : null);
  }
}

/** The port of a cable that a port or subinterface is on. */
function carrierOf(ports: readonly Port[], written: readonly WiredPort[], place: number): Port | undefined {
  const carrier = written[place]?.carrier ?? place;
  return ports[carrier];
}

type Note = (line: number, port: Port, reason: string) => void;

function claimsIn(
  read: readonly WiredDevice[],
  devices: ReadonlyMap<string, Device>,
  machines: Machines,
  note: Note,
): Claim[] {
  const claims: Claim[] = [];
  const called = rememberedPorts(devices);
  for (const one of read) {
    const device = devices.get(machines.of(one.machine) ?? "");
    if (device === undefined) continue;
    const ports = one.ports.map(({ name }) => device.ports.get(folded(name)) as Port);
    for (const neighbour of one.neighbours) {
      const here = carrierOf(ports, one.ports, neighbour.port);
      if (here === undefined || here.of.isVirtual) continue;
      const machine = machines.of(neighbour.machine);
      if (machine === null) note(neighbour.line, here, "nothing identifies its neighbour");
      else if (machine === device.machine) note(neighbour.line, here, "it hears its own device");
      else claims.push(claimOf(neighbour, here, machine, called(machine)));
    }
  }
  return claims;
}

function claimOf(
  { line, portNames, portMac }: WiredNeighbour,
  here: Port,
  machine: string,
  ports: CalledPorts | null,
): Claim {
  const there = ports === null ? null : portCalled(ports, portNames, portMac);
  return { line, here, machine, there, portName: there === null ? (portNames[0] ?? null) : null };
}

/** Ports of a device by what others may call them; null for what several have. */
interface CalledPorts {
  readonly ports: ReadonlyMap<string, Port>;
  readonly byName: ReadonlyMap<string, Port | null>;
  readonly byMac: ReadonlyMap<string, Port | null>;
}

/** Made once for each device, however many hear it. */
function rememberedPorts(devices: ReadonlyMap<string, Device>): (machine: string) => CalledPorts | null {
  const known = new Map<string, CalledPorts>();
  return (machine) => {
    const device = devices.get(machine);
    if (device === undefined) return null;
    const called = known.get(machine) ?? calledPorts(device);
    known.set(machine, called);
    return called;
  };
}

function calledPorts({ ports }: Device): CalledPorts {
  const byName = new Map<string, Port | null>();
  const byMac = new Map<string, Port | null>();
  for (const port of ports.values()) {
    const { called, mac, carrier, isVirtual } = port.of;
    for (const name of new Set(called.map(folded))) byName.set(name, byName.has(name) ? null : port);
    if (mac !== null && carrier === null && !isVirtual) byMac.set(mac, byMac.has(mac) ? null : port);
  }
  return { ports, byName, byMac };
}

/** The only port of a device with a name or a MAC address. */
function portCalled({ ports, byName, byMac }: CalledPorts, names: readonly string[], mac: string | null): Port | null {
  for (const name of names.map(folded)) {
    const found = ports.get(name) ?? byName.get(name) ?? null;
    if (found !== null) return cabled(found);
  }
  return mac === null ? null : (byMac.get(mac) ?? null);
}

function cabled(port: Port): Port | null {
  return port.of.isVirtual ? null : port;
}

interface Heard {
  readonly links: readonly ResolvedLink[];
  readonly hubs: readonly Hub[];
  /** Keys of ports and aggregates that are decided, or cannot be. */
  readonly taken: ReadonlySet<string>;
  /** Keys of those aggregates, or ports, of which it is known what is there. */
  readonly decided: ReadonlySet<string>;
  /** Machines at the ends of the links. */
  readonly linked: ReadonlySet<string>;
}

/** A partner of a port: another port, or a machine whose port is not known. */
interface Partner {
  readonly line: number;
  readonly machine: string;
  readonly port: Port | null;
  readonly portName: string | null;
}

function decideClaims(
  claims: readonly Claim[],
  devices: ReadonlyMap<string, Device>,
  machines: Machines,
  note: Note,
): Heard {
  const partners = partnersOf(claims, machines);
  const crowded = crowdedPorts(partners);
  const links: ResolvedLink[] = [];
  const hubs: Hub[] = [];
  const decided = new Set<string>();
  const taken = new Set<string>();
  const linked = new Set<string>();
  const done = new Set<string>();

  function take(ports: readonly Port[]): void {
    for (const { key, bundle } of ports) {
      done.add(key);
      taken.add(key).add(bundle.key);
    }
  }

  function decide(ports: readonly Port[]): void {
    for (const { bundle } of ports) decided.add(bundle.key);
  }

  function decideSeveral(here: Port, line: number): void {
    const found = hubOf(here, partners);
    take(found?.ports ?? [here]);
    decide(found?.ports ?? []);
    if (found === null) note(line, here, "several neighbours are heard there, and not all of them hear each other");
    else hubs.push(found.hub);
  }

  function decideOne(here: Port, only: Partner): void {
    const { line, machine, port, portName } = only;
    const ports = port === null ? [here] : [here, port];
    take(ports);
    const reason = crowded.has(farKey(only))
      ? { isSwitch: false, text: `several ports hear port ${portName ?? ""} of ${machines.nameOf(machine)}` }
      : contradiction(here, only, devices, machines);
    if (reason !== null) {
      // The tables tell how the three hang together.
      const released = reason.isSwitch ? ports.flatMap(({ key, bundle }) => [key, bundle.key]) : [];
      for (const key of released) taken.delete(key);
      note(line, here, reason.text);
      return;
    }
    const far: ResolvedEnd = { machine, port: port?.of.name ?? portName, mac: null };
    links.push({ line, kind: "Ethernet", ends: [endAt(here), far], ...qualities(here, port) });
    decide(ports);
    linked.add(here.machine).add(machine);
  }

  for (const [here, [only, another]] of partners) {
    if (only === undefined || done.has(here.key)) continue;
    const back = only.port === null ? undefined : partners.get(only.port);
    if (another !== undefined || (back !== undefined && back.length > 1)) decideSeveral(here, only.line);
    else decideOne(here, only);
  }
  return { links, hubs, taken, decided, linked };
}

/** The partners of each port, each once, from what either end hears. */
function partnersOf(claims: readonly Claim[], machines: Machines): ReadonlyMap<Port, readonly Partner[]> {
  const partners = new Map<Port, Map<string, Partner>>();
  const add = (at: Port, partner: Partner): void => {
    const known = partners.get(at) ?? new Map<string, Partner>();
    partners.set(at, known);
    const before = known.get(partner.machine);
    // One of two ports of the same machine is where the other end says that it is.
    const port = before?.port ?? null;
    if (port === null) known.set(partner.machine, partner);
    else if (partner.port !== null && partner.port !== port)
      known.set(`${partner.machine}\n${partner.port.key}`, partner);
  };
  for (const { line, here, machine, there, portName } of claims) {
    add(here, { line, machine, port: there, portName });
    if (there !== null) add(there, { line, machine: here.machine, port: here, portName: null });
  }
  pairUp(partners);
  return new Map([...partners].map(([port, known]) => [port, withoutGuests([...known.values()], machines)]));
}

/**
 * Two devices that hear each other, and do not say at which ports, are connected at the only ones at which they do. Of several
 * cables, only one of the two tells.
 */
function pairUp(partners: ReadonlyMap<Port, Map<string, Partner>>): void {
  const hearing = new Map<string, Port[]>();
  for (const [at, known] of partners)
    for (const { machine, port } of known.values())
      if (port === null) putUnder(hearing, `${at.machine}\n${machine}`, at);
  for (const [pair, ports] of hearing) {
    const [one = "", other = ""] = pair.split("\n");
    const back = hearing.get(`${other}\n${one}`) ?? [];
    const [only] = back;
    if (one > other || only === undefined) continue;
    const isOneCable = ports.length === 1 && back.length === 1;
    for (const port of isOneCable ? ports : []) {
      setPort(partners, port, only);
      setPort(partners, only, port);
    }
    for (const port of isOneCable ? [] : back) partners.get(port)?.delete(one);
  }
}

function setPort(partners: ReadonlyMap<Port, Map<string, Partner>>, at: Port, port: Port): void {
  const known = partners.get(at);
  const before = known?.get(port.machine);
  if (before !== undefined) known?.set(port.machine, { ...before, port });
}

/** Without machines that run on another partner: they are heard through its bridge. */
function withoutGuests(partners: readonly Partner[], machines: Machines): readonly Partner[] {
  const all = new Set(partners.map(({ machine }) => machine));
  return partners.filter(({ machine }) => !all.has(machines.runnerOf(machine) ?? ""));
}

/** Ports of devices that were not read, which several ports hear. */
function crowdedPorts(partners: ReadonlyMap<Port, readonly Partner[]>): ReadonlySet<string> {
  const hearing = new Map<string, Port>();
  const crowded = new Set<string>();
  for (const [here, all] of partners)
    for (const partner of all) {
      if (partner.port !== null || partner.portName === null) continue;
      const key = farKey(partner);
      const before = hearing.get(key) ?? here;
      hearing.set(key, before);
      if (before !== here) crowded.add(key);
    }
  return crowded;
}

function farKey({ machine, port, portName }: Partner): string {
  return port?.key ?? `${machine}\n${folded(portName ?? "")}`;
}

/** Neighbours of an unmanaged switch; more are none of one. */
const MOST_AT_HUB = 100;

/** An unmanaged switch that passes on what its neighbours say: all of them hear all others, as far as they are asked. */
function hubOf(
  here: Port,
  partners: ReadonlyMap<Port, readonly Partner[]>,
): { readonly hub: Hub; readonly ports: readonly Port[] } | null {
  const ports = new Set<Port>([here]);
  for (const port of ports) {
    const heard = partners.get(port) ?? [];
    if (ports.size > MOST_AT_HUB || heard.length > MOST_AT_HUB) return null;
    for (const { port: next } of heard) if (next !== null) ports.add(next);
  }
  const everyone = new Set([...ports].map(({ machine }) => machine));
  for (const port of ports) for (const { machine } of partners.get(port) ?? []) everyone.add(machine);
  const ofMachines = new Set([...ports].map(({ machine }) => machine));
  if (ports.size !== ofMachines.size || ports.size < 2 || everyone.size < 3) return null;
  for (const port of ports) {
    const heard = new Set((partners.get(port) ?? []).map(({ machine }) => machine));
    for (const machine of everyone) if (machine !== port.machine && !heard.has(machine)) return null;
  }
  const [first = here, ...others] = [...ports].sort((one, other) => (one.key < other.key ? -1 : 1));
  const without = [...everyone].filter((machine) => !ofMachines.has(machine));
  const members = [
    ...others.map(endAt),
    ...without.map((machine): ResolvedEnd => ({
      machine,
      port: (partners.get(here) ?? []).find((one) => one.machine === machine)?.portName ?? null,
      mac: null,
    })),
  ];
  const line = partners.get(here)?.[0]?.line ?? here.line;
  return { hub: { line, at: endAt(first), members, ...qualities(first, null) }, ports: [...ports] };
}

const BETWEEN = {
  isSwitch: true,
  text: "a switch that does not tell its neighbours is between it and the one that it hears",
} as const;

/** Why two ports that hear each other are not connected directly; null if they may be. */
function contradiction(
  here: Port,
  { machine, port: there }: Partner,
  devices: ReadonlyMap<string, Device>,
  machines: Machines,
): { readonly isSwitch: boolean; readonly text: string } | null {
  const one = devices.get(here.machine);
  const other = devices.get(machine);
  const splits = (device: Device): boolean => {
    const toOne = device.placeOf.get(here.machine);
    const toOther = device.placeOf.get(machine);
    return toOne !== undefined && toOther !== undefined && toOne !== null && toOther !== null && toOne !== toOther;
  };
  const isElsewhere = (device: Device | undefined, port: Port | null, third: string): boolean => {
    const place = device?.placeOf.get(third);
    return place !== undefined && place !== null && port !== null && place !== port.bundle;
  };
  const near = [...here.bundle.learnt.keys()];
  const far = there?.bundle.learnt ?? new Map<string, unknown>();
  const ofBoth = near.filter((third) => third !== machine && far.has(third) && third !== here.machine);
  const seen = new Set([...near, ...far.keys()]);
  for (const third of seen) {
    const device = devices.get(third);
    if (device === undefined || !device.hasTable || third === machine || third === here.machine) continue;
    if (splits(device) && !isElsewhere(one, here, third) && !isElsewhere(other, there, third)) return BETWEEN;
  }
  if (ofBoth.some((third) => devices.get(third)?.hasTable === true)) return BETWEEN;
  if (ofBoth.length === 0) return null;
  const [first = ""] = ofBoth;
  const text = `${nameOf(first, machines)} was learnt on both sides of the cable, so that something is between them`;
  return { isSwitch: false, text };
}

function nameOf(machine: string, machines: Machines): string {
  return machine.startsWith(UNKNOWN) ? machine.slice(UNKNOWN.length) : machines.nameOf(machine);
}

function endAt({ machine, of }: Port): ResolvedEnd {
  return { machine, port: of.name, mac: null };
}

/** What both ends have in common. */
function qualities(one: Port, other: Port | null): Pick<ResolvedLink, "speedMbps" | "vids"> {
  const speeds = [one, other].flatMap((port) => port?.of.speedMbps ?? []);
  const mine = vidsOf(one);
  const theirs = other === null ? [] : vidsOf(other);
  const both =
    mine.length === 0 || theirs.length === 0 ? [...mine, ...theirs] : mine.filter((vid) => theirs.includes(vid));
  return { speedMbps: speeds.length === 0 ? null : Math.min(...speeds), vids: [...both].sort((a, b) => a - b) };
}

/** The VLANs of a member are those of its aggregate, if it has none of its own. */
function vidsOf({ of, bundle }: Port): readonly number[] {
  return of.vids.length > 0 ? of.vids : bundle.of.vids;
}

/** Aggregates and ports of a device at which something was learnt. */
function bundlesOf({ ports }: Device): Port[] {
  return [...ports.values()].filter((port) => port.bundle === port && port.learnt.size > 0 && !port.of.isVirtual);
}

/**
 * Links between switches that do not hear each other. Behind a port, the nearest switch is that at whose port towards here the
 * fewest switches are; and between two that are connected directly, nothing was learnt by both.
 */
function linksOfTables(
  devices: ReadonlyMap<string, Device>,
  taken: ReadonlySet<string>,
): { readonly links: readonly ResolvedLink[]; readonly taken: ReadonlySet<string> } {
  const switches = [...devices.values()].filter(({ hasTable }) => hasTable);
  const isSwitch = (machine: string): boolean => devices.get(machine)?.hasTable === true;
  const counts = new Map<string, number>();
  for (const device of switches)
    for (const port of bundlesOf(device)) counts.set(port.key, [...port.learnt.keys()].filter(isSwitch).length);
  const links: ResolvedLink[] = [];
  const found = new Set<string>();
  /** Many may be near to the same one. */
  const known = new Map<Port, Port | null>();
  const nearestTo = (port: Port): Port | null => {
    const before = known.get(port);
    if (before !== undefined) return before;
    const one = nearest(port, devices, counts);
    known.set(port, one);
    return one;
  };
  for (const device of switches)
    for (const here of bundlesOf(device)) {
      if (taken.has(here.key) || found.has(here.key)) continue;
      const there = nearestTo(here);
      if (there === null || taken.has(there.key) || found.has(there.key)) continue;
      if (nearestTo(there) !== here) continue;
      found.add(here.key).add(there.key);
      if ([...here.learnt.keys()].some((machine) => there.learnt.has(machine))) continue;
      if (isSplit(here, there, devices)) continue;
      const ends = [endAt(here), endAt(there)] as const;
      links.push({ line: here.line, kind: "Ethernet", ends, ...qualities(here, there) });
    }
  return { links, taken: found };
}

/** The port at which the nearest switch behind a port has learnt the device of it; null if that is not certain. */
function nearest(here: Port, devices: ReadonlyMap<string, Device>, counts: ReadonlyMap<string, number>): Port | null {
  let best: Port | null = null;
  let isOnly = false;
  for (const machine of here.learnt.keys()) {
    const device = devices.get(machine);
    if (device?.hasTable !== true) continue;
    const port = device.placeOf.get(here.machine);
    // A switch that does not know the device of this one may be nearer than all others.
    if (port === undefined || port === null) return null;
    const count = counts.get(port.key) ?? 0;
    const least = best === null ? Infinity : (counts.get(best.key) ?? 0);
    if (count < least) best = port;
    isOnly = count < least || (isOnly && count !== least);
  }
  return isOnly ? best : null;
}

/** Whether another switch has learnt the two at different ports. */
function isSplit(here: Port, there: Port, devices: ReadonlyMap<string, Device>): boolean {
  for (const machine of [...here.learnt.keys(), ...there.learnt.keys()]) {
    const device = devices.get(machine);
    if (device === undefined || machine === here.machine || machine === there.machine) continue;
    const toOne = device.placeOf.get(here.machine) ?? null;
    const toOther = device.placeOf.get(there.machine) ?? null;
    if (toOne !== null && toOther !== null && toOne !== toOther) return true;
  }
  return false;
}

interface Edges {
  readonly taken: ReadonlySet<string>;
  /** Links of tables. */
  readonly between: readonly ResolvedLink[];
  readonly heard: Heard;
  readonly note: Note;
}

/** Who is at the ports at which no switch is. */
function edgesOf(
  devices: ReadonlyMap<string, Device>,
  machines: Machines,
  { taken, between, heard, note }: Edges,
): { readonly links: readonly ResolvedLink[]; readonly hubs: readonly Hub[] } {
  const placesOf = new Map<string, Port[]>();
  for (const device of devices.values())
    for (const [machine, port] of device.placeOf) if (port !== null) putUnder(placesOf, machine, port);
  const open = [...devices.values()]
    .flatMap(bundlesOf)
    .filter((port) => !taken.has(port.key) || (heard.taken.has(port.key) && !heard.decided.has(port.key)))
    .filter(({ learnt }) => ![...learnt.keys()].some((machine) => devices.get(machine)?.hasTable === true));
  const edges = open.filter((port) => !taken.has(port.key) && !isTowardsSwitch(port, placesOf));
  /** Who has learnt a machine and the device of a port in different directions. */
  const against = (machine: string, port: Port): string[] =>
    (placesOf.get(machine) ?? []).slice(0, MOST_ASKED).flatMap((other) => {
      const place = other.machine === port.machine ? null : devices.get(other.machine)?.placeOf.get(port.machine);
      return place !== undefined && place !== null && place !== other ? other.machine : [];
    });
  const places = new Map<string, Port[]>();
  for (const port of open) for (const macs of port.learnt.values()) for (const mac of macs) putUnder(places, mac, port);
  /** Whether a MAC address is at a port, and others that have it are out of date, as a third one says. */
  const isAt = (mac: string, machine: string, port: Port): boolean =>
    (places.get(mac) ?? []).length <= MOST_ASKED &&
    against(machine, port).length === 0 &&
    (places.get(mac) ?? []).every(
      (other) => other === port || against(machine, other).some((third) => third !== port.machine),
    );
  const lostFor = lostSwitches(devices, [...heard.links, ...between]);
  const links: ResolvedLink[] = [];
  const hubs: Hub[] = [];
  for (const port of edges) {
    const [stray] = [...port.learnt].flatMap(([machine, macs]) => [...macs].filter((mac) => !isAt(mac, machine, port)));
    const groups = groupsAt(port, machines);
    const known = groups.flatMap(({ end }) => end ?? []);
    if (known.length === 0) continue;
    const lost = stray === undefined ? lostFor(port, known) : null;
    const elsewhere = known.find(({ machine }) => heard.linked.has(machine));
    const device = known.find(({ machine }) => ["Switch", "AccessPoint"].includes(machines.roleOf(machine) ?? ""));
    if (stray !== undefined)
      note(port.line, port, `${stray} was learnt at several places, of which some are out of date`);
    else if (elsewhere !== undefined)
      note(port.line, port, `${machines.nameOf(elsewhere.machine)} was learnt there, which has another neighbour`);
    else if (lost !== null)
      note(
        port.line,
        port,
        `${machines.nameOf(lost)} may be between it and what was learnt there: it was not learnt itself`,
      );
    else if (groups.length === 1 && known[0] !== undefined) {
      const ends = [endAt(port), known[0]] as const;
      links.push({ line: port.line, kind: "Ethernet", ends, ...qualities(port, null) });
    } else if (device !== undefined)
      note(
        port.line,
        port,
        `${machines.nameOf(device.machine)} and others were learnt there: it is not certain who is behind whom`,
      );
    else hubs.push({ line: port.line, at: endAt(port), members: known, ...qualities(port, null) });
  }
  return { links, hubs };
}

/** Entries of tables that are compared in search of switches that are lost. */
const MOST_COMPARED = 5_000_000;

/**
 * A switch that may be between a port and all machines that were learnt there: nothing tells in which direction from the port it
 * is, and it has not learnt any of the machines. Null if there is none.
 */
function lostSwitches(
  devices: ReadonlyMap<string, Device>,
  links: readonly ResolvedLink[],
): (port: Port, there: readonly ResolvedEnd[]) => string | null {
  const switches = [...devices.values()].filter(({ hasTable }) => hasTable);
  const partOf = partsOf(links);
  const lost = new Map<string, readonly Device[]>();
  let left = MOST_COMPARED;

  function isLostFor(here: Device, other: Device): boolean {
    left -= 1;
    // Those that are connected by links are where these lead.
    if (left < 0 || partOf(here.machine) === partOf(other.machine)) return left < 0;
    if ((here.placeOf.get(other.machine) ?? null) !== null) return false;
    const back = other.placeOf.get(here.machine) ?? null;
    const seenAt = new Map<Port, Port>();
    let isNear = other.placeOf.has(here.machine);
    for (const [machine, there] of other.placeOf) {
      left -= 1;
      const place = here.placeOf.get(machine);
      isNear ||= place !== undefined;
      if (place === undefined || place === null || there === null) continue;
      // What is behind it from here tells where it is; so do two of its directions that are one from here.
      const before = seenAt.get(place) ?? there;
      seenAt.set(place, before);
      if (back === null ? before !== there : there !== back) return false;
    }
    return isNear;
  }

  return (port, there) => {
    const here = devices.get(port.machine);
    if (here === undefined) return null;
    const some = lost.get(here.machine) ?? switches.filter((other) => other !== here && isLostFor(here, other));
    lost.set(here.machine, some);
    left -= some.length;
    const knows = ({ placeOf }: Device): boolean =>
      there.some(({ machine }) => (placeOf.get(machine) ?? null) !== null);
    return some.find((other) => !knows(other))?.machine ?? null;
  };
}

/** The part of each machine, of those that links connect. */
function partsOf(links: readonly ResolvedLink[]): (machine: string) => string {
  const neighbours = new Map<string, string[]>();
  for (const { ends } of links) {
    const [one, other] = ends;
    putUnder(neighbours, one.machine, other.machine);
    putUnder(neighbours, other.machine, one.machine);
  }
  const parts = new Map<string, string>();
  for (const start of neighbours.keys()) {
    const part = new Set(parts.has(start) ? [] : [start]);
    for (const machine of part) {
      parts.set(machine, start);
      for (const next of neighbours.get(machine) ?? []) part.add(next);
    }
  }
  return (machine) => parts.get(machine) ?? machine;
}

/** At so many ports of a switch machines that were learnt behind one show that it is there: of two, one may be out of date. */
const FEWEST_PORTS = 3;
/** Devices that are asked for a machine. */
const MOST_ASKED = 50;

/**
 * Whether a switch is behind a port that was not learnt there: machines that were are at different ports of it. Then it is on the way between them, and all of that way is behind this port, since otherwise they would be at different ports here, too.
 */
function isTowardsSwitch({ learnt, machine: own }: Port, placesOf: ReadonlyMap<string, readonly Port[]>): boolean {
  const behind = new Map<string, Set<Port>>();
  for (const machine of learnt.keys()) {
    for (const port of (placesOf.get(machine) ?? []).slice(0, MOST_ASKED)) {
      if (port.machine === own) continue;
      const ports = behind.get(port.machine) ?? new Set();
      behind.set(port.machine, ports.add(port));
      if (ports.size === FEWEST_PORTS) return true;
    }
  }
  return false;
}

interface Group {
  /** Null for a machine that is not known. */
  readonly end: ResolvedEnd | null;
}

/** The machines at a port: guests are part of what they run on, and virtual machines without a known one of that of the others. */
function groupsAt({ learnt, machine: own }: Port, machines: Machines): Group[] {
  const groups = new Map<string, Set<string>>();
  for (const [machine, macs] of learnt) {
    const outermost = runnerOfAll(machine, machines);
    const isGuest = outermost === machine && [...macs].every(isMachineOfHypervisor);
    if (outermost === own || isGuest) continue;
    const ownMacs = outermost === machine ? macs : [];
    groups.set(outermost, new Set([...(groups.get(outermost) ?? []), ...ownMacs]));
  }
  return [...groups].map(([machine, macs]) => ({
    end: machine.startsWith(UNKNOWN) ? null : { machine, port: null, mac: [...macs][0] ?? null },
  }));
}

/** What a machine runs on in the end. */
function runnerOfAll(machine: string, machines: Machines): string {
  let outermost = machine;
  const passed = new Set<string>();
  for (let next = machines.runnerOf(machine); next !== null && !passed.has(next); next = machines.runnerOf(next)) {
    passed.add(next);
    outermost = next;
  }
  return outermost;
}
