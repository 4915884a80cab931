import type { Binding, Interface, Port, Service } from "@nts/shared/contract";
import type { RecognizedBy, Sighting } from "@nts/shared/contract/sightings";
import { putUnder } from "@nts/shared/groups";
import type { Entity, Stored } from "../storage/entities.js";
import type { SightedKind } from "../storage/sightings.js";
import { type CoveredPorts, reportsOn } from "./coverage.rules.js";
import type { Planned, PlannedHost, Recognized } from "./plan.rules.js";
import { containerKey, portText, type SeenContainers, type SeenHost } from "./scan.rules.js";

// A port is missed if it is closed at every address of its host, a service if that holds for all its bindings, or if its
// container does not run. Sockets, scans and containers observe different things, so one kind does not miss what another found.

/** Per address; a file may list it a hundred thousand times. */
const MOST_COVERED = 8;

/** A covered entity that was not found. */
export interface Missed {
  readonly kind: SightedKind;
  readonly id: string;
  readonly hostId: string;
  readonly name: string;
  readonly seen: Sighting["seen"];
  /** Since when, if missed before. */
  readonly since: string | null;
}

/** The sightings of a host. */
export interface HostSighting {
  /** By what it was recognized; absent if it is new. */
  readonly how?: RecognizedBy;
  /** Ids of found entities. */
  readonly found: Readonly<Partial<Record<SightedKind, readonly string[]>>>;
  readonly missed: readonly Missed[];
}

export interface Sighted {
  /** The format of the file. */
  readonly by: string;
  /** Its arrival, in milliseconds. */
  readonly atMs: number;
  /** Whether nothing was found at a probed address. */
  readonly isAbsent: (ip: string) => boolean;
  /** Interfaces that moved to other hosts. */
  readonly lost: ReadonlySet<string>;
}

/** Of a new host, everything that is planned was found, and nothing is missed. */
function sightingOfNew({ entity, interfaces, ports, services }: PlannedHost): HostSighting {
  return {
    found: { hosts: [entity.id], interfaces: idsOf(interfaces), ports: idsOf(ports), services: idsOf(services) },
    missed: [],
  };
}

/** @param plan of the host @param known the host before; null if it is new */
export function sightingOf(
  seen: SeenHost,
  plan: PlannedHost,
  known: Recognized | null,
  { isAbsent, lost, ...given }: Sighted,
): HostSighting {
  if (known === null) return sightingOfNew(plan);
  const hostId = plan.entity.id;
  const interfaces = present(known.interfaces, plan.interfaces).filter(({ entity }) => !lost.has(entity.id));
  const ports = present(known.ports, plan.ports);
  const services = present(known.services, plan.services);
  const judge = createJudge(seen, interfaces, isAbsent);
  const portOf = new Map(ports.map(({ entity }) => [entity.id, entity]));
  /** Found without a port. */
  const running = new Set(plan.services.filter(({ seenAt }) => seenAt.length === 0).map(({ entity }) => entity.id));
  const seenIps = new Set(seen.addresses.map(({ ip }) => ip));

  /** The bindings of a service, without interfaces that moved to other hosts. */
  const boundAt = ({ bindings }: Service): readonly Binding[] =>
    bindings.filter(({ interface_id: id }) => id === null || judge.ipOf.has(id));
  const isFound = (service: Service): boolean =>
    boundAt(service).some((one) => one.type === "Port" && judge.isOpen(portOf.get(one.port_id), one.interface_id));
  const isGone = (service: Service): boolean => {
    const bindings = boundAt(service);
    const isClosed = (one: Binding): boolean =>
      one.type === "Port" && judge.isClosed(portOf.get(one.port_id), one.interface_id);
    return bindings.length > 0 && bindings.every(isClosed);
  };
  const isEnded = (service: Service): boolean =>
    hasEnded(service, seen.containers) && !running.has(service.id) && !isFound(service);
  const missed = [
    ...ports
      .filter((one) => isOurs(one, given) && judge.isClosed(one.entity, null))
      .map((one) => missedOf("ports", one, hostId, portText(one.entity))),
    ...services
      .filter((one) => isOurs(one, given) && (isGone(one.entity) || isEnded(one.entity)))
      .map((one) => missedOf("services", one, hostId, one.entity.name)),
  ];
  const [decisive] = plan.evidence;
  return {
    ...(decisive !== undefined && { how: decisive.by }),
    found: {
      hosts: [hostId],
      interfaces: idsOf(interfaces.filter(({ entity }) => seenIps.has(entity.ip_address))),
      ports: idsOf(ports.filter(({ entity }) => judge.isOpen(entity, null))),
      services: idsOf(services.filter(({ entity }) => running.has(entity.id) || isFound(entity))),
    },
    missed,
  };
}

/** Whether the container of a service does not run, as far as the file says. */
function hasEnded({ virtualization }: Service, containers: SeenContainers | undefined): boolean {
  const name = virtualization?.details["container"];
  if (virtualization === null || typeof name !== "string" || containers === undefined) return false;
  const { running, stopped, allOf } = containers;
  const { type } = virtualization;
  const key = containerKey(type, name);
  return !running.has(key) && (stopped.has(key) || type === allOf);
}

interface Judge {
  /** The addresses of the host by interface. */
  readonly ipOf: ReadonlyMap<string, string>;
  /** @param interfaceId null for any interface of the host */
  isOpen(port: Port | undefined, interfaceId: string | null): boolean;
  /** @param interfaceId null for all interfaces of the host */
  isClosed(port: Port | undefined, interfaceId: string | null): boolean;
}

function createJudge(seen: SeenHost, interfaces: readonly Stored<Interface>[], isAbsent: Sighted["isAbsent"]): Judge {
  const open = new Set(seen.ports.map((port) => `${port.ip ?? ""} ${portText(port)}`));
  const openSomewhere = new Set(seen.ports.map(portText));
  const covered = seen.covered ?? [];
  const everywhere = covered.filter(({ ip }) => ip === null);
  const byIp = new Map<string, CoveredPorts[]>();
  for (const one of covered)
    if (one.ip !== null && (byIp.get(one.ip)?.length ?? 0) < MOST_COVERED) putUnder(byIp, one.ip, one);
  const ipOf = new Map(interfaces.map(({ entity }) => [entity.id, entity.ip_address]));
  const ips = [...new Set(ipOf.values())];
  const reports = (some: readonly CoveredPorts[], port: Port): boolean =>
    some.some((one) => one.protocol === port.protocol && reportsOn(one, port.number));
  const isOpenAt = (ip: string, port: Port): boolean =>
    open.has(` ${portText(port)}`) || open.has(`${ip} ${portText(port)}`);
  const isClosedAt = (ip: string, port: Port): boolean =>
    !isOpenAt(ip, port) && (reports(everywhere, port) || reports(byIp.get(ip) ?? [], port) || isAbsent(ip));
  /** Called for every binding of every service. */
  const closedEverywhere = memoized((port: Port): boolean => {
    if (openSomewhere.has(portText(port))) return false;
    // Without a probed address, only the machine itself can tell.
    return reports(everywhere, port) || (ips.some((ip) => !isAbsent(ip)) && ips.every((ip) => isClosedAt(ip, port)));
  });
  return {
    ipOf,
    isOpen: (port, interfaceId) => {
      if (port === undefined) return false;
      if (interfaceId === null) return openSomewhere.has(portText(port));
      return isOpenAt(ipOf.get(interfaceId) ?? "", port);
    },
    isClosed: (port, interfaceId) => {
      if (port === undefined || covered.length === 0) return false;
      return interfaceId === null ? closedEverywhere(port) : isClosedAt(ipOf.get(interfaceId) ?? "", port);
    },
  };
}

function memoized<Value>(decide: (port: Port) => Value): (port: Port) => Value {
  const known = new Map<string, Value>();
  return (port) => {
    const value = known.get(port.id) ?? decide(port);
    known.set(port.id, value);
    return value;
  };
}

/** Whether a file of this format may miss it: last found by the same format, or by none. */
function isOurs(one: Stored<Entity>, { by, atMs }: Pick<Sighted, "by" | "atMs">): boolean {
  return mayBeMissed(one, atMs) && (one.sighting?.seen ?? { by }).by === by;
}

/** Whether a file may miss it: it existed before the file arrived, and was not found since. */
export function mayBeMissed({ entity, sighting }: Stored<Entity>, atMs: number): boolean {
  const lastAt = sighting?.seen?.last_at;
  return Date.parse(entity.created_at) < atMs && (lastAt === undefined || Date.parse(lastAt) < atMs);
}

export function missedOf(
  kind: Missed["kind"],
  { entity, sighting }: Stored<Entity>,
  hostId: string,
  name: string,
): Missed {
  return { kind, id: entity.id, hostId, name, seen: sighting?.seen ?? null, since: sighting?.missed_since ?? null };
}

/** The children of a host after a plan. */
function present<T extends { readonly id: string }>(
  there: readonly Stored<T>[],
  planned: readonly Planned<T>[],
): Stored<T>[] {
  const all = new Map(there.map((one) => [one.entity.id, one]));
  for (const { entity, before } of planned) all.set(entity.id, { ...before, entity, revision: before?.revision ?? 1 });
  return [...all.values()];
}

function idsOf(found: readonly Pick<Stored<{ id: string }>, "entity">[]): string[] {
  return found.map(({ entity }) => entity.id);
}
