import type { Document, Filter } from "mongodb";
import { validationFailed } from "@nts/shared/errors";
import { respond, type HandlerResponse, type ListPart } from "@nts/shared/http/respond";
import type { Role } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Keyset, keysetOf, type PageQuery } from "@nts/shared/mongo/keyset";
import { type Ordering, sortOf } from "@nts/shared/mongo/order";
import { textIn, type RawBatch } from "@nts/shared/mongo/raw-fields";
import { documentIn, PASSED_ON_BYTES } from "@nts/shared/mongo/raw-find";
import type { Work } from "@nts/shared/work";
import { composed } from "@nts/shared/contract/folding.rules";
import { DEADLINES } from "@nts/shared/timing";
import { BY_ID, FACET_INDEX, orderIndex, SEARCH_INDEX, SIGHTED_INDEX, TAG_INDEX, type IndexKey } from "./indexes.js";
import { facetFilter } from "../values/facets.rules.js";
import { searchFilter } from "../values/search.rules.js";
import type { ScopedFind } from "./database.js";
import type { Entity, Entities, EntityDocument } from "./entities.js";
import type { EntityReader } from "./entity-reader.js";
import { matching } from "./scope.js";
import { rowsIn, textFields } from "./rows.js";

const NOTHING = Buffer.alloc(0);

export interface ListPlan {
  readonly work: Work;
  /** The scope, already narrowed to the query's network. */
  readonly scope: Scope;
  /** Conditions besides the scope. */
  readonly filter: Filter<EntityDocument>;
  /** The document field of a sort field, if they differ. */
  readonly keyOf?: Readonly<Record<string, string>>;
  /** The index of a selective condition, or of a small collection. */
  readonly selective?: IndexKey | undefined;
  /** The total without counting, if only the scope limits the list. */
  readonly total?: () => Promise<number>;
  /** The index by which matches are counted, if it is not that of the list. */
  readonly countedBy?: IndexKey | undefined;
  /** For entities whose responses include other documents. */
  readonly join?: Join;
}

/** Creates rows from ids, in order; deleted ones are omitted. */
export type Join = (scope: Scope, ids: AsyncIterable<readonly string[]>) => AsyncGenerator<ListPart>;

/** Returns a list: a page with its total, or for limit 0 a stream of everything. */
export async function respondWithList<T extends Entity>(
  entities: Entities<T>,
  paging: PageQuery,
  plan: ListPlan,
): Promise<HandlerResponse<never>> {
  const { limit, offset, cursor } = paging;
  const { scope, work } = plan;
  const keyset = keysetOf({ name: entities.name, organizationId: scope.organizationId }, paging, plan.keyOf);
  const counted = Object.keys(plan.filter).length === 0 ? plan.total : undefined;
  // Without a limit the rows yield the total, unless they start after a cursor.
  const includesTotal = limit === 0 && cursor === undefined;
  const total = includesTotal ? null : (counted ?? (() => entities.count(scope, plan.filter, countIndex(plan))));
  const page = pageOf(entities, { plan, paging, keyset });
  const passed = limit === 0 ? offset : 0;
  const rows = rowsOfPage(entities, plan, page, passed);
  const parts = limit === 0 ? streamed(work, rows) : rows;
  return Promise.resolve(respond.list(parts, { total, limit, offset, next: page.next }));
}

/** All rows of a list, by age unless otherwise ordered. */
export function allRows<T extends Entity>(
  entities: Entities<T>,
  plan: ListPlan,
  orderBy = "created_at",
): AsyncGenerator<ListPart> {
  const paging = { limit: 0, offset: 0, order_by: orderBy, order_direction: "asc" } as const;
  const keyset = keysetOf({ name: entities.name, organizationId: plan.scope.organizationId }, paging, plan.keyOf);
  return rowsOfPage(entities, plan, pageOf(entities, { plan, paging, keyset }), 0);
}

function rowsOfPage<T extends Entity>(
  entities: Entities<T>,
  { join, scope }: ListPlan,
  page: Page,
  passed: number,
): AsyncGenerator<ListPart> {
  if (join === undefined) return rowsOf(entities, scope, page, passed);
  return joined(page.batches, passed, (ids) => join(scope, ids));
}

/**
 * The index to use. It is hinted, as the database would otherwise try dozens of similar ones; only for tags and facets with
 * an order it must decide, because their selectivity varies.
 */
export function listIndex(
  { keyOf, filter, scope, selective }: Omit<ListPlan, "work">,
  paging: Ordering,
): Document | undefined {
  const [field = "created_at", ...more] = Object.keys(sortOf(paging, keyOf));
  if ("_id" in filter) return BY_ID;
  if (selective !== undefined) return selective;
  if ("search" in filter) return SEARCH_INDEX;
  // Of a group and another order within it, there is no index; those of a network are in order of creation.
  const isGrouped = more.length > 1 && field !== "network_id";
  if ("tags" in filter) return isGrouped ? TAG_INDEX : undefined;
  if ("facets" in filter) return isGrouped ? FACET_INDEX : undefined;
  return orderIndex(field, scope.networks !== "all");
}

/** The index by which the matches of a list are counted, whatever its order. */
export function countIndex(plan: Omit<ListPlan, "work">): IndexKey {
  if (plan.countedBy !== undefined) return plan.countedBy;
  const index = listIndex(plan, { order_direction: "asc" });
  return index ?? ("tags" in plan.filter ? TAG_INDEX : FACET_INDEX);
}

interface Listing {
  readonly plan: ListPlan;
  readonly paging: PageQuery;
  readonly keyset: Keyset;
}

/** What is read of a list. */
interface Page {
  readonly batches: AsyncIterable<RawBatch>;
  /** Rows consist of their text only. */
  readonly isAlone: boolean;
  /** The cursor of the next page, after the batches have been read; null at the end. */
  readonly next: () => string | null;
}

/** One extra row shows whether another page follows. */
function pageOf<T extends Entity>(entities: Entities<T>, listing: Listing): Page {
  const { plan, paging, keyset } = listing;
  const { limit } = paging;
  const { scope, join } = plan;
  const sortKeys =
    join === undefined ? entities.denormalizedKeys.filter((name) => name in keyset.sort) : Object.keys(keyset.sort);
  const projection =
    join === undefined ? { _id: 0, ...textFields(entities, scope), ...named(sortKeys) } : named(["_id", ...sortKeys]);
  let next: string | null = null;

  async function* batches(): AsyncGenerator<RawBatch> {
    let left = limit;
    let cursor: string | null = null;
    for await (const batch of segmentsOf(entities, listing, projection)) {
      const starts = limit === 0 ? batch.starts : batch.starts.slice(0, left);
      if (starts.length < batch.starts.length) next = cursorBehind(batch, starts.at(-1)) ?? cursor;
      else if (limit !== 0 && starts.length === left) cursor = cursorBehind(batch, starts.at(-1)) ?? cursor;
      left -= starts.length;
      batch.starts = starts;
      if (starts.length > 0) yield batch;
    }
  }

  function cursorBehind(batch: RawBatch, start: number | undefined): string | null {
    if (start === undefined) return null;
    const document = documentIn(batch, start);
    const { wire } = document;
    return keyset.cursorAfter(
      typeof wire === "string" ? { ...entities.keysOf(JSON.parse(wire) as T), ...document } : document,
    );
  }

  return { batches: batches(), isAlone: sortKeys.length === 0, next: () => next };
}

function named(fields: readonly string[]): Record<string, 1> {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}

/** The documents of a list from its start or cursor, up to one more than its limit. */
async function* segmentsOf<T extends Entity>(
  entities: Entities<T>,
  { plan, paging, keyset }: Listing,
  projection: Document,
): AsyncGenerator<RawBatch> {
  const { limit, offset } = paging;
  const { filter, scope, join } = plan;
  // Others are decoded row by row, which blocks the process.
  const isPassedOn = join === undefined && !entities.losesTags(scope);
  let left = limit + 1;
  for (const segment of keyset.segments) {
    const reading: Omit<ScopedFind, "collection"> = {
      filter: matching(entities.within(scope), filter, segment),
      projection,
      sort: keyset.sort,
      hint: listIndex(plan, paging),
      limit: limit === 0 ? 0 : left,
      ...(isPassedOn && { batchBytes: PASSED_ON_BYTES }),
      ...(limit === 0 && { maxTimeMS: DEADLINES.streamMs }),
      // Without a limit, rows before the offset count towards the total.
      skip: limit === 0 ? 0 : offset,
    };
    for await (const batch of entities.read(scope, reading)) {
      left -= batch.starts.length;
      yield batch;
    }
    if (limit !== 0 && left <= 0) return;
  }
}

/** @param passed number of leading rows that are only counted */
async function* rowsOf(
  reader: EntityReader<unknown>,
  scope: Scope,
  { batches, isAlone }: Page,
  passed: number,
): AsyncGenerator<ListPart> {
  let left = passed;
  for await (const batch of batches) {
    const { bytes, starts } = batch;
    yield { text: rowsIn(reader, scope, { bytes, starts: starts.slice(left) }, isAlone), rows: starts.length };
    left = Math.max(0, left - starts.length);
    batch.bytes = NOTHING;
  }
}

async function* joined(
  batches: AsyncIterable<RawBatch>,
  passed: number,
  rowsOf: (ids: AsyncIterable<readonly string[]>) => AsyncIterable<ListPart>,
): AsyncGenerator<ListPart> {
  let rows = 0;
  const ids = async function* (): AsyncGenerator<readonly string[]> {
    for await (const batch of batches) {
      const left = Math.min(passed - rows, batch.starts.length);
      rows += left;
      yield batch.starts.slice(left).map((start) => textIn(batch, start, "_id").toString());
    }
  };
  yield* rowsOf(ids());
  yield { text: NOTHING, rows };
}

/** Runs a task in one of the organization's stream slots, which also bounds memory. @throws AppError `rate_limited` */
export async function inStream<T>(work: Work, task: () => Promise<T>): Promise<T> {
  const release = await work.openStream();
  return task().finally(release);
}

/** Streams pieces in one of the organization's stream slots. @throws AppError `rate_limited` before the first */
export async function* streamed<Piece>(work: Work, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const release = await work.openStream();
  try {
    yield* pieces;
  } finally {
    release();
  }
}

/** Conditions for filters by sightings, with the index. @throws AppError `validation_failed` */
export function sightingPlan({
  missed,
  seen_before: before,
  as_of: asOf,
}: SightingQuery): Pick<ListPlan, "filter" | "selective"> {
  if (missed === undefined && before === undefined) return { filter: {} };
  const path = missed === undefined ? "seen_before" : "missed";
  if (asOf !== undefined) throw validationFailed({ path, message: "is not available for past states" });
  const filter = {
    ...(before !== undefined && { seen_last: { $lt: Date.parse(before) } }),
    ...(missed !== undefined && { missed: missed ? { $gt: 0 } : { $exists: false } }),
  };
  return missed === false && before === undefined
    ? { filter }
    : { filter: { ...filter, sighted: true }, selective: SIGHTED_INDEX };
}

interface SightingQuery {
  readonly missed?: boolean | undefined;
  readonly seen_before?: string | undefined;
  readonly as_of?: string | undefined;
}

interface CommonQuery {
  readonly q?: string | undefined;
  readonly ids?: readonly string[];
  readonly tag_ids?: readonly string[];
  readonly attribute?: readonly string[];
  readonly role?: readonly Role[];
  readonly vendor?: string | undefined;
  readonly product?: string | undefined;
  readonly runs_on?: readonly string[];
  readonly is_known?: boolean | undefined;
}

/** Conditions for common filters; an empty list means no filter, and a deleted tag matches nothing. */
export function commonFilter(query: CommonQuery, { hidden }: Scope): Filter<EntityDocument> {
  const isThere = (tag: string): boolean => hidden?.tags.has(tag) !== true;
  return {
    ...(query.q !== undefined && searchFilter(query.q)),
    ...(query.ids && query.ids.length > 0 && { _id: { $in: query.ids } }),
    ...(query.tag_ids && query.tag_ids.length > 0 && { tags: { $in: query.tag_ids.filter(isThere).map(composed) } }),
    ...facetFilter(query),
  };
}
