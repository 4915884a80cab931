import { createHash } from "node:crypto";
import { AppError, validationFailed } from "../errors.js";
import { sortOf, type Ordering } from "./order.js";

// A page that continues where another one ended: not so many entities further on, but behind a place in the order. What
// stands behind a place is found in the index of the order, however far down it is, and whatever was added, deleted or
// renamed before it changes nothing. A cursor is that place, with a mark of the list that it belongs to. It gives nobody
// anything: it is a condition of a query that begins with the caller's own scope.

/** What an order compares. */
type Value = string | number | boolean | Date | null;

/** The values of an entity for each field of an order, the id last. */
export type Place = readonly Value[];

/** The part of a list's query that pages and orders. */
export interface PageQuery extends Ordering {
  /** 0 for no limit. */
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

/** Which list it is: that of an organization. */
export interface ListIdentity {
  readonly name: string;
  readonly organizationId: string;
}

export interface Keyset {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** That of the cursor; null without one. */
  readonly place: Place | null;
  /** Conditions that are read one after another: the whole list, or what stands behind the cursor, nearest first. */
  readonly segments: readonly Readonly<Record<string, unknown>>[];
  /** The cursor that continues behind an entity. @param fields of its document, those of the order at least */
  cursorAfter(fields: Readonly<Record<string, unknown>>): string;
}

/**
 * The order of a list, and where to read it from.
 *
 * @param query the whole query, with the filters: a cursor belongs to them too
 * @param keyOf the field of the documents for an order field, where the two differ
 * @throws AppError `cursor_invalid` · `validation_failed` for an offset beside a cursor
 */
export function keysetOf(list: ListIdentity, query: PageQuery, keyOf: Readonly<Record<string, string>> = {}): Keyset {
  const { cursor, offset, ...rest } = query;
  const same = { ...rest, limit: undefined };
  const sort = sortOf(query, keyOf);
  const fields = Object.keys(sort);
  const mark = createHash("sha256")
    .update(JSON.stringify([list.name, list.organizationId, same]))
    .digest("base64url")
    .slice(0, 16);
  if (cursor !== undefined && offset > 0)
    throw validationFailed({ path: "offset", message: "must be 0 beside a cursor" });
  const place = cursor === undefined ? null : placeIn(cursor, mark, fields.length);
  return {
    sort,
    place,
    segments: place === null ? [{}] : segmentsBehind(sort, place),
    cursorAfter: (document) =>
      cursorOf(
        mark,
        fields.map((field) => (document[field] ?? null) as Value),
      ),
  };
}

/** What stands behind a place: first what is equal to it in all but the last field, then in all but the last two, and so on. */
export function segmentsBehind(
  sort: Readonly<Record<string, 1 | -1>>,
  place: Place,
): Readonly<Record<string, unknown>>[] {
  const fields = Object.entries(sort);
  return fields
    .map(([field, direction], at) => {
      const equal = Object.fromEntries(fields.slice(0, at).map(([name], i) => [name, place[i]]));
      return beyond(place[at] ?? null, direction, field === "_id").map((condition) => ({
        ...equal,
        [field]: condition,
      }));
    })
    .reverse()
    .flat();
}

/** Null stands before everything; comparisons of the database look at values of one type only. */
function beyond(value: Value, direction: 1 | -1, isId: boolean): unknown[] {
  if (direction === 1) return [value === null ? { $ne: null } : { $gt: value }];
  if (value === null) return [];
  return isId ? [{ $lt: value }] : [{ $lt: value }, null];
}

function cursorOf(mark: string, place: Place): string {
  const values = place.map((value) => (value instanceof Date ? { at: value.getTime() } : value));
  return Buffer.from(JSON.stringify([mark, ...values])).toString("base64url");
}

function placeIn(cursor: string, mark: string, length: number): Place {
  const [given, ...values] = partsOf(cursor);
  const place = values.map(valueOf);
  if (given !== mark || place.length !== length) throw new AppError("cursor_invalid");
  return place;
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function valueOf(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  const at: unknown = (value as { at?: unknown }).at;
  if (typeof at !== "number" || !Number.isSafeInteger(at)) throw new AppError("cursor_invalid");
  return new Date(at);
}
