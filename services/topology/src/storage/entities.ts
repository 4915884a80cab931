import type { ClientSession, Filter, FindOptions, Sort } from "mongodb";
import type { Sighting } from "@nts/shared/contract/sightings";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Form } from "@nts/shared/mongo/forms";
import { documentsIn, type Moment, type RawBatch } from "@nts/shared/mongo/raw-find";
import { BY_ID, type IndexKey } from "./indexes.js";
import type { Database, ScopedFind } from "./database.js";
import { createReader, type EntityReader, STORED } from "./entity-reader.js";
import { createEntityWrites, type EntityWrites } from "./entity-writes.js";
import { createGatheredRead, type Found } from "./gathered.js";
import { type ScopedCollection, scopedCollection } from "./scoped-collection.js";
import { hintFor, matching, within, withinHosts, withinOrganization, type ScopeFilter } from "./scope.js";
import { sightedText } from "./rows.js";
import type { SightingFields } from "./sightings.rules.js";
import { type Sweepable, sweepable } from "./sweepable.js";

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
  /** Of what can be seen, as it was read; absent of what is new. */
  readonly sighting?: Sighting;
}

export interface EntityDocument extends SightingFields {
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
  /** Who wrote it last; absent where an earlier version did. */
  by?: string;
  /** The deletion of tags by whose sweep it was written last: the journal, which has told of that, does not read the write. */
  swept_by?: string;
  [key: string]: unknown;
}

/** What an entity is read from; see `STORED`. */
export type StoredFields = Pick<EntityDocument, "wire" | "revision" | "form"> & SightingFields;

/** Fields of a document beside those of its entity: the same for all, or made for each. */
export type Extra<T> = Readonly<Record<string, unknown>> | ((entity: T) => Record<string, unknown>);

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
  /** True for what imports can see. */
  readonly sighted?: true;
  /** True for what is a part of other entities, and changes with them. */
  readonly isPart?: true;
  /** Fields of a document that tell its name; `name` unless said otherwise. */
  readonly namedIn?: readonly string[];
  /** Fields beside `wire` that filters and orders need. */
  readonly keysOf: (entity: T) => Record<string, unknown>;
  /** Fields that lists can be ordered by and that no entity holds, such as the name of its host. */
  readonly keysBeside?: readonly string[];
  /** The entity without what is not part of it, such as an echoed member of a caller. */
  readonly clean: (entity: T) => T;
  /** The first one unless said otherwise. */
  readonly form?: Form<T>;
}

/** Access to the entities of one kind; nothing outside the scope exists for the caller. */
export interface Entities<T extends Entity> extends EntityReader<T>, EntityWrites<T> {
  readonly name: string;
  readonly collection: ScopedCollection<EntityDocument>;
  readonly sweepable: Sweepable;
  readonly keysBeside: readonly string[];
  /** The filter that every query of these entities begins with. */
  within(scope: Scope): ScopeFilter;
  /** Without a session the entity is read together with others that are asked for at the same time. */
  find(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T> | null>;
  /** @throws AppError `not_found` */
  get(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T>>;
  /** The JSON text of an entity. @throws AppError `not_found` */
  readOne(scope: Scope, id: string): Promise<{ json: string | Buffer; revision: number }>;
  findMany(scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort?: Sort): Promise<Stored<T>[]>;
  /** The same one after another, for callers that may stop early. */
  findEach(scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort?: Sort): AsyncGenerator<Stored<T>>;
  /** Some fields of the documents in the scope that match. */
  select(scope: Scope, filter: Filter<EntityDocument>, options: FindOptions): Promise<EntityDocument[]>;
  /** The same in a transaction. */
  selectIn(
    tx: ClientSession,
    scope: Scope,
    filter: Filter<EntityDocument>,
    options: FindOptions,
  ): Promise<EntityDocument[]>;
  /** How many match. */
  count(scope: Scope, filter: Filter<EntityDocument>, hint: IndexKey): Promise<number>;
  /** The same at a moment. */
  countAt(scope: Scope, filter: Filter<EntityDocument>, hint: IndexKey, moment: Moment): Promise<number>;
  /** The same in a transaction. @param most where counting ends; nowhere when absent */
  countIn(
    tx: ClientSession,
    scope: Scope,
    filter: Filter<EntityDocument>,
    { most, hint }: { most?: number; hint: IndexKey },
  ): Promise<number>;
  /** The documents of a query as the database sends them. */
  read(scope: Scope, query: Omit<ScopedFind, "collection">, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
  /** The entities of such a query, decoded, a batch at a time. The filter is within the scope already. */
  readStored(
    scope: Scope,
    query: Omit<ScopedFind, "collection" | "projection">,
    moment?: Moment,
  ): AsyncGenerator<Stored<T>[], void, void>;
}

/** The part of a collection's filter that a scope makes. */
type Visible = (scope: Scope) => ScopeFilter;

/** Opens a collection of entities. */
export function createEntities<T extends Entity>(database: Database, kind: EntityKind<T>): Entities<T> {
  const collection = scopedCollection<EntityDocument>(database.db, kind.collection);
  const visible: Visible = kind.networkOf === null ? withinOrganization : kind.onHosts === true ? withinHosts : within;
  const reader = createReader(kind);
  return {
    name: kind.name,
    collection,
    sweepable: sweepable(collection),
    keysBeside: kind.keysBeside ?? [],
    within: visible,
    ...reader,
    ...createSingleReads(database, kind, { collection, visible, reader }),
    ...createQueries(database, kind, { collection, visible, reader }),
    ...createEntityWrites(database, kind, { collection, visible, reader }),
  };
}

/** What reading and writing a collection takes. */
export interface EntityParts<T> {
  readonly collection: ScopedCollection<EntityDocument>;
  readonly visible: Visible;
  readonly reader: EntityReader<T>;
}

/** Reads of one entity by its id. */
function createSingleReads<T extends Entity>(
  database: Database,
  kind: EntityKind<T>,
  { collection, visible, reader }: EntityParts<T>,
): Pick<Entities<T>, "find" | "get" | "readOne"> {
  const gathered = createGatheredRead(database, kind.collection, kind.networkOf !== null);

  async function find(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T> | null> {
    if (tx === undefined) {
      const found = await gathered(scope, id);
      return found === null ? null : reader.storedIn({ ...found, wire: found.wire.toString() }, scope);
    }
    const options = { projection: STORED, session: tx, hint: BY_ID };
    const found = await collection.findOne({ ...visible(scope), _id: id }, options);
    return found === null ? null : reader.storedIn(found, scope);
  }

  return {
    find,
    get: async (scope, id, tx) => (await find(scope, id, tx)) ?? notFound(kind.name),
    readOne: async (scope, id) => {
      const found = (await gathered(scope, id)) ?? notFound(kind.name);
      if (!reader.differs(scope)) return { json: wholeText(found, reader), revision: found.revision };
      const stored = reader.storedIn({ ...found, wire: found.wire.toString() }, scope);
      return { json: JSON.stringify(answeredOf(stored)), revision: stored.revision };
    },
  };
}

/** Reads of all entities that match. */
function createQueries<T extends Entity>(
  database: Database,
  kind: EntityKind<T>,
  { collection, visible, reader }: EntityParts<T>,
): Pick<
  Entities<T>,
  "findMany" | "findEach" | "select" | "selectIn" | "count" | "countAt" | "countIn" | "read" | "readStored"
> {
  const cursorOf = (scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort: Sort = { _id: 1 }) =>
    collection
      .find({ ...visible(scope), $and: [filter] }, { projection: STORED, session: tx, ...hintFor(filter) })
      .sort(sort);
  const read: Entities<T>["read"] = (scope, query, moment) =>
    database.batches(scope, { collection: kind.collection, ...query }, moment);

  return {
    read,
    async *readStored(scope, query, moment) {
      for await (const batch of read(scope, { ...query, projection: STORED }, moment))
        yield documentsIn(batch).map((found) => reader.storedIn(found as StoredFields, scope));
    },
    findMany: async (scope, filter, tx, sort) => {
      const found = await cursorOf(scope, filter, tx, sort).toArray();
      return found.map((document) => reader.storedIn(document, scope));
    },
    async *findEach(scope, filter, tx, sort) {
      for await (const document of cursorOf(scope, filter, tx, sort)) yield reader.storedIn(document, scope);
    },
    select: (scope, filter, options) =>
      database.share(scope, () => collection.find(matching(visible(scope), filter), options).toArray()),
    selectIn: (tx, scope, filter, options) =>
      collection.find(matching(visible(scope), filter), { ...options, session: tx }).toArray(),
    count: (scope, filter, hint) =>
      database.share(scope, () => collection.countDocuments(matching(visible(scope), filter), { hint })),
    countAt: (scope, filter, hint, moment) =>
      database.countAt(scope, { collection: kind.collection, filter: matching(visible(scope), filter), hint }, moment),
    countIn: (tx, scope, filter, { most, hint }) =>
      collection.countDocuments(matching(visible(scope), filter), {
        session: tx,
        hint,
        ...(most !== undefined && { limit: most }),
      }),
  };
}

/** The JSON text that answers an entity. */
function wholeText(found: Found, { isSighted }: Pick<EntityReader<unknown>, "isSighted">): Buffer {
  return isSighted ? sightedText(found.wire, found) : found.wire;
}

/** An entity as it is answered: with what imports know of it. */
export function answeredOf<T>({ entity, sighting }: Stored<T>): T {
  return sighting === undefined ? entity : { ...entity, ...sighting };
}

function notFound(entity: string): never {
  throw new AppError("not_found", { entity });
}
