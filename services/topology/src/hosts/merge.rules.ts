import {
  type Binding,
  type BindingInput,
  type HostRecord,
  type Interface,
  MOST_TAGS,
  type Service,
  type Virtualization,
} from "@nts/shared/contract";
import { type BindingJudge, bindingJudge, bindingKey } from "@nts/shared/contract/bindings.rules";
import { MOST_BINDINGS } from "@nts/shared/contract/sizes";
import { changesOf, type Next } from "../storage/changes.rules.js";
import type { Entity, Stored } from "../storage/entities.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { isSynthetic } from "../values/synthetic-names.rules.js";
import { bindingsOf } from "./bindings.rules.js";
import type { HostChanges } from "./host-changes.rules.js";
import { observedTogether, withMissing } from "./missing.rules.js";

// Merges two hosts that are one machine. The children of the other host move; what both have becomes one, as in imports: an
// address in a subnet, a number of a port, a service of one kind on one port. What the remaining host has is kept, and
// what it lacks is taken from the other one.

export interface Merging {
  readonly now: Date;
  readonly newId: () => string;
}

export interface Merged {
  readonly changes: HostChanges;
  /** MAC addresses of the machine that no interface has any more. */
  readonly lostMacs: readonly string[];
  /** What remains, by the ids of what is gone. */
  readonly replacedBy: ReadonlyMap<string, string>;
}

/** @param into the host that remains @param other the host that is gone afterwards */
export function mergeOf(into: KnownHost, other: KnownHost, { now, newId }: Merging): Merged {
  const { id: hostId } = into.host.entity;
  const interfaces = joined(into.interfaces, other.interfaces, {
    keyOf: ({ subnet_id, ip_address }) => `${subnet_id} ${ip_address}`,
    isBetter: (theirs, mine) => theirs.mac_address !== null && mine.mac_address === null,
    filled: interfaceWith,
  });
  const ports = joined(into.ports, other.ports, {
    keyOf: ({ number, protocol }) => `${number} ${protocol}`,
    isBetter: () => false,
    filled: (port, { observed }) => ({ ...port, observed: observedTogether(port.observed, observed) }),
  });
  const judge = bindingJudge({
    interfaces: interfaces.next.map(({ entity }) => entity.id),
    ports: ports.next.map(({ entity }) => entity.id),
  });
  const replacedBy = new Map([...interfaces.replacedBy, ...ports.replacedBy]);
  const services = servicesOf(into, other, { replacedBy, judge });
  const bindingsFor = ({ before: { entity }, bindings }: MergedService): Binding[] =>
    bindings === null
      ? entity.bindings
      : bindingsOf(bindings, entity.bindings, {
          serviceId: entity.id,
          networkId: entity.network_id,
          now: now.toISOString(),
          newId,
        });
  const here = { host_id: hostId };
  const nextServices = services.merged.map((one, position) => ({
    before: one.before,
    entity: { ...one.entity, ...here, position, bindings: bindingsFor(one) },
  }));
  const nextInterfaces = interfaces.next.map(({ before, entity }, position) => ({
    before,
    entity: { ...entity, ...here, position },
  }));
  const nextPorts = ports.next.map(({ before, entity }) => ({ before, entity: { ...entity, ...here } }));
  const cards = new Set(nextInterfaces.map(({ entity }) => entity.mac_address));
  return {
    changes: {
      hosts: {
        created: [],
        changed: changesOf([{ before: into.host, entity: hostWith(into.host.entity, other.host.entity) }], now),
        removed: [other.host.entity],
      },
      interfaces: { created: [], changed: changesOf(nextInterfaces, now), removed: interfaces.removed },
      ports: { created: [], changed: changesOf(nextPorts, now), removed: ports.removed },
      services: { created: [], changed: changesOf(nextServices, now), removed: services.removed },
    },
    replacedBy: new Map([...replacedBy, ...services.replacedBy, [other.host.entity.id, hostId]]),
    lostMacs: interfaces.removed.flatMap(({ mac_address: mac }) => (mac === null || cards.has(mac) ? [] : mac)),
  };
}

interface Joined<T> {
  /** Of the remaining host, then of the other one. */
  readonly next: readonly Next<T>[];
  readonly removed: readonly T[];
  /** What remains, by the id of what it replaces. */
  readonly replacedBy: ReadonlyMap<string, string>;
}

interface Joining<T> {
  /** Unique on a host. */
  readonly keyOf: (entity: T) => string;
  /** Whether theirs remains, rather than mine. */
  readonly isBetter: (theirs: T, mine: T) => boolean;
  /** What remains, with what only the other one has. */
  readonly filled: (remaining: T, other: T) => T;
}

function joined<T extends Entity>(
  mine: readonly Stored<T>[],
  theirs: readonly Stored<T>[],
  { keyOf, isBetter, filled }: Joining<T>,
): Joined<T> {
  const others = new Map(theirs.map((one) => [keyOf(one.entity), one]));
  const removed: T[] = [];
  const replacedBy = new Map<string, string>();
  const next = mine.map((one): Next<T> => {
    const key = keyOf(one.entity);
    const other = others.get(key);
    if (other === undefined) return { before: one, entity: one.entity };
    others.delete(key);
    const before = isBetter(other.entity, one.entity) ? other : one;
    const goes = before === one ? other.entity : one.entity;
    removed.push(goes);
    replacedBy.set(goes.id, before.entity.id);
    return { before, entity: filled(before.entity, goes) };
  });
  return { next: [...next, ...[...others.values()].map(unchanged)], removed, replacedBy };
}

function unchanged<T>(before: Stored<T>): Next<T> {
  return { before, entity: before.entity };
}

function interfaceWith(one: Interface, other: Interface): Interface {
  return {
    ...one,
    name: one.name ?? other.name,
    attributes: withMissing(one.attributes, other.attributes),
    observed: observedTogether(one.observed, other.observed),
    ...(other.is_separate === true && { is_separate: true }),
  };
}

function hostWith(host: HostRecord, other: HostRecord): HostRecord {
  const { hostname } = host;
  const isUnnamed = hostname === null || (isSynthetic(hostname) && other.hostname !== null);
  const virtualization = runsOn(other.virtualization, [host.id, other.id]) ? null : other.virtualization;
  return {
    ...host,
    hostname: isUnnamed ? other.hostname : hostname,
    description: host.description ?? other.description,
    virtualization: host.virtualization ?? virtualization,
    is_known: host.is_known || other.is_known,
    role: host.role ?? other.role,
    attributes: withMissing(host.attributes, other.attributes),
    observed: observedTogether(host.observed, other.observed),
    tags: tagsTogether(host.tags, other.tags),
  };
}

/** A machine does not run on itself. */
function runsOn(virtualization: Virtualization | null, hostIds: readonly string[]): boolean {
  return hostIds.some((id) => virtualization?.details["host_id"] === id);
}

function tagsTogether(tags: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...tags, ...others])].slice(0, MOST_TAGS);
}

interface MergedService extends Next<Service> {
  /** Null if they stay as they are. */
  readonly bindings: readonly BindingInput[] | null;
}

interface Inventory {
  readonly replacedBy: ReadonlyMap<string, string>;
  readonly judge: BindingJudge;
}

function servicesOf(
  into: KnownHost,
  other: KnownHost,
  { replacedBy, judge }: Inventory,
): { merged: MergedService[]; removed: Service[]; replacedBy: ReadonlyMap<string, string> } {
  const merged = into.services.map((one): MergedService => ({
    ...unchanged(one),
    bindings: reboundOf(one, replacedBy),
  }));
  const byKind = new Map<string, number[]>();
  merged.forEach(({ entity }, at) => byKind.set(kindOf(entity), [...(byKind.get(kindOf(entity)) ?? []), at]));
  const removed: Service[] = [];
  const servicesReplacedBy = new Map<string, string>();
  for (const theirs of other.services) {
    const bindings = reboundOf(theirs, replacedBy);
    const their = { ...unchanged(theirs), bindings };
    const candidates = byKind.get(kindOf(theirs.entity)) ?? [];
    const same = candidates.flatMap((at) => {
      const mine = merged[at];
      const both = mine === undefined ? null : boundTogether(mine, their, judge);
      return mine === undefined || both === null ? [] : [{ at, mine, both }];
    })[0];
    if (same === undefined) merged.push(their);
    else {
      const entity = serviceWith(same.mine.entity, theirs.entity);
      merged[same.at] = { before: same.mine.before, entity, bindings: same.both };
      removed.push(theirs.entity);
      servicesReplacedBy.set(theirs.entity.id, entity.id);
    }
  }
  return { merged, removed, replacedBy: servicesReplacedBy };
}

function kindOf({ service_definition, name }: Service): string {
  return `${service_definition}\n${name.toLowerCase()}`;
}

/** The bindings of a service to what remains of its ports and interfaces; null if they stay as they are. */
function reboundOf(
  { entity: { bindings } }: Stored<Service>,
  replacedBy: ReadonlyMap<string, string>,
): BindingInput[] | null {
  const here = (id: string): string => replacedBy.get(id) ?? id;
  const rebound = bindings.map((binding): BindingInput => {
    if (binding.type === "Interface") return { type: "Interface", interface_id: here(binding.interface_id) };
    const { port_id, interface_id } = binding;
    return { type: "Port", port_id: here(port_id), interface_id: interface_id === null ? null : here(interface_id) };
  });
  return rebound.every((binding, at) => bindingKey(binding) === bindingKey(bindings[at] ?? binding)) ? null : rebound;
}

/** The bindings of two services of one kind that are one: they share a port, or have none. Null if they are two. */
function boundTogether(
  mine: MergedService,
  theirs: MergedService,
  judge: BindingJudge,
): readonly BindingInput[] | null {
  const own = mine.bindings ?? mine.entity.bindings;
  const more = theirs.bindings ?? theirs.entity.bindings;
  const ports = new Set(portsIn(own));
  const others = portsIn(more);
  const isOne = ports.size === 0 ? others.length === 0 : others.some((id) => ports.has(id));
  if (!isOne) return null;
  const { kept, conflicts } = judge([...own, ...more]);
  return conflicts.length > 0 || kept.length > MOST_BINDINGS ? null : kept;
}

function portsIn(bindings: readonly BindingInput[]): string[] {
  return bindings.flatMap((binding) => (binding.type === "Port" ? binding.port_id : []));
}

function serviceWith(service: Service, other: Service): Service {
  return {
    ...service,
    virtualization: service.virtualization ?? other.virtualization,
    attributes: withMissing(service.attributes, other.attributes),
    observed: observedTogether(service.observed, other.observed),
    tags: tagsTogether(service.tags, other.tags),
  };
}
