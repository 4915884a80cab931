import type { BindingInput, HostRecord, Interface, Port, Service, Virtualization } from "@nts/shared/contract";
import { canonicalId, isId } from "@nts/shared/contract";
import { bindingJudge, type BindingJudge } from "@nts/shared/contract/bindings.rules";
import { bindingsOf } from "../hosts/bindings.rules.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import type { Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import { parseAddress } from "../values/addresses.js";
import { portType } from "../values/well-known-ports.rules.js";
import type { ArchivedForms } from "./forms.js";

// What an archive makes of a host: what is not there is added, what differs is put back, and nothing goes. What was added to the
// host since stands behind what the archive has.

/** A host of an archive with what stands on it. */
export interface HostGroup {
  readonly line: number;
  /** Of what stands on it, by the ids in the archive. */
  readonly lines: ReadonlyMap<string, number>;
  readonly host: ArchivedForms["Host"];
  readonly interfaces: readonly ArchivedForms["Interface"][];
  readonly ports: readonly ArchivedForms["Port"][];
  readonly services: readonly ArchivedForms["Service"][];
}

/** A host that is there, with everything on it. */
export interface PresentHost {
  readonly host: Stored<HostRecord>;
  readonly interfaces: readonly Stored<Interface>[];
  readonly ports: readonly Stored<Port>[];
  readonly services: readonly Stored<Service>[];
}

/** What ids of the archive are here. */
export interface Naming {
  /** Of networks, subnets and tags. */
  readonly place: (id: string) => string;
  /** Of whatever is made for it. */
  readonly derived: (id: string) => string;
  /** Of a host or service that runs something. */
  readonly runner: (id: string) => string;
  readonly newId: () => string;
}

export interface Change<T> {
  readonly before: Stored<T>;
  readonly after: Stored<T>;
}

export interface Writes<T> {
  readonly created: readonly T[];
  readonly changed: readonly Change<T>[];
  /** How many stay as they are. */
  readonly unchanged: number;
}

export interface HostPlan {
  readonly hosts: Writes<HostRecord>;
  readonly interfaces: Writes<Interface>;
  readonly ports: Writes<Port>;
  readonly services: Writes<Service>;
}

/** True when nothing is to be written. */
export function isNothing({ hosts, interfaces, ports, services }: HostPlan): boolean {
  return [hosts, interfaces, ports, services].every(({ created, changed }) => created.length + changed.length === 0);
}

/** @param present null where the host is not there @throws AppError `mac_address_immutable` */
export function planHost(group: HostGroup, present: PresentHost | null, naming: Naming, now: Date): HostPlan {
  const { host: asked } = group;
  const made = { created_at: earlier(asked.created_at, now), updated_at: now.toISOString() };
  const host: HostRecord = {
    id: present?.host.entity.id ?? naming.derived(asked.id),
    ...made,
    network_id: naming.place(asked.network_id),
    name: asked.name,
    hostname: asked.hostname ?? null,
    description: asked.description ?? null,
    hidden: asked.hidden ?? false,
    source: asked.source,
    virtualization: virtualizationOf(asked.virtualization ?? null, naming),
    tags: tagsOf(asked.tags, naming),
  };
  const on: OnHost = { hostId: host.id, networkId: host.network_id, naming, now };
  const interfaces = interfacesOn(on, group, present?.interfaces ?? []);
  const ports = portsOn(on, group, present?.ports ?? []);
  const ids = new Map([...interfaces.ids, ...ports.ids]);
  const judge = bindingJudge({ ports: [...ports.ids.values()], interfaces: [...interfaces.ids.values()] });
  const services = servicesOn(on, group, present?.services ?? [], { ids, judge });
  return {
    hosts: writesOf(present === null ? [] : [present.host], [host], { now, of: 1 }),
    interfaces: writesOf(present?.interfaces ?? [], interfaces.wanted, { now, of: group.interfaces.length }),
    ports: writesOf(present?.ports ?? [], ports.wanted, { now, of: group.ports.length }),
    services: writesOf(present?.services ?? [], services, { now, of: group.services.length }),
  };
}

interface OnHost {
  readonly hostId: string;
  readonly networkId: string;
  readonly naming: Naming;
  readonly now: Date;
}

interface Wanted<T> {
  /** What is to be there, of what the archive has, and of what has to make room for it. */
  readonly wanted: readonly T[];
  /** By the ids in the archive. */
  readonly ids: ReadonlyMap<string, string>;
}

function interfacesOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Interface>[],
): Wanted<Interface> {
  const placeOf = (one: { subnet_id: string; ip_address: string }): string => `${one.subnet_id} ${one.ip_address}`;
  const find = finder(present, group.interfaces, naming, placeOf);
  const found = inPlaces(group.interfaces).map((asked): [string, Interface] => {
    const subnet_id = naming.place(asked.subnet_id);
    const ip_address = parseAddress(asked.ip_address).text;
    const current = find(asked.id, placeOf({ subnet_id, ip_address }));
    return [
      asked.id,
      {
        id: current?.id ?? naming.derived(asked.id),
        created_at: current?.created_at ?? earlier(asked.created_at, now),
        updated_at: now.toISOString(),
        network_id: networkId,
        host_id: hostId,
        subnet_id,
        ip_address,
        name: asked.name,
        mac_address: nextMacAddress(current?.mac_address ?? null, asked.mac_address),
        position: 0,
      },
    ];
  });
  return { wanted: placed(found.map(([, one]) => one), present), ids: idsOf(found) }; // prettier-ignore
}

function portsOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Port>[],
): Wanted<Port> {
  const placeOf = ({ protocol, number }: { protocol: string; number: number }): string => `${protocol} ${number}`;
  const find = finder(present, group.ports, naming, placeOf);
  const found = group.ports.map(({ id, created_at, number, protocol }): [string, Port] => {
    const current = find(id, placeOf({ number, protocol }));
    return [
      id,
      {
        id: current?.id ?? naming.derived(id),
        created_at: current?.created_at ?? earlier(created_at, now),
        updated_at: now.toISOString(),
        ...{ network_id: networkId, host_id: hostId, number, protocol, type: portType(number, protocol) },
      },
    ];
  });
  return { wanted: found.map(([, one]) => one), ids: idsOf(found) };
}

function servicesOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Service>[],
  { ids, judge }: { ids: ReadonlyMap<string, string>; judge: BindingJudge },
): readonly Service[] {
  const find = finder(present, group.services, naming, () => "");
  const services = inPlaces(group.services).map((asked): Service => {
    const current = find(asked.id, null);
    const id = current?.id ?? naming.derived(asked.id);
    const owner = { serviceId: id, networkId, now: now.toISOString(), newId: naming.newId };
    const bindings = judge(asked.bindings.map((binding) => boundHere(binding, ids))).kept;
    return {
      id,
      created_at: current?.created_at ?? earlier(asked.created_at, now),
      updated_at: now.toISOString(),
      network_id: networkId,
      host_id: hostId,
      bindings: bindingsOf(bindings, current?.bindings ?? [], owner),
      name: asked.name,
      position: 0,
      service_definition: asked.service_definition,
      source: asked.source,
      tags: tagsOf(asked.tags, naming),
      virtualization: virtualizationOf(asked.virtualization ?? null, naming),
    };
  });
  return placed(services, present);
}

function boundHere(binding: BindingInput, ids: ReadonlyMap<string, string>): BindingInput {
  const here = (id: string): string => ids.get(id) ?? id;
  if (binding.type === "Interface") return { ...binding, interface_id: here(binding.interface_id) };
  const { port_id, interface_id } = binding;
  return { ...binding, port_id: here(port_id), interface_id: interface_id === null ? null : here(interface_id) };
}

/** Finds what there is for something of the archive: by its id, by the id that is made for it, or by what a host has once. */
function finder<T extends { readonly id: string }>(
  present: readonly Stored<T>[],
  asked: readonly { readonly id: string }[],
  { derived }: Naming,
  placeOf: (entity: T) => string,
): (id: string, place: string | null) => T | undefined {
  const byId = new Map(present.map(({ entity }) => [entity.id, entity]));
  const known = new Set(asked.flatMap(({ id }) => [id, derived(id)]));
  const others = present.filter(({ entity }) => !known.has(entity.id));
  const byPlace = new Map(others.map(({ entity }) => [placeOf(entity), entity]));
  return (id, place) => byId.get(id) ?? byId.get(derived(id)) ?? (place === null ? undefined : byPlace.get(place));
}

function inPlaces<T extends { readonly position: number }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => a.position - b.position);
}

/** Gives positions: first what the archive has, then what was added since. */
function placed<T extends { readonly id: string; readonly position: number }>(
  wanted: readonly T[],
  present: readonly Stored<T>[],
): T[] {
  const mine = new Set(wanted.map(({ id }) => id));
  const others = present.map(({ entity }) => entity).filter(({ id }) => !mine.has(id));
  return [...wanted, ...inPlaces(others)].map((one, position) => ({ ...one, position }));
}

function idsOf(found: readonly (readonly [string, { readonly id: string }])[]): ReadonlyMap<string, string> {
  return new Map(found.map(([id, entity]) => [id, entity.id]));
}

/** Parts what is wanted into what is new, what changes, and what is as it is to be. @param of how much of it the archive has */
export function writesOf<T extends { readonly id: string; readonly created_at: string; readonly updated_at: string }>(
  present: readonly Stored<T>[],
  wanted: readonly T[],
  { now, of }: { now: Date; of: number },
): Writes<T> {
  const byId = new Map(present.map((one) => [one.entity.id, one]));
  const created: T[] = [];
  const changed: Change<T>[] = [];
  for (const one of wanted) {
    const before = byId.get(one.id);
    const after = before === undefined ? null : revised(before, { ...before.entity, ...one, ...keptOf(before.entity) }, now); // prettier-ignore
    if (before === undefined) created.push(one);
    else if (after !== null) changed.push({ before, after });
  }
  return { created, changed, unchanged: Math.max(0, of - created.length - changed.length) };
}

/** What is the server's. */
function keptOf<T extends object>(entity: T): Partial<T> {
  const { created_at, source } = entity as { created_at?: unknown; source?: unknown };
  return { created_at, ...(source !== undefined && { source }) } as unknown as Partial<T>;
}

export function earlier(time: string, now: Date): string {
  const present = now.toISOString();
  return time < present ? time : present;
}

export function tagsOf(tags: readonly string[], { place }: Pick<Naming, "place">): string[] {
  return [...new Set(tags.map((tag) => (isId(tag) ? place(tag) : tag)))];
}

/** The host or service that runs something is known by its id here. */
function virtualizationOf(virtualization: Virtualization | null, { runner }: Naming): Virtualization | null {
  if (virtualization === null) return null;
  const details = { ...virtualization.details };
  for (const name of RUNNERS) {
    const id = runnerIn(details[name]);
    if (id !== null && runner(id) !== id) details[name] = runner(id);
  }
  return { ...virtualization, details };
}

const RUNNERS = ["service_id", "host_id"] as const;

function runnerIn(value: unknown): string | null {
  const id = typeof value === "string" ? canonicalId(value) : "";
  return isId(id) ? id : null;
}

/** The ids that the virtualization of a host, or of something on it, names. */
export function runnersIn({ host, services }: HostGroup): string[] {
  const all = [host, ...services].flatMap(({ virtualization }) => (virtualization ? [virtualization.details] : []));
  return all.flatMap((details) => RUNNERS.flatMap((name) => runnerIn(details[name]) ?? []));
}
