import type { AggregationCursor, Document, Filter, FindCursor } from "mongodb";
import { answer, type Answer } from "@nts/shared/http/answer";
import type { Scope } from "@nts/shared/http/tenancy";
import { sortOf, type Ordering } from "@nts/shared/mongo/order";
import { orderIndex, SEARCH_INDEX, TAG_INDEX, type IndexKey } from "../indexes.js";
import { searchFilter } from "../search.js";
import type { Entity, Entities, EntityDocument } from "./entities.js";

const STREAM_BATCH = 500;

/** The part of a list's query that pages and orders. */
export interface Paging extends Ordering {
  readonly limit: number;
  readonly offset: number;
}

export interface ListPlan {
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
  /** Adds to each entity what is stored elsewhere. */
  readonly join?: Join;
}

/** Stages that read what belongs to an entity, and what makes the text of the answer of both. */
export interface Join {
  readonly stages: readonly Document[];
  readonly rowOf: (document: EntityDocument) => string;
}

/** Answers a list: a page with its total, or for limit 0 a stream of everything. */
export async function answerList<T extends Entity>(
  entities: Entities<T>,
  paging: Paging,
  plan: ListPlan,
): Promise<Answer<never>> {
  if (paging.limit === 0) {
    const { cursor, rowOf } = open(entities, { ...paging, offset: 0 }, plan);
    return answer.stream(batches(cursor, rowOf), paging.offset);
  }
  const { cursor, rowOf } = open(entities, paging, plan);
  const counted = Object.keys(plan.filter).length === 0 ? plan.total : undefined;
  const [documents, total] = await Promise.all([
    cursor.toArray(),
    counted === undefined ? count(entities, paging, plan) : counted(),
  ]);
  return answer.rows(documents.map(rowOf), { total, limit: paging.limit, offset: paging.offset });
}

/** What is being read, and what makes the text of one entity of it. */
interface Reading {
  readonly cursor: FindCursor<unknown> | AggregationCursor<unknown>;
  readonly rowOf: (document: unknown) => Buffer;
}

function matching<T extends Entity>({ within }: Entities<T>, { scope, filter }: ListPlan): Filter<EntityDocument> {
  return Object.keys(filter).length === 0 ? within(scope) : { $and: [within(scope), filter] };
}

/**
 * The index to read from. It is named, because the database would try out dozens that begin alike before it settles on
 * one. Only where tags meet an order it has to find out: few entities carry one tag, and nearly all carry another.
 */
function hintFor({ keyOf, filter, scope, selective, trailing }: ListPlan, paging: Paging): { hint?: Document } {
  const [[field, direction] = ["created_at", 1] as const, ...more] = Object.entries(sortOf(paging, keyOf));
  if ("_id" in filter) return { hint: { _id: 1 } };
  if (selective !== undefined) return { hint: selective };
  if ("search" in filter) return { hint: SEARCH_INDEX };
  if ("tags" in filter) return more.length > 1 ? { hint: TAG_INDEX } : {};
  return { hint: orderIndex(field, direction, scope.networks !== "all", trailing) };
}

function count<T extends Entity>(entities: Entities<T>, paging: Paging, plan: ListPlan): Promise<number> {
  const { hint = TAG_INDEX } = hintFor(plan, paging);
  return entities.collection.countDocuments(matching(entities, plan), { hint });
}

function open<T extends Entity>(entities: Entities<T>, paging: Paging, plan: ListPlan): Reading {
  const sort = sortOf(paging, plan.keyOf);
  const hint = hintFor(plan, paging);
  const { limit, offset } = paging;
  if (plan.join === undefined) {
    const options = { projection: { _id: 0, wire: 1 }, raw: true, ...hint } as const;
    const cursor = entities.collection.find(matching(entities, plan), options).sort(sort).skip(offset).limit(limit);
    return { cursor, rowOf: (document) => wireIn(document as Buffer) };
  }
  const page = [...(offset > 0 ? [{ $skip: offset }] : []), ...(limit > 0 ? [{ $limit: limit }] : [])];
  const stages = [{ $match: matching(entities, plan) }, { $sort: sort }, ...page, ...plan.join.stages];
  const { rowOf } = plan.join;
  const cursor = entities.collection.aggregate(stages, hint);
  return { cursor, rowOf: (document) => Buffer.from(rowOf(document as EntityDocument)) };
}

// A document of the one field `wire`, as it comes from the database: its length (4 bytes), the type of the field (1), its
// name with a zero (5), the length of the text (4), the text, and two zeros.
const BEFORE_WIRE = 14;
const AFTER_WIRE = 2;

/** The text of `{wire}` without decoding it: that would cost more than everything else about a page. */
function wireIn(document: Buffer): Buffer {
  return document.subarray(BEFORE_WIRE, document.length - AFTER_WIRE);
}

/** What is made of each document of a cursor, some hundreds at a time; the cursor is closed at the end, however that comes. */
export async function* batches<Row>(
  cursor: Reading["cursor"],
  rowOf: (document: unknown) => Row,
): AsyncGenerator<readonly Row[]> {
  try {
    let batch: Row[] = [];
    for await (const document of cursor.batchSize(STREAM_BATCH)) {
      batch.push(rowOf(document));
      if (batch.length < STREAM_BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  } finally {
    await cursor.close();
  }
}

interface CommonQuery {
  readonly q?: string | undefined;
  readonly ids?: readonly string[];
  readonly tag_ids?: readonly string[];
}

/** Conditions for the filters that many lists share; an empty list means no filter. */
export function commonFilter(query: CommonQuery): Filter<EntityDocument> {
  return {
    ...(query.q !== undefined && searchFilter(query.q)),
    ...(query.ids && query.ids.length > 0 && { _id: { $in: query.ids } }),
    ...(query.tag_ids && query.tag_ids.length > 0 && { tags: { $in: query.tag_ids } }),
  };
}
