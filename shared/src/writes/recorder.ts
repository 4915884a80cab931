import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import {
  type Plan,
  PLAN_TAG,
  PLANNED_BYTES,
  PLANNED_CHANGES,
  type PlannedChange,
  type PlannedRemovedBinding,
} from "../contract/writes.js";
import { nameOf } from "../contract/names.rules.js";
import type { Effect } from "../http/write-request.js";

// A hash identifies exactly this change of exactly this state; a limited part is listed. As new ids and times differ
// between runs, a new id is hashed as the position of its first use.

/** Parts of an entity with ids and times of their own: a member, and their collection. */
const PARTS = "bindings";

/** Members that do not describe the change. */
const UNRECORDED = new Set(["id", "created_at", "updated_at"]);

/** A write of a store. */
export interface Recorded {
  /** Name and collection of the kind. */
  readonly kind: { readonly name: string; readonly collection: string };
  readonly id: string;
  /** The changed or deleted revision; null for a new entity. */
  readonly revision: number | null;
  /** What people call it, if it has no name of its own. */
  readonly name?: string;
  /** For a deleted entity, only its name is read. */
  readonly before: object | null;
  /** Null for a deleted entity. */
  readonly after: object | null;
}

export interface Recorder {
  /** Ids of new entities to which others refer before they are recorded. */
  expect(ids: readonly string[]): void;
  record(change: Recorded): void;
  /** The name of something that was recorded. */
  nameOf(id: string): string | undefined;
  /** How many more changes a plan can list. */
  readonly room: number;
  /** Cascaded deletions that are also listed one by one. */
  along(collection: string, count: number): void;
  /** Cascaded deletions that are not listed. */
  count(collection: string, count: number): void;
  removedBindings(removed: readonly PlannedRemovedBinding[]): void;
  /** The ETag alone. */
  etag(): string;
  /** @param effect if it changes something; null if the changes decide */
  plan(effect: Effect | null): Plan;
}

/** @param named ids that the request itself deletes; all other deletions are cascaded */
export function createRecorder(named: ReadonlySet<string>): Recorder {
  const changes: PlannedChange[] = [];
  const removed: PlannedRemovedBinding[] = [];
  const cascades = new Map<string, number>();
  const newIds = new Map<string, string>();
  const names = new Map<string, string>();
  const actions = new Set<PlannedChange["action"]>();
  const hash = createHash("sha256");
  let bytes = 0;
  let recorded = 0;
  let truncated = false;

  const along = (collection: string, by: number): void => {
    if (by > 0) cascades.set(collection, (cascades.get(collection) ?? 0) + by);
  };
  const withoutNewIds = (_name: string, value: unknown): unknown =>
    typeof value === "string" ? (newIds.get(value) ?? value) : value;

  return {
    expect: (ids) => {
      for (const id of ids) noteNewId(newIds, id);
    },
    get room() {
      return truncated ? 0 : PLANNED_CHANGES - changes.length;
    },
    nameOf: (id) => names.get(id),
    record: ({ kind, id, revision, before, after, name: given }) => {
      recorded += 1;
      const action = before === null && after !== null ? "create" : after === null ? "delete" : "update";
      if (kind.collection !== PARTS) actions.add(action);
      const fields = after === null ? {} : fieldsOf(before, after);
      if (after !== null) noteNewIds(newIds, before, after);
      const entry = [action, kind.name, newIds.get(id) ?? id, revision, withoutTimes(fields)];
      hash.update(`${JSON.stringify(entry, withoutNewIds)}\n`);
      if (action === "delete" && !named.has(id)) along(kind.collection, 1);
      if (truncated) return;
      const name = given ?? nameOf((before ?? after ?? {}) as Record<string, unknown>);
      names.set(id, name);
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
      if (collection !== PARTS) actions.add("delete");
      hash.update(`${collection} ${by}\n`);
      along(collection, by);
    },
    removedBindings: (more) => {
      removed.push(...more);
    },
    etag,
    plan: (effect) => ({
      action: recorded === 0 ? "none" : (effect ?? effectOf(actions)),
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

/** Creating or deleting usually updates something else, too; doing both is an update of the whole. */
function effectOf(actions: ReadonlySet<PlannedChange["action"]>): Effect {
  const creates = actions.has("create");
  if (creates === actions.has("delete")) return "update";
  return creates ? "create" : "delete";
}

/** Members with different values. */
function fieldsOf(before: object | null, after: object): PlannedChange["fields"] {
  const [old, next] = [before ?? {}, after] as [Record<string, unknown>, Record<string, unknown>];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter((name) => !UNRECORDED.has(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      if (before === null) return [[name, { after: next[name] }]];
      const isSame = JSON.stringify(old[name]) === JSON.stringify(next[name]);
      return isSame ? [] : [[name, { before: old[name], after: next[name] }]];
    }),
  );
}

function partsOf(entity: object | null): readonly Record<string, unknown>[] {
  const parts: unknown = (entity as Record<string, unknown> | null)?.[PARTS];
  return Array.isArray(parts) ? (parts as Record<string, unknown>[]) : [];
}

/** Collects the ids that are new. */
function noteNewIds(newIds: Map<string, string>, before: object | null, after: object): void {
  const known = new Set(partsOf(before).map(({ id }) => id));
  const made = [...(before === null ? [after as Record<string, unknown>] : []), ...partsOf(after)];
  for (const { id } of made) if (typeof id === "string" && !known.has(id)) noteNewId(newIds, id);
}

function noteNewId(newIds: Map<string, string>, id: string): void {
  if (!newIds.has(id)) newIds.set(id, `new ${newIds.size}`);
}

/** The fields without the creation times of their parts. */
function withoutTimes({ [PARTS]: parts, ...fields }: PlannedChange["fields"]): unknown {
  if (parts === undefined) return fields;
  const cut = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((part: object) => ({ ...part, created_at: 0, updated_at: 0 })) : list;
  return { ...fields, [PARTS]: [cut(parts.before), cut(parts.after)] };
}

const recorders = new WeakMap<ClientSession, Recorder>();

/** The recorder of a transaction; undefined unless its changes are requested. */
export function recorderOf(session: ClientSession): Recorder | undefined {
  return recorders.get(session);
}

/** Makes the stores report the writes of a transaction to a recorder. */
export function recordIn(session: ClientSession, recorder: Recorder): void {
  recorders.set(session, recorder);
}
