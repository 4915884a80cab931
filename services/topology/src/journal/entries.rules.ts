import { forPlurals, KIND_NAMES } from "@nts/shared/contract/kinds";
import { nameOf } from "@nts/shared/contract/names.rules";
import { hostsOf } from "../values/ends.rules.js";
import { withValues } from "./members.rules.js";

// How events become entries. An entry follows from the state after the entity's last entry; other events are ignored,
// so that repeated events and no-op writes are not recorded.

/** Kinds of entities with entries, by collection. Bindings are part of services. */
export const JOURNALED = forPlurals(KIND_NAMES, (name) => name);
export type Journaled = keyof typeof JOURNALED;
export const COLLECTIONS = Object.keys(JOURNALED) as Journaled[];

/** What sources say about entities of these kinds has entries: that one was not found, and that it is back. */
const SIGHTINGS_OF: ReadonlySet<string> = new Set(["hosts", "ports", "services"]);

export function hasSightings(collection: string): boolean {
  return SIGHTINGS_OF.has(collection);
}

/** The actions that change no entity. */
export const SIGHTINGS = ["missed", "returned"] as const;
export type Action = "created" | "updated" | "deleted" | (typeof SIGHTINGS)[number];

export function isSighting(action: string): boolean {
  return (SIGHTINGS as readonly string[]).includes(action);
}

/** The author and reason of a change. */
export interface Signature {
  readonly user_id?: string;
  readonly key_id?: string;
  readonly email?: string;
  readonly request_id?: string;
  readonly comment?: string;
}

/** The JSON of an entity, as stored. */
export interface State {
  readonly revision: number;
  readonly wire: string;
  /** See `Form`; absent for the first one. */
  readonly form?: number | undefined;
}

/** The state of an entity after its last entry. */
export interface Known {
  readonly organizationId: string;
  /** Null if deleted. */
  readonly state: State | null;
  /** The last recorded revision. */
  readonly revision: number;
  /** When it was restored, see {@link EntityEvent.order}; absent if never deleted. */
  readonly restored?: number | undefined;
  /** Since when sources do not find it, in milliseconds; absent if they do. */
  readonly missed?: number | undefined;
  /** The {@link EntityEvent.order} of the last event of `missed`, so that repeated ones are ignored. */
  readonly sighted?: number | undefined;
}

/** An event of an entity. */
export interface EntityEvent {
  readonly collection: Journaled;
  readonly id: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly by: Signature;
  /** Null if deleted, absent if unchanged. Revision is absent if unchanged. */
  readonly state?: (Omit<State, "revision"> & { readonly revision?: number | undefined }) | null | undefined;
  /** Since when sources do not find it, in milliseconds; null if they do, absent if unchanged. */
  readonly missed?: number | null | undefined;
  /** Found by comparing stored state instead of from an event. */
  readonly isReconciled?: boolean;
  /** It may be a new document after an earlier deletion. */
  readonly isNew?: boolean;
  /** Increases between events of the database; unknown without an event. */
  readonly order?: number;
}

/** The entry of an event, before it gets a number. */
export interface Draft extends Signature {
  readonly organization_id: string;
  readonly at: Date;
  readonly action: Action;
  readonly entity: (typeof JOURNALED)[Journaled];
  readonly entity_id: string;
  readonly network_id: string | null;
  /** Of a host, its own; of what is between hosts, both. */
  readonly host_id: string | readonly string[] | null;
  readonly name: string;
  readonly revision: number;
  readonly form?: number | undefined;
  /** The entity afterwards; for a deletion, before it. */
  readonly wire: string;
  /** For an update, the former values of changed members. */
  readonly old?: string;
  /** Or the complete former state, if members were added or removed. */
  readonly was?: string;
  readonly reconciled?: true;
  /** For a restored entity: when, so that events of its former life are ignored. */
  readonly restored?: number;
  /** See {@link Known}; each entry carries them on. */
  readonly missed?: number;
  readonly sighted?: number;
  /** For a return: since when it was missed. */
  readonly missed_before?: number;
}

export interface JournalDocument extends Draft {
  readonly _id: string;
  /** Position in the organization's journal, from 1 without gaps. */
  readonly n: number;
}

/** The entries for an event: of a change, and of a sighting. */
export function draftsOf(known: Known | null, event: EntityEvent): Draft[] {
  const change = changeIn(known, event);
  const sighting = sightingIn(change === null ? known : knownAfter(change), event);
  return [change, sighting].flatMap((draft) => draft ?? []);
}

function changeIn(known: Known | null, event: EntityEvent): Draft | null {
  const before = known?.state ?? null;
  const { state, isNew = false, order } = event;
  if (state === undefined || (state === null && before === null)) return null;
  // A deleted entity only returns as a new document with a higher revision; other events belong to its former life.
  const comesBack = known !== null && before === null;
  if (comesBack && !(isNew && (state?.revision ?? 1) > known.revision)) return null;
  if (state === null && order !== undefined && order < (known?.restored ?? 0)) return null;
  const restored = comesBack ? (order ?? 0) : known?.restored;
  const after = state === null ? null : { ...state, revision: state.revision ?? before?.revision ?? 1 };
  if (after !== null && before !== null) {
    const isOlder = state?.revision !== undefined && state.revision <= before.revision;
    if (isOlder || after.wire === before.wire) return null;
  }
  const current = after ?? before;
  if (current === null) return null;
  const entity = JSON.parse(current.wire) as Entity;
  const action = before === null ? "created" : after === null ? "deleted" : "updated";
  const { missed, sighted } = known ?? {};
  return {
    action,
    ...headOf(event, current, entity),
    ...(before !== null && after !== null && formerFields(before.wire, entity)),
    ...(restored !== undefined && { restored }),
    ...(action === "updated" && missed !== undefined && { missed }),
    ...(sighted !== undefined && { sighted }),
  };
}

/** Null if that is known, or the event belongs to a former life or was recorded before. */
function sightingIn(known: Known | null, event: EntityEvent): Draft | null {
  const state = known?.state ?? null;
  const { missed, order } = event;
  if (known === null || state === null || missed === undefined) return null;
  const { missed: before, restored = 0, sighted = 0 } = known;
  if (order !== undefined && order <= Math.max(restored, sighted)) return null;
  if ((missed === null) === (before === undefined)) return null;
  return {
    action: missed === null ? "returned" : "missed",
    ...headOf(event, state, JSON.parse(state.wire) as Entity),
    ...(restored > 0 && { restored }),
    ...(missed === null ? { missed_before: before ?? 0 } : { missed }),
    ...((order ?? sighted) > 0 && { sighted: order ?? sighted }),
  };
}

/** What entries of all actions have. */
function headOf(
  { collection, id, organizationId, at, by, isReconciled = false }: EntityEvent,
  { revision, form, wire }: State,
  entity: Entity,
): Omit<Draft, "action"> {
  return {
    organization_id: organizationId,
    at,
    entity: JOURNALED[collection],
    entity_id: id,
    network_id: collection === "networks" ? id : (entity.network_id ?? null),
    host_id: collection === "hosts" ? id : hostIdIn(entity),
    name: nameOf(entity),
    revision,
    ...(form !== undefined && form > 1 && { form }),
    wire,
    ...by,
    ...(isReconciled && { reconciled: true as const }),
  };
}

/** What is between hosts is in the history of each of them. */
function hostIdIn(entity: Entity): Draft["host_id"] {
  if (entity.host_id !== undefined) return entity.host_id;
  const ends = [...new Set(hostsOf(entity))];
  return ends.length === 0 ? null : ends;
}

/** The host of an entry, as it is shown: null for what is between hosts. */
export function hostOf({ host_id }: Pick<Draft, "host_id">): string | null {
  return typeof host_id === "string" ? host_id : null;
}

/** The state of an entity after an entry. */
export function knownAfter(draft: Draft): Known {
  const { organization_id, action, revision, wire, form, restored, missed, sighted } = draft;
  const state = action === "deleted" ? null : { revision, wire, form };
  return { organizationId: organization_id, state, revision, restored, missed, sighted };
}

/** The relevant parts of an entity as returned to clients. */
export interface Entity extends Readonly<Record<string, unknown>> {
  readonly network_id?: string;
  readonly host_id?: string;
}

function formerFields(wire: string, after: Entity): { old: string } | { was: string } {
  const before = JSON.parse(wire) as Entity;
  if (Object.keys(before).join() !== Object.keys(after).join()) return { was: wire };
  const former = Object.entries(before).filter(([name, value]) => isOther(value, after[name]));
  return { old: JSON.stringify(Object.fromEntries(former)) };
}

function isOther(value: unknown, other: unknown): boolean {
  return value !== other && JSON.stringify(value) !== JSON.stringify(other);
}

export type Sides = Pick<Draft, "action" | "wire"> & Partial<Readonly<Record<"old" | "was", string | undefined>>>;

/** The entity before an entry; null if it did not exist. */
export function formerOf({ action, wire, old, was }: Sides): Entity | null {
  if (action === "created") return null;
  const entity = JSON.parse(was ?? wire) as Entity;
  return old === undefined ? entity : { ...entity, ...(JSON.parse(old) as Entity) };
}

/** Its JSON. */
export function formerIn(current: Sides): string | null {
  const { action, wire, old, was } = current;
  if (action === "created") return null;
  if (action === "deleted") return wire;
  return was ?? withValues(wire, old ?? "{}") ?? JSON.stringify(formerOf(current));
}

/** The entity before and after an entry, without sightings, and the names of members changed by an update. */
export function sidesOf({ action, wire, old, was }: Sides): {
  readonly before: string | null;
  readonly after: string | null;
  readonly fields: readonly string[];
} {
  if (action === "created") return { before: null, after: wire, fields: [] };
  if (action === "deleted") return { before: wire, after: null, fields: [] };
  if (isSighting(action)) return { before: wire, after: wire, fields: [] };
  const after = JSON.parse(wire) as Entity;
  const former = JSON.parse(was ?? old ?? "{}") as Entity;
  const before: Entity = was === undefined ? { ...after, ...former } : former;
  return { before: was ?? JSON.stringify(before), after: wire, fields: differing(before, after) };
}

/** The changed members, except the time of the change. */
export function differing(before: Entity, after: Entity): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => name !== "updated_at" && isOther(before[name], after[name]));
  return changed.flatMap((name) => (name === "observed" ? observedIn(before[name], after[name]) : name));
}

/** The changed members of `observed`, such as `observed.version`. */
function observedIn(before: unknown, after: unknown): string[] {
  const was = (before ?? {}) as Entity;
  const is = (after ?? {}) as Entity;
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.filter((name) => isOther(was[name] ?? null, is[name] ?? null)).map((name) => `observed.${name}`);
}
