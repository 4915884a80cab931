import type { Announcements } from "./announcements.js";
import type { PortsOf } from "./ports.js";
import { type Answer, keyOf } from "./answers.rules.js";
import { linesOfFile, type ReportedFile } from "./files.rules.js";
import type { SnmpMachine } from "./snmp-values.rules.js";

// What was found, as the file that the API imports. @see docs/discovery.md

/** A machine that answered. */
export interface Found extends PortsOf {
  readonly mac: string | null;
  /** This machine, which reports its ports by other means. */
  readonly isOwn?: boolean;
}

export interface Reported {
  readonly startedAt: Date;
  readonly blocks: readonly string[];
  readonly excluded: readonly string[];
  /** Blocks in which every machine would have answered. */
  readonly covered: readonly string[];
  readonly ports: readonly number[];
  readonly found: readonly Found[];
  readonly names: ReadonlyMap<string, string>;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly announced: Announcements;
  /** What machines say by SNMP, by the address at which they were asked. */
  readonly bySnmp: ReadonlyMap<string, SnmpMachine>;
  /** Whether an address is among those that are looked at. */
  readonly isTarget: (ip: string) => boolean;
  /** The name of this machine. */
  readonly ownName: string;
  /** Its addresses besides those that are among {@link found}. */
  readonly ownAddresses?: readonly { readonly ip: string; readonly mac: string }[];
  /** Addresses on links of this machine, with the MAC addresses that tell whose they are. */
  readonly ipv6?: readonly { readonly ip: string; readonly mac: string }[];
  /** What other systems say. */
  readonly told?: readonly object[];
  readonly files?: readonly ReportedFile[];
}

type Macs = ReadonlyMap<string, string | null>;

/** Values as lines of JSON. */
export function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The beginning, a line for each machine, those of files, and the end. */
export function reportOf(reported: Reported): object[] {
  const { startedAt, blocks, excluded, covered, ports, told = [], bySnmp } = reported;
  const begin = {
    report: 1,
    program: "nts",
    started_at: startedAt.toISOString(),
    arguments: blocks.join(" "),
    tcp: rangesOf(ports),
  };
  const machines = machinesAmong(reported);
  const macs = macsIn(reported);
  const known = new Set(machines.flatMap((machine) => machine.map(({ ip }) => ip)));
  const walks = [...bySnmp].flatMap(([ip, { walk }]): ReportedFile[] =>
    walk === "" ? [] : [{ format: "snmp-walk", name: `snmp ${ip}`, text: walk }],
  );
  return [
    begin,
    ...machines.map((machine) => ({ host: hostOf(machine, reported, macs) })),
    ...neighboursOf(reported, known).map((one) => ({ host: { addresses: [one] } })),
    ...(reported.ipv6 ?? []).map((one) => ({ host: { addresses: [one] } })),
    ...told.map((host) => ({ host })),
    ...[...(reported.files ?? []), ...walks].flatMap(linesOfFile),
    { end: { covered, excluded } },
  ];
}

/**
 * Which addresses are one machine: those of this one, and those that a machine says by SNMP that it has. Others are joined by
 * the server, if they have the same MAC address.
 */
function machinesAmong({ found, bySnmp, isTarget, ownAddresses = [] }: Reported): Found[][] {
  const byIp = new Map(found.map((one) => [one.ip, one]));
  const taken = new Set<string>();
  const own = found.filter(({ isOwn }) => isOwn);
  const others = ownAddresses.filter(({ ip }) => !byIp.has(ip));
  const machines: Found[][] = [[...own, ...others.map((one) => ({ ...one, open: [], silent: [], isOwn: true }))]];
  for (const { ip } of machines[0] ?? []) taken.add(ip);
  for (const one of found) {
    if (taken.has(one.ip)) continue;
    const said = (bySnmp.get(one.ip)?.addresses ?? []).filter(
      ({ ip }) => ip !== one.ip && !taken.has(ip) && isTarget(ip),
    );
    const all = [one, ...said.map(({ ip, mac }) => byIp.get(ip) ?? { ip, mac, open: [], silent: [] })];
    for (const { ip } of all) taken.add(ip);
    machines.push(all);
  }
  return machines.filter((machine) => machine.length > 0);
}

/** Machines that only a router knows. */
function neighboursOf({ bySnmp, isTarget }: Reported, known: ReadonlySet<string>): { ip: string; mac: string }[] {
  const others = [...bySnmp.values()].flatMap(({ neighbours }) => neighbours);
  const found = new Map(others.filter(({ ip }) => isTarget(ip) && !known.has(ip)).map((one) => [one.ip, one]));
  return [...found.values()];
}

/** MAC addresses by address, as machines say by SNMP of themselves and of others. */
function macsIn({ bySnmp }: Pick<Reported, "bySnmp">): Macs {
  const told = [...bySnmp.values()].flatMap(({ addresses, neighbours }) => [...neighbours, ...addresses]);
  return new Map(told.map(({ ip, mac }) => [ip, mac]));
}

function hostOf(
  machine: readonly Found[],
  { names, answers, announced, bySnmp, ownName }: Reported,
  macs: Macs,
): object {
  const [first] = machine;
  if (first === undefined) return {};
  const { isOwn, silent } = first;
  const announcement = machine.map(({ ip }) => announced.get(ip)).find((one) => one !== undefined);
  const told = machine.map(({ ip }) => bySnmp.get(ip)).find((one) => one !== undefined);
  const named = machine.map(({ ip }) => names.get(ip)).find((one) => one !== undefined);
  const ports = [
    ...machine.flatMap(({ ip, open }, at) =>
      open.map((port) => ({
        ...portOf(port, answers.get(keyOf(ip, port)), announced.get(ip)?.services.get(`${port}/tcp`)),
        ...(at > 0 && { ip }),
      })),
    ),
    ...[...(announcement?.services ?? [])]
      .filter(([key]) => key.endsWith("/udp"))
      .map(([key, service]) => ({ port: parseInt(key, 10), protocol: "udp", service, answered: true })),
    ...(told === undefined ? [] : [{ port: 161, protocol: "udp", service: "snmp", answered: true }]),
  ];
  return present({
    addresses: machine.map(({ ip, mac }) => present({ ip, mac: mac ?? macs.get(ip) })),
    hostname: isOwn ? ownName : (named ?? announcement?.hostname ?? told?.name),
    name: isOwn ? null : (announcement?.name ?? told?.name),
    vendor: announcement?.vendor ?? told?.vendor,
    model: announcement?.model ?? told?.model,
    serial: announcement?.serial ?? told?.serial,
    os: told?.os,
    ports: ports.length === 0 ? null : ports,
    silent: silent.length === 0 ? null : rangesOf(silent),
    is_collector: isOwn,
  });
}

function portOf(port: number, answer: Answer | undefined, announced: string | undefined): object {
  const { service, product, version, title, certificate } = answer ?? {};
  const name = service ?? announced ?? null;
  return present({
    port,
    protocol: "tcp",
    service: name,
    product,
    version,
    title,
    certificate,
    answered: name === null ? null : true,
  });
}

/** Without members that say nothing. */
function present(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

/** Such as `22,80-82`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(",");
}
