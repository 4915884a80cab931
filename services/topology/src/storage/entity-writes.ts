import type { ClientSession, Filter } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { FIRST_FORM, withUnknown } from "@nts/shared/mongo/forms";
import { UNCONFIRMED } from "@nts/shared/mongo/connect";
import { type Recorder, recorderOf } from "@nts/shared/writes/recorder";
import { chunksOf } from "@nts/shared/groups";
import { nameBetween } from "@nts/shared/contract/names.rules";
import { createNote, signed } from "./authorship.js";
import type { Database } from "./database.js";
import { createEndNames } from "./end-names.js";
import type { Entity, EntityDocument, EntityKind, EntityParts, Extra, Stored } from "./entities.js";
import { STORED } from "./entity-reader.js";
import { ID_KEY, idKeyOf } from "./id-key.js";
import { BY_ID } from "./indexes.js";
import { hintFor, matching, namedIn, type ScopeFilter } from "./scope.js";
import type { ScopedUpdate } from "./scoped-collection.js";
import type { SweptEntity } from "./sweepable.js";

/** Changed entities per command: each takes about a millisecond, and a command has five seconds. */
const UPDATE_BATCH = 250;

type EntityKeys = Pick<EntityDocument, "_id" | "network_id" | "created_at" | "updated_at">;

/** Writes entities of one kind. */
export interface EntityWrites<T extends Entity> {
  /** Sort fields of its document, except the {@link EntityKind.denormalizedKeys}. */
  keysOf(entity: T): Record<string, unknown>;
  /** The stored fields of a changed entity, except extra fields given on insert. */
  documentOf(organizationId: string, stored: Stored<T>): EntityDocument;
  /** @param extra fields that are not members of the entity, such as its host's name */
  insert(tx: ClientSession, scope: Scope, entities: readonly T[], extra?: Extra<T>): Promise<void>;
  /** Stores changed entities as their next revision. Absent extra fields stay unchanged. */
  replace(tx: ClientSession, scope: Scope, changed: readonly Stored<T>[], extra?: Extra<T>): Promise<void>;
  /** The same for those read before the transaction. @returns false if the revision of one has changed, or it was deleted */
  replaceRead(tx: ClientSession, scope: Scope, changed: readonly Stored<T>[], extra?: Extra<T>): Promise<boolean>;
  /** @returns the number of deleted entities */
  remove(tx: ClientSession, scope: Scope, filter: Filter<EntityDocument>): Promise<number>;
  /**
   * Stores entities without the deleted tags of the scope, not in a transaction, and each only if its revision is unchanged.
   *
   * @param sweptBy the deletion being swept, if the journal has recorded it
   */
  storeWithoutTags(scope: Scope, found: readonly SweptEntity[], sweptBy?: string): Promise<void>;
}

export function createEntityWrites<T extends Entity>(
  database: Database,
  kind: EntityKind<T>,
  { collection, visible, reader }: EntityParts<T>,
): EntityWrites<T> {
  const documentOf: EntityWrites<T>["documentOf"] = (organizationId, { entity, revision }) =>
    // Members added by a newer build are kept.
    newDocumentOf(kind, organizationId, { entity: withUnknown(kind.clean(entity), entity) as T, revision });

  const { recordCreations, recordChanges, recordRemovals } = createRecording(database, kind, {
    collection,
    visible,
    reader,
  });

  return {
    keysOf: (entity) => keysOf(kind, entity),
    documentOf,
    insert: async (tx, scope, inserted, extra) => {
      if (inserted.length === 0) return;
      const by = kind.isPart === true ? {} : signed(tx, scope.organizationId, 1);
      const documents = inserted.map((entity) => ({
        ...newDocumentOf(kind, scope.organizationId, { entity: kind.clean(entity), revision: 1 }),
        ...by,
        ...(typeof extra === "function" ? extra(entity) : extra),
      }));
      await collection.insertMany(documents, { session: tx });
      await recordCreations(tx, scope, inserted);
    },
    ...createReplacing(kind, { collection, visible, documentOf, recordChanges }),
    remove: async (tx, scope, filter) => {
      const all = matching(visible(scope), filter);
      const recorded = await recordRemovals(tx, scope, all);
      const options = { session: tx, documents: namedIn(filter), ...hintFor(filter) };
      const { deletedCount } = await collection.deleteMany(all, options);
      recorderOf(tx)?.count(kind.collection, deletedCount - recorded);
      return deletedCount;
    },
    storeWithoutTags: async (scope, found, sweptBy) => {
      const { organizationId: organization_id } = scope;
      const updates = found.map((document) => {
        const { _id, ...whole } = documentOf(organization_id, reader.storedIn(document, scope));
        const { revision, updated_at, tags, wire } = whole;
        const fields = document.form === whole.form ? { revision, updated_at, tags, wire } : whole;
        const unchanged = { organization_id, _id, revision: document.revision };
        const $set = { ...fields, ...(sweptBy !== undefined && { swept_by: sweptBy }) };
        return { updateOne: { filter: unchanged, update: { $set }, hint: BY_ID } };
      });
      // Sweeps are acknowledged by their final entry, which comes later.
      const how = sweptBy === undefined ? {} : { writeConcern: UNCONFIRMED };
      await collection.bulkWrite(updates, { ordered: false, ...how });
    },
  };
}

type RecordChanges<T> = (tx: ClientSession, scope: Scope, changed: readonly Stored<T>[]) => Promise<void>;
type Replacing<T extends Entity> = Pick<EntityParts<T>, "collection" | "visible"> &
  Pick<EntityWrites<T>, "documentOf"> & { readonly recordChanges: RecordChanges<T> };

/** The writes of changed entities. */
function createReplacing<T extends Entity>(
  { isPart }: EntityKind<T>,
  { collection, visible, documentOf, recordChanges }: Replacing<T>,
): Pick<EntityWrites<T>, "replace" | "replaceRead"> {
  const updateOf = (tx: ClientSession, scope: Scope, changed: Stored<T>, extra?: Extra<T>) => {
    const { _id, ...fields } = documentOf(scope.organizationId, changed);
    const by = isPart === true ? {} : signed(tx, scope.organizationId, changed.revision);
    const more = typeof extra === "function" ? extra(changed.entity) : extra;
    return { filter: { ...visible(scope), _id }, update: { $set: { ...fields, ...by, ...more } }, hint: BY_ID };
  };
  return {
    replace: async (tx, scope, changed, extra) => {
      await recordChanges(tx, scope, changed);
      await inBatches(
        collection,
        tx,
        changed.map((one) => updateOf(tx, scope, one, extra)),
      );
    },
    replaceRead: async (tx, scope, changed, extra) => {
      await recordChanges(tx, scope, changed);
      const updates = changed.map((one) => {
        const { filter, ...more } = updateOf(tx, scope, one, extra);
        return { filter: { ...filter, revision: one.revision - 1 }, ...more };
      });
      return (await inBatches(collection, tx, updates)) === changed.length;
    },
  };
}

/** Writes single-document updates; only one of them uses its own command. @returns the number of documents found */
async function inBatches(
  collection: EntityParts<unknown>["collection"],
  tx: ClientSession,
  updates: readonly ScopedUpdate<EntityDocument>["updateOne"][],
): Promise<number> {
  const [only, ...more] = updates;
  if (only === undefined) return 0;
  if (more.length === 0)
    return (await collection.updateOne(only.filter, only.update, { session: tx, hint: BY_ID })).matchedCount;
  let found = 0;
  for (const some of chunksOf(updates, UPDATE_BATCH)) {
    const batch = some.map((updateOne) => ({ updateOne }));
    found += (await collection.bulkWrite(batch, { session: tx })).matchedCount;
  }
  return found;
}

/** Reports changes to the plan of a write, if any, and the author of deletions to the journal. */
function createRecording<T extends Entity>(
  database: Database,
  kind: EntityKind<T>,
  { collection, visible, reader }: EntityParts<T>,
) {
  const note = createNote(database.db);
  const readEndNames = createEndNames(database);

  /** What people call each, if it has no name of its own. */
  async function naming(
    tx: ClientSession,
    scope: Scope,
    recorder: Recorder,
    entities: readonly T[],
  ): Promise<(entity: T) => { readonly name?: string }> {
    if (kind.between !== true) return () => ({});
    const names = await readEndNames(tx, scope, entities.slice(0, recorder.room));
    return (entity: T) => ({ name: nameBetween(entity, (id) => recorder.nameOf(id) ?? names.get(id)) });
  }

  return {
    recordCreations: async (tx: ClientSession, scope: Scope, created: readonly T[]): Promise<void> => {
      const recorder = recorderOf(tx);
      if (recorder === undefined) return;
      const nameOf = await naming(tx, scope, recorder, created);
      for (const one of created) {
        const after = kind.clean(one);
        recorder.record({ kind, id: one.id, revision: null, before: null, after, ...nameOf(one) });
      }
    },
    recordChanges: async (tx: ClientSession, scope: Scope, changed: readonly Stored<T>[]): Promise<void> => {
      const recorder = recorderOf(tx);
      if (recorder === undefined) return;
      const named = { ...visible(scope), _id: { $in: changed.map(({ entity }) => entity.id) } };
      const found = await collection.find(named, { projection: STORED, session: tx, hint: BY_ID }).toArray();
      const stored = found.map((document) => reader.storedIn(document, scope));
      const before = new Map(stored.map((one) => [one.entity.id, one]));
      const nameOf = await naming(
        tx,
        scope,
        recorder,
        stored.map(({ entity }) => entity),
      );
      for (const { entity } of changed) {
        const old = before.get(entity.id);
        if (old === undefined) continue;
        const states = { before: old.entity, after: kind.clean(entity) };
        recorder.record({ kind, id: entity.id, revision: old.revision, ...states, ...nameOf(old.entity) });
      }
    },
    /** @returns the number reported, limited by the plan */
    recordRemovals: async (tx: ClientSession, scope: Scope, filter: ScopeFilter): Promise<number> => {
      if (kind.isPart !== true) await note(tx, filter.organization_id);
      const recorder = recorderOf(tx);
      if (recorder === undefined || recorder.room === 0) return 0;
      const names = kind.namedIn ?? ["name"];
      const projection = { revision: 1, form: 1, ...Object.fromEntries(names.map((field) => [field, 1])) };
      const options = { session: tx, projection, limit: recorder.room } as const;
      const found = await collection.find(filter, options).sort({ _id: 1 }).toArray();
      if (!names.includes("wire")) {
        for (const { _id: id, revision, ...before } of found)
          recorder.record({ kind, id, revision, before, after: null });
        return found.length;
      }
      const entities = found.map((document) => reader.storedIn(document, scope));
      const nameOf = await naming(
        tx,
        scope,
        recorder,
        entities.map(({ entity }) => entity),
      );
      for (const { entity: before, revision } of entities)
        recorder.record({ kind, id: before.id, revision, before, after: null, ...nameOf(before) });
      return found.length;
    },
  };
}

function keysOf<T extends Entity>(kind: EntityKind<T>, entity: T): EntityKeys {
  return {
    _id: entity.id,
    network_id: kind.networkOf === null ? null : kind.networkOf(entity),
    created_at: new Date(entity.created_at),
    updated_at: new Date(entity.updated_at),
    ...kind.keysOf(entity),
  };
}

function newDocumentOf<T extends Entity>(
  kind: EntityKind<T>,
  organizationId: string,
  { entity, revision }: Stored<T>,
): EntityDocument {
  return {
    organization_id: organizationId,
    revision,
    ...keysOf(kind, entity),
    [ID_KEY]: idKeyOf(entity.id),
    form: (kind.form ?? FIRST_FORM).version,
    wire: JSON.stringify(entity),
  };
}
