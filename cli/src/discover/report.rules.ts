import type { Announcements } from "./announcements.js";
import type { PortsOf } from "./ports.js";
import { type Answer, keyOf } from "./services.js";

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
  /** The name of this machine. */
  readonly ownName: string;
}

/** Lines of JSON: the beginning, a line for each machine, and the end. */
export function reportOf(reported: Reported): string {
  const { startedAt, blocks, excluded, covered, ports, found } = reported;
  const begin = {
    report: 1,
    program: "nts",
    started_at: startedAt.toISOString(),
    arguments: blocks.join(" "),
    tcp: rangesOf(ports),
  };
  const end = { covered, excluded };
  const lines = [begin, ...machinesAmong(found).map((machine) => ({ host: hostOf(machine, reported) })), { end }];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The addresses of this machine are one; every other address is one of its own, which the server joins by MAC address. */
function machinesAmong(found: readonly Found[]): Found[][] {
  const own = found.filter(({ isOwn }) => isOwn);
  const others = found.filter(({ isOwn }) => !isOwn).map((one) => [one]);
  return own.length === 0 ? others : [own, ...others];
}

function hostOf(machine: readonly Found[], { names, answers, announced, ownName }: Reported): object {
  const [first] = machine;
  if (first === undefined) return {};
  const { ip, isOwn, open, silent } = first;
  const said = announced.get(ip);
  const name = isOwn ? ownName : (names.get(ip) ?? said?.hostname);
  const ports = [
    ...open.map((port) => portOf(port, answers.get(keyOf(ip, port)), said?.services.get(`${port}/tcp`))),
    ...[...(said?.services ?? [])]
      .filter(([key]) => key.endsWith("/udp"))
      .map(([key, service]) => ({ port: parseInt(key, 10), protocol: "udp", service, answered: true })),
  ];
  return present({
    addresses: machine.map((one) => present({ ip: one.ip, mac: one.mac })),
    hostname: name,
    name: isOwn ? null : said?.name,
    vendor: said?.vendor,
    model: said?.model,
    serial: said?.serial,
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
