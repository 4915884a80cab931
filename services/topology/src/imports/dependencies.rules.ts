import type { Dependency, ImportedDependency, SkippedPart } from "@nts/shared/contract";
import { dependencyText } from "@nts/shared/contract/names.rules";
import { MOST_DEPENDENCIES_OF_HOST } from "@nts/shared/contract/sizes";
import { putUnder } from "@nts/shared/groups";
import type { Stored } from "../storage/entities.js";
import { isOfItself } from "../values/ends.rules.js";
import { NOTHING_LEFT_OUT, type NotMade, type SeenConnections, type SeenEnd, sumOf } from "./connections.rules.js";
import type { Makers } from "./makers.rules.js";
import { portText } from "./scan.rules.js";
import { type Missed, mayBeMissed, missedOf } from "./sightings.rules.js";

// Connections of a machine as dependencies: their ends are found among hosts, ports and services, then compared with what is
// known between the same hosts. What says less is the same as the only one that says more, so that a list without processes
// adds nothing; what has been found and says less is replaced by what says more. What people have written stays as it is.

/** A host at an end, as it is known, or will be. */
export interface Place {
  readonly id: string;
  /** A dry run would create it. */
  readonly isNew: boolean;
  readonly name: string;
  /** The interfaces of its addresses. */
  readonly interfaceOf: ReadonlyMap<string, string>;
  readonly ports: readonly PortPlace[];
  /** Those in containers, by their names. */
  readonly containers: ReadonlyMap<string, Named>;
}

export interface Named {
  readonly id: string;
  readonly isNew: boolean;
  readonly name: string;
}

export interface PortPlace {
  readonly id: string;
  readonly isNew: boolean;
  /** Such as `443/tcp`. */
  readonly text: string;
  /** The services that are bound to it, each at an interface, or at all. */
  readonly services: readonly (Named & { readonly interfaceId: string | null })[];
}

/** Why there is no host at an address. */
export interface NoPlace {
  readonly counted: keyof NotMade;
  readonly reason: string;
}

export type PlaceAt = (ip: string) => Place | NoPlace;

export interface DependencyPlanning {
  readonly networkId: string;
  readonly now: string;
  /** The format of the file, and when it arrived. */
  readonly by: string;
  readonly atMs: number;
  readonly newId: () => string;
  readonly make: Makers["dependency"];
  /** The machine whose connections they are. */
  readonly own: Place;
  readonly placeAt: PlaceAt;
  /** All of the machine, at either end. */
  readonly there: readonly Stored<Dependency>[];
}

export interface PlannedDependency {
  readonly action: ImportedDependency["action"];
  readonly before: Stored<Dependency> | null;
  readonly entity: Dependency;
  readonly result: ImportedDependency;
}

export interface PlannedDependencies {
  readonly planned: readonly PlannedDependency[];
  readonly missed: readonly Missed[];
  readonly notMade: NotMade;
  readonly skipped: readonly SkippedPart[];
}

/** A connection whose ends are known. */
interface Settled {
  readonly line: number;
  readonly client: SettledEnd & { readonly process: string | null };
  readonly server: SettledEnd & { readonly port: PortPlace | null };
}

interface SettledEnd {
  readonly host: Place;
  readonly service: Named | null;
}

export function planDependencies(seen: SeenConnections, planning: DependencyPlanning): PlannedDependencies {
  const skipped: SkippedPart[] = [];
  const counts = { ...NOTHING_LEFT_OUT };
  const listed = new Set<string>();
  const settled = settledIn(seen, planning, (line, what, { counted, reason }) => {
    counts[counted]++;
    if (!listed.has(what)) skipped.push({ line, what, reason });
    listed.add(what);
  });
  const known = new Map<string, Stored<Dependency>[]>();
  for (const one of planning.there) putUnder(known, pairOf(one.entity), one);
  const taken = new Map<string, PlannedDependency>();
  const met = new Set<string>();
  let room = MOST_DEPENDENCIES_OF_HOST - planning.there.length;
  // What says most comes first, so that the rest is found to be the same.
  for (const one of settled.sort((a, b) => detailOf(b) - detailOf(a))) {
    const pair = known.get(`${one.client.host.id} ${one.server.host.id}`) ?? [];
    const agreeing = pair.filter(({ entity }) => agree(one, entity));
    for (const { entity } of agreeing) met.add(entity.id);
    const planned = plannedFor(one, agreeing, planning);
    if (planned === null) continue;
    const { action, entity } = planned;
    if (action === "create" && --room < 0) {
      const most = MOST_DEPENDENCIES_OF_HOST.toLocaleString("en");
      skipped.push({
        line: one.line,
        what: `dependency ${dependencyText(planned.result)}`,
        reason: `a host can have at most ${most}`,
      });
      continue;
    }
    if (action !== "create") {
      if (!taken.has(entity.id)) taken.set(entity.id, planned);
      continue;
    }
    taken.set(entity.id, planned);
    known.set(pairOf(entity), [...pair, { entity, revision: 1 }]);
  }
  const planned = [...taken.values()].sort((a, b) => a.result.line - b.result.line);
  return { planned, missed: missedBy(seen, met, planning), notMade: sumOf([seen.notMade, counts]), skipped };
}

/** @param leaveOut is given each connection with an end that is at no known host */
function settledIn(
  { list }: SeenConnections,
  { own, placeAt }: DependencyPlanning,
  leaveOut: (line: number, what: string, reason: NoPlace) => void,
): Settled[] {
  return list.flatMap(({ line, client, server }) => {
    const from = client.isOwn ? own : placeAt(client.ip ?? "");
    const to = server.isOwn ? own : placeAt(server.ip ?? "");
    if ("reason" in from) leaveOut(line, `client ${endText(client)}`, from);
    else if ("reason" in to) leaveOut(line, `server ${endText(server)}`, to);
    else
      return {
        line,
        client: { host: from, service: serviceAt(from, client), process: client.process },
        server: { host: to, service: serviceAt(to, server), port: portAt(to, server) },
      };
    return [];
  });
}

function endText({ ip, port, container }: SeenEnd): string {
  return [ip ?? container ?? "", port === null ? "" : portText(port)].filter((part) => part !== "").join(" ");
}

function portAt({ ports }: Place, { port }: SeenEnd): PortPlace | null {
  return port === null ? null : (ports.find(({ text }) => text === portText(port)) ?? null);
}

/** The only service there; null if there is none, or several. */
function serviceAt(host: Place, end: SeenEnd): Named | null {
  const contained = end.container === null ? undefined : host.containers.get(end.container);
  if (contained !== undefined) return contained;
  const at = end.ip === null ? null : (host.interfaceOf.get(end.ip) ?? null);
  const bound = (portAt(host, end)?.services ?? []).filter(
    ({ interfaceId }) => interfaceId === null || at === null || interfaceId === at,
  );
  const [first, ...more] = new Map(bound.map((one) => [one.id, one])).values();
  return first === undefined || more.length > 0 ? null : first;
}

function detailOf({ client, server }: Settled): number {
  return [client.service ?? client.process, server.service, server.port].filter((one) => one !== null).length;
}

function pairOf({ client, server }: Pick<Dependency, "client" | "server">): string {
  return `${client.host_id} ${server.host_id}`;
}

/** Whether a connection between the same hosts may be what a dependency says. */
function agree({ client, server }: Settled, known: Dependency): boolean {
  return isClientOf(client, known.client) && isServerOf(server, known.server);
}

function isClientOf({ service, process }: Settled["client"], known: Dependency["client"]): boolean {
  if (known.service_id !== null) return service === null ? process === null : service.id === known.service_id;
  if (service === null) return process === null || known.process === null || process === known.process;
  return known.process === null || known.process === process;
}

function isServerOf({ service, port }: Settled["server"], known: Dependency["server"]): boolean {
  // An unknown port is none of those that are known.
  if (port === null && service === null) return known.service_id === null && known.port_id === null;
  if (port !== null && known.port_id !== null && port.id !== known.port_id) return false;
  if (service !== null) return known.service_id === null || service.id === known.service_id;
  return known.service_id === null || known.port_id === port?.id;
}

/** What becomes of a connection; null if it says less than several that are known. */
function plannedFor(
  one: Settled,
  agreeing: readonly Stored<Dependency>[],
  planning: DependencyPlanning,
): PlannedDependency | null {
  const more = agreeing.filter(({ entity }) => addsTo(one, entity) === null);
  const same = more.find(({ entity }) => isExact(one, entity)) ?? (more.length === 1 ? more[0] : undefined);
  if (same !== undefined)
    return {
      action: "unchanged",
      before: same,
      entity: same.entity,
      result: resultOf("unchanged", one, same.entity.id),
    };
  if (more.length > 1) return null;
  const [less, ...others] = agreeing;
  const next = less === undefined || others.length > 0 ? null : addsTo(one, less.entity);
  if (less !== undefined && next !== null && isFound(less.entity)) {
    const entity = { ...less.entity, ...next };
    return { action: "update", before: less, entity, result: resultOf("update", one, entity.id) };
  }
  const { networkId, now, newId, make } = planning;
  const made = { id: newId(), created_at: now, updated_at: now, network_id: networkId };
  const entity = make({ ...endsOf(one), note: null }, { ...made, source: "Discovery" });
  // What would be on itself says nothing.
  return isOfItself(entity)
    ? null
    : { action: "create", before: null, entity, result: resultOf("create", one, entity.id) };
}

/** Imports may say more of it: nobody has written anything to it. */
function isFound({ source, note }: Dependency): boolean {
  return source === "Discovery" && note === null;
}

function endsOf({ client, server }: Settled): Pick<Dependency, "client" | "server"> {
  return {
    client: {
      host_id: client.host.id,
      service_id: client.service?.id ?? null,
      process: client.service === null ? client.process : null,
    },
    server: { host_id: server.host.id, service_id: server.service?.id ?? null, port_id: server.port?.id ?? null },
  };
}

/** The ends of a dependency with what a connection says besides; null if it says nothing more. */
function addsTo(one: Settled, known: Dependency): Pick<Dependency, "client" | "server"> | null {
  const { client, server } = endsOf(one);
  const service_id = known.client.service_id ?? client.service_id;
  const next = {
    client: {
      ...known.client,
      service_id,
      process: service_id === null ? (known.client.process ?? client.process) : null,
    },
    server: {
      ...known.server,
      service_id: known.server.service_id ?? server.service_id,
      port_id: known.server.port_id ?? server.port_id,
    },
  };
  // The port is a detail of what a person has written.
  const isSame =
    next.client.service_id === known.client.service_id &&
    next.client.process === known.client.process &&
    next.server.service_id === known.server.service_id &&
    (next.server.port_id === known.server.port_id || (!isFound(known) && known.server.service_id !== null));
  return isSame ? null : next;
}

function isExact(one: Settled, known: Dependency): boolean {
  const { client, server } = endsOf(one);
  return (
    client.service_id === known.client.service_id &&
    client.process === known.client.process &&
    server.service_id === known.server.service_id &&
    server.port_id === known.server.port_id
  );
}

/** Of a list of all: what this format has found before, and no connection shows. */
function missedBy(
  { areAll }: SeenConnections,
  met: ReadonlySet<string>,
  { there, by, atMs }: DependencyPlanning,
): Missed[] {
  if (!areAll) return [];
  return there
    .filter((one) => !met.has(one.entity.id) && one.sighting?.seen?.by === by && mayBeMissed(one, atMs))
    .map((one) => missedOf("dependencies", one, one.entity.client.host_id, one.entity.client.process ?? ""));
}

function resultOf(
  action: ImportedDependency["action"],
  { line, client, server }: Settled,
  id: string,
): ImportedDependency {
  const idOf = (one: { readonly id: string; readonly isNew: boolean } | null): string | null =>
    one === null || one.isNew ? null : one.id;
  return {
    line,
    action,
    id,
    client: {
      host_id: idOf(client.host),
      host_name: client.host.name,
      service_id: idOf(client.service),
      service_name: client.service?.name ?? null,
      process: client.service === null ? client.process : null,
    },
    server: {
      host_id: idOf(server.host),
      host_name: server.host.name,
      service_id: idOf(server.service),
      service_name: server.service?.name ?? null,
      port: server.port?.text ?? null,
    },
    error: null,
  };
}
