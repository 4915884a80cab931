import type { ClientSession, Filter, FindOptions, Sort } from "mongodb";
import type { Sighting } from "@nts/shared/contract/sightings";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import type { Entity, EntityKind } from "../kinds/entity-kind.js";
import { BY_ID, type IndexKey } from "./indexes.js";
import type { Database, ScopedFind } from "./database.js";
import { createReader, type EntityReader, STORED } from "./entity-reader.js";
import { createEntityWrites, type EntityWrites } from "./entity-writes.js";
import { createGatheredRead, type FoundEntity } from "./gathered.js";
import { type ScopedCollection, scopedCollection } from "./scoped-collection.js";
import { inKeyOrder } from "./id-key.js";
import { hintFor, matching, type ScopeFilter, visibleOf } from "./scope.js";
import { sightedText } from "./rows.js";
import type { SightingFields } from "./sightings.rules.js";
import { type Sweepable, sweepable } from "./sweepable.js";

// Entities are stored as response JSON (`wire`), next to fields for filters, orders and indexes; both are written only
// by `documentOf`. Pages are served without decoding or serializing.

export type { Entity, EntityKind } from "../kinds/entity-kind.js";

/** A stored entity; `revision` is its `ETag`. */
export interface Stored<T> {
  readonly entity: T;
  readonly revision: number;
  /** Sightings, as read; absent for new entities. */
  readonly sighting?: Sighting;
}

export interface EntityDocument extends SightingFields {
  _id: string;
  organization_id: string;
  /** null for organization-level entities. */
  network_id: string | null;
  created_at: Date;
  updated_at: Date;
  revision: number;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number | undefined;
  wire: string;
  /** The author of the last write; absent if the service did not write it. */
  by?: string;
  /** The tag deletion whose sweep wrote it last; the journal ignores that write, as it recorded the deletion. */
  swept_by?: string;
  [key: string]: unknown;
}

/** The fields from which an entity is read; see `STORED`. */
export type StoredFields = Pick<EntityDocument, "wire" | "revision" | "form"> & SightingFields;

/** Additional document fields: the same for all, or computed for each. */
export type Extra<T> = Readonly<Record<string, unknown>> | ((entity: T) => Record<string, unknown>);

/** Access to the entities of one kind, limited to the caller's scope. */
export interface Entities<T extends Entity> extends EntityReader<T>, EntityWrites<T> {
  readonly name: string;
  /** Whether all of them are in networks, rather than of the whole organization. */
  readonly ofNetworks: boolean;
  readonly collection: ScopedCollection<EntityDocument>;
  readonly sweepable: Sweepable;
  readonly denormalizedKeys: readonly string[];
  /** The filter with which every query of these entities starts. */
  within(scope: Scope): ScopeFilter;
  /** Outside a transaction, batched with concurrent reads. */
  find(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T> | null>;
  /** @throws AppError `not_found` */
  get(scope: Scope, id: string, tx?: ClientSession): Promise<Stored<T>>;
  /** The JSON of an entity. @throws AppError `not_found` */
  readOne(scope: Scope, id: string): Promise<{ json: string | Buffer; revision: number }>;
  findMany(scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort?: Sort): Promise<Stored<T>[]>;
  /** The same as a stream, for callers that may stop early. */
  findEach(scope: Scope, filter: Filter<EntityDocument>, tx: ClientSession, sort?: Sort): AsyncGenerator<Stored<T>>;
  /** Some fields of matching documents in the scope. */
  select(scope: Scope, filter: Filter<EntityDocument>, options: FindOptions): Promise<EntityDocument[]>;
  /** The same in a transaction. */
  selectIn(
    tx: ClientSession,
    scope: Scope,
    filter: Filter<EntityDocument>,
    options: FindOptions,
  ): Promise<EntityDocument[]>;
  /** Counts matches. */
  count(scope: Scope, filter: Filter<EntityDocument>, hint: IndexKey): Promise<number>;
  /** The same at a snapshot. */
  countAt(scope: Scope, filter: Filter<EntityDocument>, hint: IndexKey, moment: Moment): Promise<number>;
  /** The same in a transaction. @param most where counting stops; absent for no limit */
  countIn(
    tx: ClientSession,
    scope: Scope,
    filter: Filter<EntityDocument>,
    { most, hint }: { most?: number; hint: IndexKey },
  ): Promise<number>;
  /** Raw documents of a query. */
  read(scope: Scope, query: Omit<ScopedFind, "collection">, moment?: Moment): AsyncGenerator<RawBatch, void, void>;
  /** Decoded entities of such a query, in batches. The filter is already limited to the scope. */
  readStored(
    scope: Scope,
    query: Omit<ScopedFind, "collection" | "projection">,
    moment?: Moment,
  ): AsyncGenerator<Stored<T>[], void, void>;
}

/** The filter for a scope. */
type Visible = (scope: Scope) => ScopeFilter;

/** Opens a collection of entities. */
export function createEntities<T extends Entity>(database: Database, kind: EntityKind<T>): Entities<T> {
  const collection = scopedCollection<EntityDocument>(database.db, kind.collection);
  const visible: Visible = visibleOf(kind);
  const reader = createReader(kind);
  return {
    name: kind.name,
    ofNetworks: kind.networkOf !== null && kind.mayBeOfAll !== true,
    collection,
    sweepable: sweepable(collection),
    denormalizedKeys: kind.denormalizedKeys ?? [],
    within: visible,
    ...reader,
    ...createSingleReads(database, kind, { collection, visible, reader }),
    ...createQueries(database, kind, { collection, visible, reader }),
    ...createEntityWrites(database, kind, { collection, visible, reader }),
  };
}

/** Dependencies of reads and writes. */
export interface EntityParts<T> {
  readonly collection: ScopedCollection<EntityDocument>;
  readonly visible: Visible;
  readonly reader: EntityReader<T>;
}

/** Reads of one entity by id. */
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
      if (!reader.losesTags(scope)) return { json: wholeText(found, reader), revision: found.revision };
      const stored = reader.storedIn({ ...found, wire: found.wire.toString() }, scope);
      return { json: JSON.stringify(withSighting(stored)), revision: stored.revision };
    },
  };
}

/** Reads of all matching entities. */
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
    database.batches(scope, { collection: kind.collection, ...inKeyOrder(query) }, moment);

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

/** The response JSON of an entity. */
function wholeText(found: FoundEntity, { isSighted, upgraded }: EntityReader<unknown>): Buffer {
  const text = upgraded(found.wire, found.form);
  return isSighted ? sightedText(text, found) : text;
}

/** An entity as returned to clients, with sightings. */
export function withSighting<T>({ entity, sighting }: Stored<T>): T {
  return sighting === undefined ? entity : { ...entity, ...sighting };
}

function notFound(entity: string): never {
  throw new AppError("not_found", { entity });
}
