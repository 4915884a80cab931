import type { Document, Filter } from "mongodb";
import { answer, type Answer, type ListPart } from "@nts/shared/http/answer";
import type { Scope } from "@nts/shared/http/tenancy";
import { STREAM_MS } from "@nts/shared/mongo/connect";
import { sortOf, type Ordering } from "@nts/shared/mongo/order";
import { type RawBatch, type RawFind, textsIn } from "@nts/shared/mongo/raw-find";
import type { Work } from "@nts/shared/work";
import { BY_ID, orderIndex, SEARCH_INDEX, TAG_INDEX, type IndexKey } from "./indexes.js";
import { composed, searchFilter } from "../values/search.rules.js";
import type { Entity, Entities, EntityDocument, EntityReader } from "./entities.js";
import { rowsIn, textFields } from "./rows.js";

/** The part of a list's query that pages and orders. */
export interface Paging extends Ordering {
  readonly limit: number;
  readonly offset: number;
}

export interface ListPlan {
  readonly work: Work;
  /** The scope, already cut to the network that the query names. */
  readonly scope: Scope;
  /** Conditions besides the scope. */
  readonly filter: Filter<EntityDocument>;
  /** The field of the documents for an order field of the contract, where the two differ. */
  readonly keyOf?: Readonly<Record<string, string>>;
  /** What stands at the end of the indexes for the orders of this collection. */
  readonly trailing?: IndexKey;
  /** The index of a condition that leaves few entities, whatever their order; or of a collection that has few. */
  readonly selective?: IndexKey | undefined;
  /** The total, without counting, of a list that only the scope limits. */
  readonly total?: () => Promise<number>;
  /** For entities that are answered with what is stored elsewhere. */
  readonly join?: Join;
}

/** Makes the rows of a list from the ids of its entities, in their order; one that is gone by then is left out. */
export type Join = (scope: Scope, ids: AsyncIterable<readonly string[]>) => AsyncGenerator<ListPart>;

/** Answers a list: a page with its total, or for limit 0 a stream of everything. */
export function answerList<T extends Entity>(
  entities: Entities<T>,
  paging: Paging,
  plan: ListPlan,
): Promise<Answer<never>> {
  const { limit, offset } = paging;
  const { join, scope, work } = plan;
  const counted = Object.keys(plan.filter).length === 0 ? plan.total : undefined;
  const total = limit === 0 ? null : (counted ?? (() => count(entities, paging, plan)));
  const reading = readingOf(entities, paging, plan);
  const passed = limit === 0 ? offset : 0;
  const batches = entities.read(scope, reading);
  const rows =
    join === undefined ? rowsOf(entities, scope, batches, passed) : joined(batches, passed, (ids) => join(scope, ids));
  return Promise.resolve(answer.list(limit === 0 ? streamed(work, rows) : rows, { total, limit, offset }));
}

function matching<T extends Entity>({ within }: Entities<T>, { scope, filter }: ListPlan): Filter<EntityDocument> {
  return Object.keys(filter).length === 0 ? within(scope) : { $and: [within(scope), filter] };
}

/**
 * The index to read from. It is named, because the database would try out dozens that begin alike before it settles on
 * one. Only where tags meet an order it has to find out: few entities carry one tag, and nearly all carry another.
 */
function hintFor({ keyOf, filter, scope, selective, trailing }: ListPlan, paging: Paging): Document | undefined {
  const [field = "created_at", ...more] = Object.keys(sortOf(paging, keyOf));
  if ("_id" in filter) return BY_ID;
  if (selective !== undefined) return selective;
  if ("search" in filter) return SEARCH_INDEX;
  if ("tags" in filter) return more.length > 1 ? TAG_INDEX : undefined;
  return orderIndex(field, scope.networks !== "all", trailing);
}

function count<T extends Entity>(entities: Entities<T>, paging: Paging, plan: ListPlan): Promise<number> {
  const hint = (hintFor(plan, paging) ?? TAG_INDEX) as IndexKey;
  return entities.count(plan.scope, matching(entities, plan), hint);
}

/** @returns what reads the texts of the entities, or with a join their ids */
function readingOf<T extends Entity>(
  entities: Entities<T>,
  paging: Paging,
  plan: ListPlan,
): Omit<RawFind, "collection"> {
  const { limit, offset } = paging;
  return {
    filter: matching(entities, plan),
    projection: plan.join === undefined ? { _id: 0, ...textFields(entities, plan.scope) } : { _id: 1 },
    sort: sortOf(paging, plan.keyOf),
    hint: hintFor(plan, paging),
    limit,
    ...(limit === 0 && { maxTimeMS: STREAM_MS }),
    // Without a limit, what stands before the offset counts in the total.
    skip: limit === 0 ? 0 : offset,
  };
}

/** @param passed how many rows at the beginning are counted only */
async function* rowsOf(
  reader: EntityReader<unknown>,
  scope: Scope,
  batches: AsyncIterable<RawBatch>,
  passed: number,
): AsyncGenerator<ListPart> {
  let left = passed;
  for await (const { bytes, starts } of batches) {
    yield { text: rowsIn(reader, scope, { bytes, starts: starts.slice(left) }), rows: starts.length };
    left = Math.max(0, left - starts.length);
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
      yield batch.starts.slice(left).map((start) => textsIn(batch, start, ["_id"]).join());
    }
  };
  yield* rowsOf(ids());
  yield { text: Buffer.alloc(0), rows };
}

/** Reads pieces as one of the streams that an organization may have open. @throws AppError `rate_limited` before the first */
export async function* streamed<Piece>(work: Work, pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const release = work.openStream();
  try {
    yield* pieces;
  } finally {
    release();
  }
}

interface CommonQuery {
  readonly q?: string | undefined;
  readonly ids?: readonly string[];
  readonly tag_ids?: readonly string[];
}

/** Conditions for the filters that many lists share; an empty list means no filter, and a deleted tag is on nothing. */
export function commonFilter(query: CommonQuery, { hidden }: Scope): Filter<EntityDocument> {
  const isThere = (tag: string): boolean => hidden?.tags.has(tag) !== true;
  return {
    ...(query.q !== undefined && searchFilter(query.q)),
    ...(query.ids && query.ids.length > 0 && { _id: { $in: query.ids } }),
    ...(query.tag_ids && query.tag_ids.length > 0 && { tags: { $in: query.tag_ids.filter(isThere).map(composed) } }),
  };
}
