import { nameOf } from "@nts/shared/contract/names.rules";

// What the journal tells of a change. An entry follows from the state that the last entry of its entity has left, and an event
// that does not lead on from there makes none: so an event may come twice, and a write that changes nothing is not told.

/** The kinds of entities that have entries, by collection. Bindings stand in their services. */
export const JOURNALED = {
  networks: "Network",
  subnets: "Subnet",
  hosts: "Host",
  interfaces: "Interface",
  ports: "Port",
  services: "Service",
  tags: "Tag",
} as const;
export type Journaled = keyof typeof JOURNALED;
export const COLLECTIONS = Object.keys(JOURNALED) as Journaled[];

export type Action = "created" | "updated" | "deleted";

/** Who changed something, and why. */
export interface Signature {
  readonly user_id?: string;
  readonly key_id?: string;
  readonly email?: string;
  readonly request_id?: string;
  readonly comment?: string;
}

/** The text of an entity, as it is stored. */
export interface State {
  readonly revision: number;
  readonly wire: string;
  /** See `Form`; absent for the first one. */
  readonly form?: number | undefined;
}

/** What the last entry of an entity says of it. */
export interface Known {
  readonly organizationId: string;
  /** Null when it is deleted. */
  readonly state: State | null;
  /** The last revision that was told. */
  readonly revision: number;
  /** When it came back, see {@link Happening.order}; absent when it was never deleted. */
  readonly restored?: number | undefined;
}

/** What happened to an entity. */
export interface Happening {
  readonly collection: Journaled;
  readonly id: string;
  readonly organizationId: string;
  readonly at: Date;
  readonly by: Signature;
  /** Null when it is gone. A revision is absent where it did not change. */
  readonly state: (Omit<State, "revision"> & { readonly revision?: number | undefined }) | null;
  /** Found by comparing what is stored, and not seen when it happened. */
  readonly isReconciled?: boolean;
  /** It may be that it was deleted before: its document is a new one. */
  readonly isNew?: boolean;
  /** Grows from one event of the database to the next; unknown where no event tells of it. */
  readonly order?: number;
}

/** What is told of a happening; its number is given when it is appended. */
export interface Draft extends Signature {
  readonly organization_id: string;
  readonly at: Date;
  readonly action: Action;
  readonly entity: (typeof JOURNALED)[Journaled];
  readonly entity_id: string;
  readonly network_id: string | null;
  /** Of a host, its own. */
  readonly host_id: string | null;
  readonly name: string;
  readonly revision: number;
  readonly form?: number | undefined;
  /** The entity afterwards; of a deletion, before it. */
  readonly wire: string;
  /** Of an update, the former values of the members that differ. */
  readonly old?: string;
  /** Instead of these, all of it, where it had other members. */
  readonly was?: string;
  readonly reconciled?: true;
  /** Of an entity that was deleted and came back: when it did, so that nothing of its former life is told again. */
  readonly restored?: number;
}

export interface JournalDocument extends Draft {
  readonly _id: string;
  /** The place in the organization's journal; the first one is 1, and none is left out. */
  readonly n: number;
}

/** The entry that a happening makes; null when it tells nothing new. */
export function draftOf(known: Known | null, happening: Happening): Draft | null {
  const before = known?.state ?? null;
  const { collection, id, organizationId, at, by, state, isReconciled = false, isNew = false, order } = happening;
  if (state === null && before === null) return null;
  // What is deleted comes back as a new document only, under a higher revision; other events are of its former life.
  const comesBack = known !== null && before === null;
  if (comesBack && !(isNew && (state?.revision ?? 1) > known.revision)) return null;
  if (state === null && order !== undefined && order < (known?.restored ?? 0)) return null;
  const restored = comesBack ? (order ?? 0) : known?.restored;
  const after = state === null ? null : { ...state, revision: state.revision ?? before?.revision ?? 1 };
  if (after !== null && before !== null) {
    const isOlder = state?.revision !== undefined && state.revision <= before.revision;
    if (isOlder || after.wire === before.wire) return null;
  }
  const told = after ?? before;
  if (told === null) return null;
  const entity = JSON.parse(told.wire) as Entity;
  return {
    organization_id: organizationId,
    at,
    action: before === null ? "created" : after === null ? "deleted" : "updated",
    entity: JOURNALED[collection],
    entity_id: id,
    network_id: collection === "networks" ? id : (entity.network_id ?? null),
    host_id: collection === "hosts" ? id : (entity.host_id ?? null),
    name: nameOf(entity),
    revision: told.revision,
    ...(told.form !== undefined && told.form > 1 && { form: told.form }),
    wire: told.wire,
    ...(before !== null && after !== null && formerFields(before.wire, entity)),
    ...by,
    ...(isReconciled && { reconciled: true as const }),
    ...(restored !== undefined && { restored }),
  };
}

/** What is known of an entity after an entry. */
export function knownAfter({ organization_id, action, revision, wire, form, restored }: Draft): Known {
  const state = action === "deleted" ? null : { revision, wire, form };
  return { organizationId: organization_id, state, revision, restored };
}

/** An entity as it is answered, as far as it matters here. */
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

type Told = Pick<Draft, "action" | "wire" | "old" | "was">;

/** The entity before an entry; null when it was not there. */
export function formerOf({ action, wire, old, was }: Told): Entity | null {
  if (action === "created") return null;
  const entity = JSON.parse(was ?? wire) as Entity;
  return old === undefined ? entity : { ...entity, ...(JSON.parse(old) as Entity) };
}

/** Its text. */
export function formerIn(told: Told): string | null {
  const { action, wire, was } = told;
  if (action === "created") return null;
  return action === "deleted" ? wire : (was ?? JSON.stringify(formerOf(told)));
}

/** The entity before and after an entry, and the names of the members that an update changed. */
export function sidesOf({ action, wire, old, was }: Told): {
  readonly before: string | null;
  readonly after: string | null;
  readonly fields: readonly string[];
} {
  if (action === "created") return { before: null, after: wire, fields: [] };
  if (action === "deleted") return { before: wire, after: null, fields: [] };
  const after = JSON.parse(wire) as Entity;
  const former = JSON.parse(was ?? old ?? "{}") as Entity;
  const before: Entity = was === undefined ? { ...after, ...former } : former;
  return { before: was ?? JSON.stringify(before), after: wire, fields: differing(before, after) };
}

/** The members that differ, but for the time of the change. */
export function differing(before: Entity, after: Entity): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => name !== "updated_at" && isOther(before[name], after[name]));
}
