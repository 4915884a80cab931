import type { BindingInput, HostRecord, Interface, Port, Service, Virtualization } from "@nts/shared/contract";
import { canonicalId, isId } from "@nts/shared/contract";
import { bindingJudge, type BindingJudge } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";
import type { Change } from "../commit/changes.rules.js";
import { bindingsOf } from "../hosts/bindings.rules.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import type { Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import { parseAddress } from "../values/addresses.js";
import { portType } from "../values/well-known-ports.rules.js";
import type { ArchivedForms } from "./forms.js";
import { hostKind } from "../kinds/host.js";
import { interfaceKind } from "../kinds/interface.js";
import { portKind } from "../kinds/port.js";
import { serviceKind } from "../kinds/service.js";

// Plans the import of a host: missing children are created, changed ones restored, and none deleted. Children that were added
// since the export are positioned after those of the archive. Members that a line does not have, such as those that its
// version did not know, stay as they are.

/** A host of an archive with its children. */
export interface HostGroup {
  readonly line: number;
  /** Line numbers of the children, by their ids in the archive. */
  readonly lines: ReadonlyMap<string, number>;
  readonly host: ArchivedForms["Host"];
  readonly interfaces: readonly ArchivedForms["Interface"][];
  readonly ports: readonly ArchivedForms["Port"][];
  readonly services: readonly ArchivedForms["Service"][];
}

/** An existing host with its children. */
export interface PresentHost {
  readonly host: Stored<HostRecord>;
  readonly interfaces: readonly Stored<Interface>[];
  readonly ports: readonly Stored<Port>[];
  readonly services: readonly Stored<Service>[];
}

/** Maps ids of the archive to local ids. */
export interface Naming {
  /** For networks, subnets and tags. */
  readonly place: (id: string) => string;
  /** For entities created by the import. */
  readonly derived: (id: string) => string;
  /** For what a virtualization, a view or a dependency references, which need not exist. */
  readonly runner: (id: string) => string;
  readonly newId: () => string;
}

export interface Writes<T> {
  readonly created: readonly T[];
  readonly changed: readonly Change<T>[];
  /** Number of unchanged entities. */
  readonly unchanged: number;
}

export interface HostPlan {
  readonly hosts: Writes<HostRecord>;
  readonly interfaces: Writes<Interface>;
  readonly ports: Writes<Port>;
  readonly services: Writes<Service>;
}

export interface PlannedHost extends HostPlan {
  /** Local ids of ports and interfaces, by the ids in the archive. */
  readonly ids: ReadonlyMap<string, string>;
}

/** True if there is nothing to write. */
export function isNothing({ hosts, interfaces, ports, services }: HostPlan): boolean {
  return [hosts, interfaces, ports, services].every(({ created, changed }) => created.length + changed.length === 0);
}

/** @param present null if the host does not exist @throws AppError `mac_address_immutable` · `network_mismatch` */
export function planHost(group: HostGroup, present: PresentHost | null, naming: Naming, now: Date): PlannedHost {
  const { host: archived } = group;
  const made = { created_at: earlier(archived.created_at, now), updated_at: now.toISOString() };
  const host = hostKind.make(
    here(archived, naming),
    {
      observed: archived.observed,
      id: present?.host.entity.id ?? naming.derived(archived.id),
      ...made,
      network_id: naming.place(archived.network_id),
      source: archived.source,
    },
    present?.host.entity,
  );
  const on: OnHost = { hostId: host.id, networkId: host.network_id, naming, now };
  const interfaces = interfacesOn(on, group, present?.interfaces ?? []);
  const ports = portsOn(on, group, present?.ports ?? []);
  const ids = new Map([...interfaces.ids, ...ports.ids]);
  const judge = bindingJudge({ ports: [...ports.ids.values()], interfaces: [...interfaces.ids.values()] });
  const services = servicesOn(on, group, present?.services ?? [], { ids, judge });
  return {
    ids,
    hosts: writesOf(present === null ? [] : [present.host], [host], { now, of: 1 }),
    interfaces: writesOf(present?.interfaces ?? [], interfaces.target, { now, of: group.interfaces.length }),
    ports: writesOf(present?.ports ?? [], ports.target, { now, of: group.ports.length }),
    services: writesOf(present?.services ?? [], services, { now, of: group.services.length }),
  };
}

interface OnHost {
  readonly hostId: string;
  readonly networkId: string;
  readonly naming: Naming;
  readonly now: Date;
}

interface TargetState<T> {
  /** The target state of the archived entities, and of existing ones whose positions shift. */
  readonly target: readonly T[];
  /** By the ids in the archive. */
  readonly ids: ReadonlyMap<string, string>;
}

function interfacesOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Interface>[],
): TargetState<Interface> {
  const placeOf = (one: { subnet_id: string; ip_address: string }): string => `${one.subnet_id} ${one.ip_address}`;
  const find = finder(present, group.interfaces, naming, placeOf);
  const found = inPlaces(group.interfaces).map((archived): [string, Interface] => {
    const subnet_id = naming.place(archived.subnet_id);
    const ip_address = parseAddress(archived.ip_address).text;
    const current = find(archived.id, placeOf({ subnet_id, ip_address }));
    return [
      archived.id,
      interfaceKind.make(
        archived,
        {
          observed: archived.observed,
          id: current?.id ?? naming.derived(archived.id),
          created_at: current?.created_at ?? earlier(archived.created_at, now),
          updated_at: now.toISOString(),
          network_id: networkId,
          host_id: hostId,
          subnet_id,
          ip_address,
          mac_address: nextMacAddress(current?.mac_address ?? null, archived.mac_address),
          position: 0,
          is_separate: archived.is_separate,
        },
        current,
      ),
    ];
  });
  return {
    target: placed(
      found.map(([, one]) => one),
      present,
    ),
    ids: idsOf(found),
  };
}

function portsOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Port>[],
): TargetState<Port> {
  const placeOf = ({ protocol, number }: { protocol: string; number: number }): string => `${protocol} ${number}`;
  const find = finder(present, group.ports, naming, placeOf);
  const found = group.ports.map((archived): [string, Port] => {
    const { id, created_at, number, protocol } = archived;
    const current = find(id, placeOf({ number, protocol }));
    return [
      id,
      portKind.make(
        archived,
        {
          observed: archived.observed,
          id: current?.id ?? naming.derived(id),
          created_at: current?.created_at ?? earlier(created_at, now),
          updated_at: now.toISOString(),
          network_id: networkId,
          host_id: hostId,
          type: portType(number, protocol),
        },
        current,
      ),
    ];
  });
  return { target: found.map(([, one]) => one), ids: idsOf(found) };
}

function servicesOn(
  { hostId, networkId, naming, now }: OnHost,
  group: HostGroup,
  present: readonly Stored<Service>[],
  { ids, judge }: { ids: ReadonlyMap<string, string>; judge: BindingJudge },
): readonly Service[] {
  const find = finder(present, group.services, naming, () => "");
  const services = inPlaces(group.services).map((archived): Service => {
    const current = find(archived.id, null);
    const id = current?.id ?? naming.derived(archived.id);
    const owner = { serviceId: id, networkId, now: now.toISOString(), newId: naming.newId };
    const bindings = judge(archived.bindings.map((binding) => boundHere(binding, ids))).kept;
    return serviceKind.make(
      here(archived, naming),
      {
        observed: archived.observed,
        id,
        created_at: current?.created_at ?? earlier(archived.created_at, now),
        updated_at: now.toISOString(),
        network_id: networkId,
        host_id: hostId,
        bindings: bindingsOf(bindings, current?.bindings ?? [], owner),
        position: 0,
        source: archived.source,
      },
      current,
    );
  });
  return placed(services, present);
}

function boundHere(binding: BindingInput, ids: ReadonlyMap<string, string>): BindingInput {
  const here = (id: string): string => ids.get(id) ?? id;
  if (binding.type === "Interface") return { ...binding, interface_id: here(binding.interface_id) };
  const { port_id, interface_id } = binding;
  return { ...binding, port_id: here(port_id), interface_id: interface_id === null ? null : here(interface_id) };
}

/** Finds the existing counterpart of an archived entity: by its id, by its derived id, or by a key that is unique on the host. */
function finder<T extends { readonly id: string }>(
  present: readonly Stored<T>[],
  archived: readonly { readonly id: string }[],
  { derived }: Naming,
  placeOf: (entity: T) => string,
): (id: string, place: string | null) => T | undefined {
  const byId = new Map(present.map(({ entity }) => [entity.id, entity]));
  const known = new Set(archived.flatMap(({ id }) => [id, derived(id)]));
  const others = present.filter(({ entity }) => !known.has(entity.id));
  const byPlace = new Map(others.map(({ entity }) => [placeOf(entity), entity]));
  return (id, place) => byId.get(id) ?? byId.get(derived(id)) ?? (place === null ? undefined : byPlace.get(place));
}

function inPlaces<T extends { readonly position: number }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => a.position - b.position);
}

/** Assigns positions: archived entities first, then those added since. */
function placed<T extends { readonly id: string; readonly position: number }>(
  target: readonly T[],
  present: readonly Stored<T>[],
): T[] {
  const mine = new Set(target.map(({ id }) => id));
  const others = present.map(({ entity }) => entity).filter(({ id }) => !mine.has(id));
  return [...target, ...inPlaces(others)].map((one, position) => ({ ...one, position }));
}

function idsOf(found: readonly (readonly [string, { readonly id: string }])[]): ReadonlyMap<string, string> {
  return new Map(found.map(([id, entity]) => [id, entity.id]));
}

/**
 * Splits the target state into created, changed and unchanged entities. @param of number of archived entities
 * @throws AppError `network_mismatch` if one is in another network: nothing that is counted there could follow it
 */
export function writesOf<T extends { readonly id: string; readonly created_at: string; readonly updated_at: string }>(
  present: readonly Stored<T>[],
  target: readonly T[],
  { now, of }: { now: Date; of: number },
): Writes<T> {
  const byId = new Map(present.map((one) => [one.entity.id, one]));
  const created: T[] = [];
  const changed: Change<T>[] = [];
  for (const one of target) {
    const before = byId.get(one.id);
    if (before !== undefined && networkOf(before.entity) !== networkOf(one))
      throw new AppError("network_mismatch", { path: "network_id" });
    const after =
      before === undefined ? null : revised(before, { ...before.entity, ...one, ...keptOf(before.entity) }, now);
    if (before === undefined) created.push(one);
    else if (after !== null) changed.push({ before, after });
  }
  return { created, changed, unchanged: Math.max(0, of - created.length - changed.length) };
}

/** Undefined for entities of the organization. */
function networkOf(entity: { readonly id: string; readonly network_id?: string | null }): string | null | undefined {
  return entity.network_id;
}

/** Members that the server sets and an import does not change. */
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

/** The archived members of a host or service, with local ids. */
function here<
  T extends { readonly tags: readonly string[]; readonly virtualization?: Virtualization | null | undefined },
>(archived: T, naming: Naming) {
  const { virtualization } = archived;
  return {
    ...archived,
    tags: tagsOf(archived.tags, naming),
    virtualization: virtualization && virtualizationOf(virtualization, naming),
  };
}

/** Replaces references to archive ids in the details by local ids. */
function virtualizationOf(virtualization: Virtualization, { runner }: Naming): Virtualization {
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

/** The ids referenced by the virtualization of a host and its services. */
export function runnersIn({ host, services }: HostGroup): string[] {
  const all = [host, ...services].flatMap(({ virtualization }) => (virtualization ? [virtualization.details] : []));
  return all.flatMap((details) => RUNNERS.flatMap((name) => runnerIn(details[name]) ?? []));
}
