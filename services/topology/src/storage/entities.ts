import type { ClientSession, Collection, Db, Filter, Sort } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { within, withinOrganization, type ScopeFilter } from "./scope.js";

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
  wire: string;
  [key: string]: unknown;
}

export interface EntityKind<T extends Entity> {
  readonly collection: string;
  /** Name in `not_found` and other errors. */
  readonly name: string;
  /** null for what belongs to the organization as a whole, and is seen from all of its networks. */
  readonly networkOf: ((entity: T) => string) | null;
  /** Fields beside `wire` that filters and orders need. */
  readonly keysOf: (entity: T) => Record<string, unknown>;
  /** The entity without what is not part of it, such as an echoed member of a caller. */
  readonly clean: (entity: T) => T;
}

/** Access to the entities of one kind; nothing outside the scope exists for the caller. */
export interface Entities<T extends Entity> {
  readonly name: string;
  readonly collection: Collection<EntityDocument>;
  /** What is stored of an entity, beside the extra fields that were given when it was written. */
  documentOf(organizationId: string, stored: Stored<T>): EntityDocument;
  /** The filter that every query of these entities begins with. */
  within(scope: Scope): ScopeFilter;
  find(scope: Scope, id: string, session?: ClientSession): Promise<Stored<T> | null>;
  /** @throws AppError `not_found` */
  get(scope: Scope, id: string, session?: ClientSession): Promise<Stored<T>>;
  /** The JSON text of an entity, as it was stored. @throws AppError `not_found` */
  read(scope: Scope, id: string): Promise<{ json: string; revision: number }>;
  findMany(scope: Scope, filter: Filter<EntityDocument>, session: ClientSession, sort?: Sort): Promise<Stored<T>[]>;
  /** @param extra fields that no entity holds, such as the name of its host */
  insert(session: ClientSession, scope: Scope, entities: readonly T[], extra?: object): Promise<void>;
  /** Stores changed entities under their next revision. Extra fields that are not given stay as they are. */
  replace(session: ClientSession, scope: Scope, changed: readonly Stored<T>[], extra?: object): Promise<void>;
  /** @returns how many were removed */
  remove(session: ClientSession, scope: Scope, filter: Filter<EntityDocument>): Promise<number>;
}

/** Opens a collection of entities. */
export function createEntities<T extends Entity>(db: Db, kind: EntityKind<T>): Entities<T> {
  const collection = db.collection<EntityDocument>(kind.collection);
  const { networkOf } = kind;
  const visible = networkOf === null ? withinOrganization : within;
  const projection = { _id: 0, wire: 1, revision: 1 } as const;

  function documentOf(organizationId: string, { entity, revision }: Stored<T>): EntityDocument {
    const clean = kind.clean(entity);
    return {
      _id: entity.id,
      organization_id: organizationId,
      network_id: networkOf === null ? null : networkOf(entity),
      created_at: new Date(entity.created_at),
      updated_at: new Date(entity.updated_at),
      revision,
      ...kind.keysOf(clean),
      wire: JSON.stringify(clean),
    };
  }

  const entities: Entities<T> = {
    name: kind.name,
    collection,
    documentOf,
    within: visible,
    find: async (scope, id, session) => {
      const found = await collection.findOne({ ...visible(scope), _id: id }, { projection, ...inside(session) });
      return found === null ? null : storedIn(found);
    },
    get: async (scope, id, session) => (await entities.find(scope, id, session)) ?? notFound(kind.name),
    read: async (scope, id) => {
      const found = await collection.findOne({ ...visible(scope), _id: id }, { projection });
      return found === null ? notFound(kind.name) : { json: found.wire, revision: found.revision };
    },
    findMany: async (scope, filter, session, sort = { _id: 1 }) => {
      const found = await collection
        .find({ $and: [visible(scope), filter] }, { projection, session })
        .sort(sort)
        .toArray();
      return found.map(storedIn<T>);
    },
    insert: async (session, scope, inserted, extra) => {
      if (inserted.length === 0) return;
      const documents = inserted.map((entity) => ({
        ...documentOf(scope.organizationId, { entity, revision: 1 }),
        ...extra,
      }));
      await collection.insertMany(documents, { session });
    },
    replace: async (session, scope, changed, extra) => {
      if (changed.length === 0) return;
      await collection.bulkWrite(
        changed.map((one) => {
          const { _id, ...fields } = documentOf(scope.organizationId, one);
          return { updateOne: { filter: { ...visible(scope), _id }, update: { $set: { ...fields, ...extra } } } };
        }),
        { session },
      );
    },
    remove: async (session, scope, filter) =>
      (await collection.deleteMany({ $and: [visible(scope), filter] }, { session })).deletedCount,
  };
  return entities;
}

/** The entity that a document holds. */
export function storedIn<T>({ wire, revision }: Pick<EntityDocument, "wire" | "revision">): Stored<T> {
  return { entity: JSON.parse(wire) as T, revision };
}

function inside(session: ClientSession | undefined): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}

function notFound(entity: string): never {
  throw new AppError("not_found", { entity });
}
