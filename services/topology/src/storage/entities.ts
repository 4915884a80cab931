import type { ClientSession, Collection, Document, Filter, FindOptions, Sort } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { FIRST_FORM, type Form, inPresentForm, withUnknown } from "@nts/shared/mongo/forms";
import type { Moment, RawBatch, RawFind } from "@nts/shared/mongo/raw-find";
import { recorderOf } from "@nts/shared/writes/recorder";
import { BY_ID, type IndexKey } from "./indexes.js";
import { deletedAmong, withoutDeleted } from "./hidden-tags.rules.js";
import type { Database } from "./database.js";
import { createGatheredRead } from "./gathered.js";
import { within, withinHosts, withinOrganization, type ScopeFilter } from "./scope.js";

// An entity is stored as the JSON text that answers it (`wire`), beside the fields that filters, orders and indexes
// need. Both are written by `documentOf` alone. Reading a page costs no decoding of its entities and no stringify.

/** What every entity has. */
export interface Entity {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An entity as it is in the database; `revision` is its `ETag`. */
export interface Stored<T> {
  readonly entity: T;
  readonly revision: number;
}

export interface EntityDocument {
  _id: string;
  organization_id: string;
  /** null for what belongs to the organization as a whole. */
  network_id: string | null;
  created_at: Date;
  updated_at: Date;
  revision: number;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number | undefined;
  wire: string;
  [key: string]: unknown;
}

/** What an entity is read from; see `STORED`. */
export type StoredFields = Pick<EntityDocument, "wire" | "revision" | "form">;

/** Fields of a document beside those of its entity: the same for all, or made for each. */
export type Extra<T> = Readonly<Record<string, unknown>> | ((entity: T) => Record<string, unknown>);

/** Changed entities that one command writes: each takes about a millisecond, and a command has five seconds. */
const UPDATE_BATCH = 250;

export interface EntityKind<T extends Entity> {
  readonly collection: string;
  /** Name in `not_found` and other errors. */
  readonly name: string;
  /** null for what belongs to the organization as a whole, and is seen from all of its networks. */
  readonly networkOf: ((entity: T) => string) | null;
  /** True for what stands on hosts. */
  readonly onHosts?: true;
  /** True for what can carry tags. */
  readonly tagged?: true;
  /** Fields beside `wire` that filters and orders need. */
  readonly keysOf: (entity: T) => Record<string, unknown>;
  /** Fields that lists can be ordered by and that no entity holds, such as the name of its host. */
  readonly keysBeside?: readonly string[];
  /** The entity without what is not part of it, such as an echoed member of a caller. */
  readonly clean: (entity: T) => T;
  /** The first one unless said otherwise. */
  readonly form?: Form<T>;
}

/** Reads stored entities in the present form of their kind, and without tags that are deleted. */
export interface EntityReader<T> {
  /** True while `wire` alone may not yet be what is answered: documents of an older form or with deleted tags may be met. */
  readonly differs: (scope: Scope) => boolean;
  readonly storedIn: (document: StoredFields, scope: Scope) => Stored<T>;
  /** The revision alone, of a document of the fields of `REVISION`. */
  readonly revisionIn: (document: Document, scope: Scope) => number;
  /** The JSON text that answers an entity. */
  readonly wireOf: (document: Omit<StoredFields, "revision">, scope: Scope) => string;
}

/** Access to the entities of one kind; nothing outside the scope exists for the caller. */
export interface Entities<T extends Entity> extends EntityReader<T> {
  readonly name: string;
  readonly collection: Collection<EntityDocument>;
  /** The fields of its document that lists can be ordered by, without the {@link keysBeside}. */
  keysOf(entity: T): Record<string, unknown>;
  readonly keysBeside: readonly string[];
  /** What is stored of a changed entity, beside the extra fields that were given when it was written. */
  documentOf(organizationId: string, stored: Stored<T>): EntityDocument;
  /** The filter that every query of these entities begins with. */
  within(scope: Scope): ScopeFilter;
  /** Without a session the entity is read together with others that are asked for at the same time. */
  find(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T> | null>;
  /** @throws AppError `not_found` */
  get(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T>>;
  /** The JSON text of an entity. @throws AppError `not_found` */
  readOne(scope: Scope, id: string): Promise<{ json: string | Buffer; revision: number }>;
  findMany(scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort?: Sort): Promise<Stored<T>[]>;
  /** Some fields of the documents in the scope that match. */
  select(scope: Scope, filter: Filter<EntityDocument>, options: FindOptions): Promise<EntityDocument[]>;
  /** How many match; their filter holds the scope. */
  count(scope: Scope, filter: Filter<EntityDocument>, hint: IndexKey): Promise<number>;
  /** The documents of a query as the database sends them; its filter holds the scope. */
  read(scope: Scope, query: Omit<RawFind, "collection">, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
  /** @param extra fields that no entity holds, such as the name of its host */
  insert(tx: ClientSession, scope: Scope, entities: readonly T[], extra?: Extra<T>): Promise<void>;
  /** Stores changed entities under their next revision. Extra fields that are not given stay as they are. */
  replace(tx: ClientSession, scope: Scope, changed: readonly Stored<T>[], extra?: object): Promise<void>;
  /** @returns how many were removed */
  remove(tx: ClientSession, scope: Scope, filter: Filter<EntityDocument>): Promise<number>;
}

/** The projection that the revision of an entity is read from. */
export const REVISION = { _id: 0, revision: 1, tags: 1 } as const;

/** The projection that an entity is read from. */
export const STORED = { _id: 0, wire: 1, revision: 1, form: 1 } as const;

export function createReader<T extends Entity>(kind: Pick<EntityKind<T>, "form" | "tagged">): EntityReader<T> {
  const form: Form<T> = kind.form ?? FIRST_FORM;
  const losesTags = ({ hidden }: Scope): boolean =>
    kind.tagged === true && hidden !== undefined && hidden.tags.size > 0;
  const storedIn: EntityReader<T>["storedIn"] = ({ wire, revision, form: version }, scope) => {
    const stored = { entity: inPresentForm(form, JSON.parse(wire) as T, version), revision };
    if (!losesTags(scope) || scope.hidden === undefined) return stored;
    return withoutDeleted(stored as Stored<never>, scope.hidden.tags);
  };
  return {
    differs: (scope) => form.upgrade !== undefined || losesTags(scope),
    storedIn,
    revisionIn: ({ revision, tags }, scope) =>
      Number(revision) +
      (losesTags(scope) ? deletedAmong(tags as string[], scope.hidden?.tags ?? new Map()).length : 0),
    wireOf: ({ wire, form: version = 1 }, scope) =>
      (form.upgrade === undefined || version >= form.version) && !losesTags(scope)
        ? wire
        : JSON.stringify(storedIn({ wire, form: version, revision: 0 }, scope).entity),
  };
}

/** Opens a collection of entities. */
export function createEntities<T extends Entity>(database: Database, kind: EntityKind<T>): Entities<T> {
  const collection = database.db.collection<EntityDocument>(kind.collection);
  const { networkOf } = kind;
  const visible = networkOf === null ? withinOrganization : kind.onHosts === true ? withinHosts : within;
  const reader = createReader(kind);
  const { storedIn } = reader;
  const projection = STORED;
  const gathered = createGatheredRead(database, kind.collection, networkOf !== null);

  const keysOf = (entity: T) => ({
    _id: entity.id,
    network_id: networkOf === null ? null : networkOf(entity),
    created_at: new Date(entity.created_at),
    updated_at: new Date(entity.updated_at),
    ...kind.keysOf(entity),
  });

  function documentOf(organizationId: string, entity: T, revision: number): EntityDocument {
    return {
      organization_id: organizationId,
      revision,
      ...keysOf(entity),
      form: (kind.form ?? FIRST_FORM).version,
      wire: JSON.stringify(entity),
    };
  }

  const entities: Entities<T> = {
    name: kind.name,
    collection,
    keysOf,
    keysBeside: kind.keysBeside ?? [],
    ...reader,
    documentOf: (organizationId, { entity, revision }) =>
      // What a newer build has added to the entity stays there.
      documentOf(organizationId, withUnknown(kind.clean(entity), entity) as T, revision),
    within: visible,
    find: async (scope, id, tx) => {
      if (tx === undefined) {
        const found = await gathered(scope, id);
        return found === null ? null : storedIn({ ...found, wire: found.wire.toString() }, scope);
      }
      const found = await collection.findOne({ ...visible(scope), _id: id }, { projection, session: tx, hint: BY_ID });
      return found === null ? null : storedIn(found, scope);
    },
    get: async (scope, id, tx) => (await entities.find(scope, id, tx)) ?? notFound(kind.name),
    readOne: async (scope, id) => {
      const found = (await gathered(scope, id)) ?? notFound(kind.name);
      if (!reader.differs(scope)) return { json: found.wire, revision: found.revision };
      const { entity, revision } = storedIn({ ...found, wire: found.wire.toString() }, scope);
      return { json: JSON.stringify(entity), revision };
    },
    select: (scope, filter, options) =>
      database.share(scope, () => collection.find({ ...visible(scope), ...filter }, options).toArray()),
    count: (scope, filter, hint) => database.share(scope, () => collection.countDocuments(filter, { hint })),
    read: (scope, query, moment) => database.batches(scope, { collection: kind.collection, ...query }, moment),
    findMany: async (scope, filter, tx, sort = { _id: 1 }) => {
      const found = await collection
        .find({ $and: [visible(scope), filter] }, { projection, session: tx, ...hintFor(filter) })
        .sort(sort)
        .toArray();
      return found.map((document) => storedIn(document, scope));
    },
    insert: async (tx, scope, inserted, extra) => {
      const documents = inserted.map((entity) => ({
        ...documentOf(scope.organizationId, kind.clean(entity), 1),
        ...(typeof extra === "function" ? extra(entity) : extra),
      }));
      if (documents.length > 0) await collection.insertMany(documents, { session: tx });
      const recorder = recorderOf(tx);
      for (const one of inserted)
        recorder?.record({ kind, id: one.id, revision: null, before: null, after: kind.clean(one) });
    },
    replace: async (tx, scope, changed, extra) => {
      await recordChanges(tx, scope, changed);
      const updates = changed.map((one) => {
        const { _id, ...fields } = entities.documentOf(scope.organizationId, one);
        return { filter: { ...visible(scope), _id }, update: { $set: { ...fields, ...extra } }, hint: BY_ID };
      });
      const [only, ...more] = updates;
      if (only === undefined) return;
      if (more.length === 0) await collection.updateOne(only.filter, only.update, { session: tx, hint: BY_ID });
      else
        for (let from = 0; from < updates.length; from += UPDATE_BATCH) {
          const batch = updates.slice(from, from + UPDATE_BATCH).map((updateOne) => ({ updateOne }));
          await collection.bulkWrite(batch, { session: tx });
        }
    },
    remove: async (tx, scope, filter) => {
      const all = { $and: [visible(scope), filter] };
      const told = await recordRemovals(tx, all);
      const { deletedCount } = await collection.deleteMany(all, { session: tx, ...hintFor(filter) });
      recorderOf(tx)?.count(kind.collection, deletedCount - told);
      return deletedCount;
    },
  };
  return entities;

  async function recordChanges(tx: ClientSession, scope: Scope, changed: readonly Stored<T>[]): Promise<void> {
    const recorder = recorderOf(tx);
    if (recorder === undefined) return;
    const ids = changed.map(({ entity }) => entity.id);
    const found = await entities.findMany(scope, { _id: { $in: ids } }, tx);
    const before = new Map(found.map((one) => [one.entity.id, one]));
    for (const { entity } of changed) {
      const old = before.get(entity.id);
      if (old === undefined) continue;
      recorder.record({ kind, id: entity.id, revision: old.revision, before: old.entity, after: kind.clean(entity) });
    }
  }

  /** @returns how many were told: no more than a plan has room for */
  async function recordRemovals(tx: ClientSession, filter: Filter<EntityDocument>): Promise<number> {
    const recorder = recorderOf(tx);
    if (recorder === undefined || recorder.room === 0) return 0;
    const options = { session: tx, projection: { revision: 1 }, limit: recorder.room } as const;
    const found = await collection.find(filter, options).sort({ _id: 1 }).toArray();
    for (const { _id, revision } of found) recorder.record({ kind, id: _id, revision, before: {}, after: null });
    return found.length;
  }
}

function hintFor({ _id }: Filter<EntityDocument>): { hint?: typeof BY_ID } {
  const namesIds = typeof _id === "object" && "$in" in _id;
  return namesIds ? { hint: BY_ID } : {};
}

function notFound(entity: string): never {
  throw new AppError("not_found", { entity });
}
