import { putUnder } from "@nts/shared/groups";
import { MOST_CONNECTIONS_OF_FILE, type SeenConnections } from "./connections.rules.js";
import type { NoPlace, Place, PortPlace } from "./dependencies.rules.js";
import type { Planned, PlannedHost, Recognized } from "./plan.rules.js";
import type { Settled } from "./recognition.js";
import { portText, type Skipped } from "./scan.rules.js";

// The machines of a file that tell of connections, and the hosts at the other ends: those of the file as they are after it,
// others as they are in the inventory.

/** A machine with connections, and what it takes to find their other ends. */
export interface AskedConnections {
  /** Null if a dry run would create it. */
  readonly hostId: string | null;
  readonly addresses: readonly string[];
  readonly ports: readonly string[];
}

/** A host of the inventory at one of the addresses, with what is at the ports that were asked for. */
export type KnownPlace = Omit<Place, "isNew">;

export interface ConnectedHosts {
  readonly count: number;
  /** Remembers what becomes of a host, if it is at an end. */
  planned(index: number, plan: PlannedHost, known: Recognized | null): void;
  asked(at: number): AskedConnections;
  /** Null if the machine could not be planned. */
  of(at: number): { readonly seen: SeenConnections; readonly own: Place } | null;
  /** The host of the file at an address; null if none is. */
  at(ip: string): Place | null;
}

/** @param skipped gets what is too much */
export function createConnectedHosts(settled: readonly Settled[], skipped: Pick<Skipped, "add">): ConnectedHosts {
  const all = settled.flatMap(({ seen: { connections, line } }, index) =>
    connections === undefined ? [] : [{ index, connections, line }],
  );
  let total = 0;
  const end = all.findIndex(({ connections }) => (total += connections.list.length) > MOST_CONNECTIONS_OF_FILE);
  const connected = end === -1 ? all : all.slice(0, end);
  const [cut] = all.slice(connected.length);
  if (cut !== undefined)
    skipped.add(
      cut.line,
      `dependencies of ${all.length - connected.length} hosts`,
      `an import looks at ${MOST_CONNECTIONS_OF_FILE.toLocaleString("en")} connections`,
    );
  const ends = connected.flatMap(({ connections }) =>
    connections.list.flatMap(({ client, server }) => [client, server]),
  );
  const wanted = new Set(ends.flatMap(({ isOwn, ip }) => (isOwn || ip === null ? [] : ip)));
  const isOwn = new Set(connected.map(({ index }) => index));
  const places = new Map<number, Place>();
  const indexAt = new Map<string, number>();
  for (const [index, { seen }] of connected.length === 0 ? [] : settled.entries())
    for (const { ip } of seen.addresses) if (wanted.has(ip)) indexAt.set(ip, index);
  const isAtEnd = new Set([...isOwn, ...indexAt.values()]);
  return {
    count: connected.length,
    planned: (index, plan, known) => {
      if (isAtEnd.has(index)) places.set(index, placeOf(plan, known));
    },
    asked: (at) => {
      const { index = -1, connections } = connected[at] ?? {};
      const own = places.get(index);
      const others = (connections?.list ?? []).flatMap(({ client, server }) => [client, server]);
      const there = others.filter((end) => !end.isOwn);
      return {
        hostId: own === undefined || own.isNew ? null : own.id,
        addresses: [...new Set(there.flatMap(({ ip }) => ip ?? []))],
        ports: [...new Set(there.flatMap(({ port }) => (port === null ? [] : portText(port))))],
      };
    },
    of: (at) => {
      const one = connected[at];
      const own = one === undefined ? undefined : places.get(one.index);
      return one === undefined || own === undefined ? null : { seen: one.connections, own };
    },
    at: (ip) => places.get(indexAt.get(ip) ?? -1) ?? null,
  };
}

export const UNKNOWN_HOST: NoPlace = { counted: "unknown_host", reason: "no host has this address" };
export const SEVERAL_HOSTS: NoPlace = { counted: "unclear", reason: "several hosts have this address" };

/** A planned host with all that is on it. */
function placeOf(plan: PlannedHost, known: Recognized | null): Place {
  const named = <T extends { readonly id: string; readonly name: string }>(
    one: Pick<Planned<T>, "action" | "entity">,
  ) => ({
    id: one.entity.id,
    isNew: one.action === "create",
    name: one.entity.name,
  });
  const ports = together(known?.ports, plan.ports);
  const services = together(known?.services, plan.services);
  const boundAt = new Map<string, PortPlace["services"][number][]>();
  for (const one of services)
    for (const binding of one.entity.bindings)
      if (binding.type === "Port")
        putUnder(boundAt, binding.port_id, { ...named(one), interfaceId: binding.interface_id });
  const containers = services.flatMap((one) => {
    const name = one.entity.virtualization?.details["container"];
    return typeof name === "string" ? [[name, named(one)] as const] : [];
  });
  return {
    ...named(plan),
    interfaceOf: new Map(
      together(known?.interfaces, plan.interfaces).map(({ entity }) => [entity.ip_address, entity.id]),
    ),
    ports: ports.map((one) => ({
      id: one.entity.id,
      isNew: one.action === "create",
      text: portText(one.entity),
      services: boundAt.get(one.entity.id) ?? [],
    })),
    containers: new Map(containers),
  };
}

/** What is there, and what is planned. */
function together<T extends { readonly id: string }>(
  there: readonly { readonly entity: T }[] = [],
  planned: readonly Planned<T>[],
): Pick<Planned<T>, "action" | "entity">[] {
  const all = new Map<string, Pick<Planned<T>, "action" | "entity">>(
    there.map(({ entity }) => [entity.id, { action: "unchanged", entity }]),
  );
  for (const { action, entity } of planned) all.set(entity.id, { action, entity });
  return [...all.values()];
}
