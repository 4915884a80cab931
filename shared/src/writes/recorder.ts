import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import {
  type Plan,
  PLANNED_BYTES,
  PLANNED_CHANGES,
  type PlannedChange,
  type PlannedRemovedBinding,
} from "../contract/writes.js";
import { nameOf } from "../contract/names.rules.js";

// What a transaction changes, told by the stores' own writes. All of it goes into a hash, which names exactly this change of
// exactly this state; as much of it as a caller can read is listed. Ids and times of what is new differ from one run to the
// next: in the hash, a new id is the place at which it first stood.

/** Begins the ETag of a plan, which no revision does. */
export const PLAN_TAG = "plan-";

/** Members that say nothing of what changes. */
const UNTOLD = new Set(["id", "created_at", "updated_at"]);

/** What a store writes. */
export interface Recorded {
  /** Name and collection of the kind. */
  readonly kind: { readonly name: string; readonly collection: string };
  readonly id: string;
  /** The revision that is changed or deleted; null for something new. */
  readonly revision: number | null;
  /** Of something deleted, no more than its name is read from. */
  readonly before: object | null;
  /** Null for something deleted. */
  readonly after: object | null;
}

export interface Recorder {
  record(change: Recorded): void;
  /** How many more changes a plan would list. */
  readonly room: number;
  /** Entities that go along; they are told one by one besides. */
  along(collection: string, count: number): void;
  /** Entities that go along, and are not told one by one. */
  count(collection: string, count: number): void;
  removedBindings(removed: readonly PlannedRemovedBinding[]): void;
  /** The ETag alone. */
  etag(): string;
  /** @param action what it is when it changes something */
  plan(action: Exclude<Plan["action"], "none">): Plan;
}

/** @param named ids of what the request itself deletes: everything else that is deleted goes along */
export function createRecorder(named: ReadonlySet<string>): Recorder {
  const changes: PlannedChange[] = [];
  const removed: PlannedRemovedBinding[] = [];
  const cascades = new Map<string, number>();
  const newIds = new Map<string, string>();
  const hash = createHash("sha256");
  let [bytes, recorded, truncated] = [0, 0, false];

  const along = (collection: string, by: number): void => {
    if (by > 0) cascades.set(collection, (cascades.get(collection) ?? 0) + by);
  };
  const withoutNewIds = (_name: string, value: unknown): unknown =>
    typeof value === "string" ? (newIds.get(value) ?? value) : value;

  return {
    get room() {
      return truncated ? 0 : PLANNED_CHANGES - changes.length;
    },
    record: ({ kind, id, revision, before, after }) => {
      recorded += 1;
      const action = before === null && after !== null ? "create" : after === null ? "delete" : "update";
      const fields = after === null ? {} : fieldsOf(before, after);
      if (after !== null) noteNewIds(newIds, before, after);
      const told = [action, kind.name, newIds.get(id) ?? id, revision, withoutTimes(fields)];
      hash.update(`${JSON.stringify(told, withoutNewIds)}\n`);
      if (action === "delete" && !named.has(id)) along(kind.collection, 1);
      if (truncated) return;
      const name = nameOf((before ?? after ?? {}) as Record<string, unknown>);
      bytes += name.length + JSON.stringify(fields).length;
      if (changes.length < PLANNED_CHANGES && bytes <= PLANNED_BYTES)
        changes.push({ action, entity: kind.name, id, name, fields });
      else truncated = true;
    },
    along,
    count: (collection, by) => {
      if (by === 0) return;
      recorded += by;
      truncated = true;
      hash.update(`${collection} ${by}\n`);
      along(collection, by);
    },
    removedBindings: (more) => {
      removed.push(...more);
    },
    etag,
    plan: (action) => ({
      action: recorded === 0 ? "none" : action,
      changes,
      truncated,
      removed_bindings: removed,
      cascades: Object.fromEntries(cascades),
      etag: `"${etag()}"`,
    }),
  };

  function etag(): string {
    return PLAN_TAG + hash.copy().digest("base64url").slice(0, 22);
  }
}

/** Members whose values differ. */
function fieldsOf(before: object | null, after: object): PlannedChange["fields"] {
  const [old, next] = [before ?? {}, after] as [Record<string, unknown>, Record<string, unknown>];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((name) => !UNTOLD.has(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      if (before === null) return [[name, { after: next[name] }]];
      const isSame = JSON.stringify(old[name]) === JSON.stringify(next[name]);
      return isSame ? [] : [[name, { before: old[name], after: next[name] }]];
    }),
  );
}

/** What is part of an entity, and has an id and times of its own. */
const PARTS = "bindings";

function partsOf(entity: object | null): readonly Record<string, unknown>[] {
  const parts: unknown = (entity as Record<string, unknown> | null)?.[PARTS];
  return Array.isArray(parts) ? (parts as Record<string, unknown>[]) : [];
}

/** Notes the ids that were not there before. */
function noteNewIds(newIds: Map<string, string>, before: object | null, after: object): void {
  const known = new Set(partsOf(before).map(({ id }) => id));
  const made = [...(before === null ? [after as Record<string, unknown>] : []), ...partsOf(after)];
  for (const { id } of made)
    if (typeof id === "string" && !known.has(id) && !newIds.has(id)) newIds.set(id, `new ${newIds.size}`);
}

/** The fields without the times at which parts of them were made. */
function withoutTimes({ [PARTS]: parts, ...fields }: PlannedChange["fields"]): unknown {
  if (parts === undefined) return fields;
  const cut = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((part: object) => ({ ...part, created_at: 0, updated_at: 0 })) : list;
  return { ...fields, [PARTS]: [cut(parts.before), cut(parts.after)] };
}

const recorders = new WeakMap<ClientSession, Recorder>();

/** The recorder of a transaction; none unless its changes are asked for. */
export function recorderOf(session: ClientSession): Recorder | undefined {
  return recorders.get(session);
}

/** Makes the stores tell a recorder what a transaction writes. */
export function recordIn(session: ClientSession, recorder: Recorder): void {
  recorders.set(session, recorder);
}
