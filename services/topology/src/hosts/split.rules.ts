import type { Binding, BindingInput, HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import { hostKind } from "../kinds/host.js";
import { portKind } from "../kinds/port.js";
import { serviceKind } from "../kinds/service.js";
import { changesOf, type Next } from "../storage/changes.rules.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { bindingsOf } from "./bindings.rules.js";
import type { HostChanges } from "./host-changes.rules.js";

// Splits a host that is two machines: a new host gets some interfaces, and what is bound to these alone. What is bound to
// others as well stays, and the new host gets a copy with its own part. What is bound to all interfaces, or to none, stays.

export interface Splitting {
  /** Some of the host's interfaces. */
  readonly interfaceIds: ReadonlySet<string>;
  /** Of the new host. */
  readonly name: string;
  readonly now: Date;
  readonly newId: () => string;
}

export interface Split {
  readonly host: HostRecord;
  readonly changes: HostChanges;
}

export function splitOf(known: KnownHost, splitting: Splitting): Split {
  const { name, now, newId } = splitting;
  const { network_id } = known.host.entity;
  const made = { created_at: now.toISOString(), updated_at: now.toISOString(), network_id };
  const host = hostKind.make({ name, tags: [] }, { ...made, id: newId(), source: { type: "Manual" } });
  const on: On = { ...splitting, made: { ...made, host_id: host.id } };
  const ports = portsOf(known, on);
  const services = servicesOf(known, ports.copies, on);
  return {
    host,
    changes: {
      hosts: { created: [host], changed: [], removed: [] },
      interfaces: { created: [], changed: changesOf(interfacesOf(known, on), now), removed: [] },
      ports: { created: [...ports.copies.values()], changed: changesOf(ports.moved, now), removed: [] },
      services: { created: services.copies, changed: changesOf(services.next, now), removed: [] },
    },
  };
}

interface On extends Splitting {
  /** Members of what is created on the new host. */
  readonly made: Pick<Service, "created_at" | "updated_at" | "network_id" | "host_id">;
}

/** Imports keep the separated ones apart from the others. */
function interfacesOf({ interfaces }: KnownHost, { interfaceIds, made: { host_id } }: On): Next<Interface>[] {
  const leaving = interfaces.filter(({ entity }) => interfaceIds.has(entity.id));
  const staying = interfaces.filter(({ entity }) => !interfaceIds.has(entity.id));
  return [
    ...staying.map((before, position) => ({ before, entity: { ...before.entity, position } })),
    ...leaving.map((before, position) => ({
      before,
      entity: { ...before.entity, host_id, position, is_separate: true },
    })),
  ];
}

interface SplitPorts {
  readonly moved: readonly Next<Port>[];
  /** Copies of the ports that stay as well, by the ids of these. */
  readonly copies: ReadonlyMap<string, Port>;
}

function portsOf({ ports, services }: KnownHost, { interfaceIds, made, newId }: On): SplitPorts {
  const leaving = new Set<string>();
  const staying = new Set<string>();
  for (const { entity } of services)
    for (const binding of entity.bindings)
      if (binding.type === "Port") (isLeaving(binding, interfaceIds) ? leaving : staying).add(binding.port_id);
  const theirs = ports.filter(({ entity }) => leaving.has(entity.id));
  const shared = theirs.filter(({ entity }) => staying.has(entity.id));
  return {
    moved: theirs
      .filter(({ entity }) => !staying.has(entity.id))
      .map((before) => ({ before, entity: { ...before.entity, host_id: made.host_id } })),
    copies: new Map(
      shared.map(({ entity }) => {
        const { id, type, observed } = entity;
        return [id, portKind.make(entity, { ...made, id: newId(), type, observed })];
      }),
    ),
  };
}

function isLeaving({ interface_id }: BindingInput, interfaceIds: ReadonlySet<string>): boolean {
  return interface_id !== null && interfaceIds.has(interface_id);
}

interface SplitServices {
  readonly next: readonly Next<Service>[];
  readonly copies: readonly Service[];
}

function servicesOf({ services }: KnownHost, ports: ReadonlyMap<string, Port>, on: On): SplitServices {
  const { interfaceIds, made, newId } = on;
  const next: Next<Service>[] = [];
  const copies: Service[] = [];
  let staying = 0;
  let leaving = 0;
  for (const before of services) {
    const { entity } = before;
    const theirs = entity.bindings.filter((binding) => isLeaving(binding, interfaceIds));
    const own = entity.bindings.filter((binding) => !isLeaving(binding, interfaceIds));
    if (theirs.length > 0 && own.length === 0) {
      const bindings = boundTo(theirs, ports, { ...on, serviceId: entity.id, current: entity.bindings });
      const place = { host_id: made.host_id, position: leaving++ };
      next.push({ before, entity: { ...entity, ...place, bindings } });
      continue;
    }
    next.push({ before, entity: { ...entity, position: staying++, bindings: own } });
    if (theirs.length === 0) continue;
    const id = newId();
    const { source, observed } = entity;
    const bindings = boundTo(theirs, ports, { ...on, serviceId: id, current: [] });
    copies.push(serviceKind.make(entity, { ...made, id, position: leaving++, source, observed, bindings }));
  }
  return { next, copies };
}

/** Bindings on the new host; those to copies of ports are new. */
function boundTo(
  bindings: readonly Binding[],
  ports: ReadonlyMap<string, Port>,
  {
    made,
    newId,
    serviceId,
    current,
  }: On & {
    readonly serviceId: string;
    readonly current: readonly Binding[];
  },
): Binding[] {
  const here = bindings.map((binding): BindingInput => {
    if (binding.type === "Interface") return binding;
    const { port_id, interface_id } = binding;
    return { type: "Port", port_id: ports.get(port_id)?.id ?? port_id, interface_id };
  });
  const owner = { serviceId, networkId: made.network_id, now: made.created_at, newId };
  return bindingsOf(here, current, owner);
}
